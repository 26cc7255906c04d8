import Hearth

/// How the daemon is with one database, as `status` prints it.
struct StatusText {
    /// One word for all of it.
    enum State: String {
        /// The backend answers, and all is well.
        case live
        /// Nobody asked for anything, so the backend was not asked.
        case idle
        /// The backend is being tried.
        case connecting
        /// The backend does not answer.
        case offline
        /// An administrator keeps the daemon from the backend.
        case networkOff = "network off"
        /// Something is wrong with the daemon's surroundings.
        case degraded

        /// What the word means for monitoring: fine, nothing lost but try again, or failed.
        var exitStatus: CommandStatus {
            switch self {
            case .live, .idle: .success
            case .connecting, .offline, .networkOff: .tryAgain
            case .degraded: .failed
            }
        }
    }

    /// What the daemon said.
    let status: DaemonStatus
    /// When it is shown.
    let now: Timestamp
    /// How long ago the daemon said it.
    var age = Duration.zero

    /// One word for all of it.
    var state: State {
        if !status.degradedReasons.isEmpty { return .degraded }
        if !status.isNetworkEnabled { return .networkOff }
        switch status.onlineState {
        case .online: return .live
        case .offline: return .offline
        case .unknown:
            return status.isIdle ? .idle : .connecting
        }
    }

    /// The object for programs, whose fields the help of `status` names.
    var report: Report {
        Report().with("state", state.rawValue).with("onlineState", status.onlineState.rawValue)
            .with("isNetworkEnabled", status.isNetworkEnabled)
            .with("degradedReasons", .array(status.degradedReasons.map(ValueLiteral.string)))
            .with("losses", .array(status.losses.map(Self.report)))
            .with("bundles", .array(status.bundles.map(Self.report)))
            .with("untoldBundles", status.untoldBundleCount)
            .with("daemonVersion", status.daemonVersion)
            .with("uptimeSeconds", Int(status.uptime.components.seconds))
            .with("project", status.projectID).with("database", status.databaseID)
            .with("instance", status.instanceURL)
            .with("user", status.user).with("upstream", status.upstream)
            .with("queueBatches", known(status.queueBatchCount))
            .with("oldestWrittenAt", status.oldestWrittenAt?.description)
            .with("deadLetters", known(status.deadLetterCount))
            .with("clients", status.clientCount).with("listeners", status.listenerCount)
            .with("targets", known(status.targetCount))
            .with("cachedDocuments", known(status.cachedDocumentCount))
            .with("cacheBytes", known(status.cacheByteCount))
            .with("heldBatches", known(status.heldBatchCount))
            .with("keptPlaces", status.keptPlaceCount)
            .with("pins", status.pinCount).with("pinnedBytes", status.pinnedByteCount)
            .with("stoppedPins", status.stoppedPinCount)
            .with("historyEntries", known(status.historyEntryCount))
            .with("historyBytes", known(status.historyByteCount))
            .with("lastError", status.connectionError?.description)
            .with("lastErrorAt", status.connectionFailedAt?.description)
            .with(
                "nextAttemptSeconds",
                status.nextAttemptDelay.map { .double($0 / .seconds(1)) } ?? ValueLiteral.null)
    }

    /// A count of what the store holds; null if nobody knows.
    private func known(_ count: Int) -> ValueLiteral {
        status.hasUnknownCounts ? .null : .integer(Int64(count))
    }

    /// What stands for the counts if nobody knows them.
    private static let unknown = "unknown, because the store cannot be read"

    /// A table for people.
    var lines: [String] {
        stateLines(without: []) + [daemonLine, nameLine] + figures
    }

    /// A table of the database alone, for people.
    ///
    /// - Parameter reasons: Why the daemon is degraded, as far as that was told before.
    func databaseLines(without reasons: [String]) -> [String] {
        [nameLine] + stateLines(without: reasons) + figures
    }

    /// Which daemon, and since when.
    var daemonLine: String {
        "daemon    hearthd \(status.daemonVersion), up \(Quantity.duration(status.uptime + age))"
    }

    private var nameLine: String {
        let user = status.user.isEmpty ? "" : " as \(status.user)"
        return (status.instanceURL == nil ? "database  " : "instance  ") + status.name + user
    }

    private func stateLines(without reasons: [String]) -> [String] {
        let own = status.degradedReasons.filter { !reasons.contains($0) } + losses
        return ["state     \(state.rawValue)"] + (own + connection).map { "          \($0)" }
    }

    private var figures: [String] {
        [
            "upstream  \(status.upstream)",
            "queue     \(queue)",
            "letters   \(letters)",
            "clients   \(clients)",
            "targets   \(targets)",
            "cache     \(cache)",
        ] + bundles + kept + pins + history
    }

    /// The most important of it, on one line.
    ///
    /// - Parameter isNamed: Whether the line begins with the database's name.
    func line(isNamed: Bool) -> String {
        let sentences = status.degradedReasons + losses + connection
        let reasons = sentences.isEmpty ? "" : ": " + sentences.joined(separator: " ")
        let name = isNamed ? "\(status.name): " : ""
        return "\(name)\(state.rawValue)\(reasons); queue \(queue); \(clients)"
    }

    /// What was lost, and how an operator takes note.
    private var losses: [String] {
        status.losses.map { loss in
            "\(Quantity.duration(loss.noticedAt.age(at: now))) ago: \(loss.account.oneLine) To take note, "
                + "remove \(loss.path.oneLine)."
        }
    }

    private static func report(_ loss: DaemonStatus.StoreLoss) -> ValueLiteral {
        .map([
            .init(name: "noticedAt", value: .string(loss.noticedAt.description)),
            .init(name: "account", value: .string(loss.account)),
            .init(name: "path", value: .string(loss.path)),
        ])
    }

    private static func report(_ bundle: DaemonStatus.BundleLoading) -> ValueLiteral {
        .map([
            .init(name: "id", value: .string(bundle.id)),
            .init(name: "documents", value: .integer(Int64(bundle.documentCount))),
            .init(name: "totalDocuments", value: .integer(Int64(bundle.totalDocumentCount))),
        ])
    }

    /// What keeps the daemon from the backend, and when it tries again; empty if nothing does.
    private var connection: [String] {
        guard let error = status.connectionError else { return [] }
        let since =
            status.connectionFailedAt.map { Quantity.duration($0.age(at: now)) } ?? "a while"
        let next =
            status.nextAttemptDelay.map { delay in
                let seconds = Int((max(.zero, delay - age) / .seconds(1)).rounded(.up))
                return " The next attempt is in \(seconds) s."
            } ?? ""
        return ["\(since) ago the backend failed: \("\(error)".oneLine)\(next)"]
    }

    private var queue: String {
        if status.hasUnknownCounts { return Self.unknown }
        let count = Quantity.count(status.queueBatchCount, "batch", "batches")
        guard let oldest = status.oldestWrittenAt else { return count }
        let held = status.heldBatchCount == 0 ? "" : ", \(status.heldBatchCount) of them held"
        return "\(count), the oldest \(Quantity.duration(oldest.age(at: now))) old\(held)"
    }

    private var letters: String {
        if status.hasUnknownCounts { return Self.unknown }
        let count = Quantity.count(status.deadLetterCount, "dead letter", "dead letters")
        return status.deadLetterCount == 0 ? count : "\(count), rejected or cancelled"
    }

    private var clients: String {
        let count = Quantity.count(status.clientCount, "process", "processes")
        return "\(count), \(Quantity.count(status.listenerCount, "listener", "listeners"))"
    }

    private var targets: String {
        if status.hasUnknownCounts { return Self.unknown }
        let count =
            status.instanceURL == nil
            ? Quantity.count(status.targetCount, "query or document", "queries or documents")
            : Quantity.count(status.targetCount, "query or place", "queries or places")
        return "\(count), watched for listeners or kept to be resumed"
    }

    private var bundles: [String] {
        var lines = status.bundles.map { bundle in
            let part = Quantity.number(bundle.documentCount)
            let whole = Quantity.count(bundle.totalDocumentCount, "document", "documents")
            return "bundle    \(bundle.id.oneLine): \(part) of \(whole)"
        }
        if status.untoldBundleCount > 0 {
            let rest = Quantity.count(status.untoldBundleCount, "more bundle", "more bundles")
            lines.append("          and \(rest)")
        }
        return lines
    }

    private var kept: [String] {
        guard status.keptPlaceCount > 0 else { return [] }
        return ["kept      \(Quantity.count(status.keptPlaceCount, "place", "places")) for good"]
    }

    private var pins: [String] {
        guard status.pinCount > 0 else { return [] }
        let stopped =
            status.stoppedPinCount == 0 ? "" : ", \(status.stoppedPinCount) of them stopped"
        return [
            "pins      \(Quantity.count(status.pinCount, "query or document", "queries or documents")), "
                + "\(Quantity.bytes(status.pinnedByteCount))\(stopped)"
        ]
    }

    private var history: [String] {
        guard status.historyEntryCount > 0 else { return [] }
        let count = Quantity.count(status.historyEntryCount, "step", "steps")
        return ["history   \(count), \(Quantity.bytes(status.historyByteCount))"]
    }

    private var cache: String {
        if status.hasUnknownCounts { return Self.unknown }
        guard status.instanceURL == nil else { return Quantity.bytes(status.cacheByteCount) }
        let documents = Quantity.count(status.cachedDocumentCount, "document", "documents")
        return "\(documents), \(Quantity.bytes(status.cacheByteCount))"
    }
}

extension DaemonStatus {
    /// The database by its name: an instance of the Realtime Database by its address.
    var name: String { instanceURL ?? "\(projectID)/\(databaseID)" }
}

extension Timestamp {
    /// The whole seconds from this moment to `now`.
    func age(at now: Timestamp) -> Duration {
        // A time from a restored file may be any.
        let (whole, isBeyond) = now.seconds.subtractingReportingOverflow(seconds)
        return .seconds(isBeyond ? (now.seconds < seconds ? .min : .max) : whole)
    }
}
