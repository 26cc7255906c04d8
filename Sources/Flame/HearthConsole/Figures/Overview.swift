import Hearth
import HearthModel

/// How the daemon and its databases are. Two are equal if nothing but the time has changed.
struct Overview: Sendable {
    private let statuses: [DaemonStatus]
    private let identity: DaemonIdentity?
    private let causes: [String: [String: Int]]
    private let failure: HearthError?

    /// The overview of a daemon that answers.
    ///
    /// - Parameter causes: How many dead letters each database has of each cause, by the databases' names;
    ///   a database is missing if its dead letters may not be seen, or nobody knows them.
    init(statuses: [DaemonStatus], identity: DaemonIdentity?, causes: [String: [String: Int]]) {
        self.statuses = statuses
        self.identity = identity
        self.causes = causes
        failure = nil
    }

    /// The overview of a daemon that does not answer.
    init(failure: HearthError) {
        self.failure = failure
        statuses = []
        identity = nil
        causes = [:]
    }

    /// The database's name on pages.
    static func name(of status: DaemonStatus) -> String {
        DatabaseLabel.text(status.projectID, status.databaseID, status.instanceURL) ?? ""
    }

    /// The overview as JSON.
    ///
    /// - Parameter age: How long ago the daemon told it.
    func json(at now: Hearth.Timestamp, told age: Duration) -> JSONValue {
        .members([
            "at": .string(now.description),
            "daemon": .members([
                "isReachable": .boolean(failure == nil),
                "version": .text(statuses.first?.daemonVersion),
                "uptimeSeconds": .seconds(statuses.first.map { $0.uptime + age }),
                "error": failure.map { .fault($0) } ?? .null,
            ]),
            "databases": .array(statuses.map { json(of: $0, at: now, told: age) }),
            "identity": identity.map(Self.json(of:)) ?? .null,
        ])
    }

    private static func json(of identity: DaemonIdentity) -> JSONValue {
        .members([
            "user": .text(identity.userID), "source": .string(identity.source),
            "isChangeable": .boolean(identity.isChangeable), "problem": .text(identity.problem),
        ])
    }

    private func json(
        of status: DaemonStatus, at now: Hearth.Timestamp, told age: Duration
    ) -> JSONValue {
        let error = status.connectionError.map { DaemonSource.told($0.code, $0.message) }
        let isInstance = status.instanceURL != nil
        let known = { (count: Int) -> JSONValue in status.hasUnknownCounts ? .null : .count(count) }
        return .members([
            "db": .string(Self.name(of: status)),
            "service": .string(isInstance ? "realtime" : "firestore"),
            "project": .text(isInstance ? nil : status.projectID),
            "database": .text(isInstance ? nil : status.databaseID),
            "instance": .text(status.instanceURL), "state": .string(Self.state(of: status)),
            "onlineState": .string(status.onlineState.rawValue),
            "isNetworkEnabled": .boolean(status.isNetworkEnabled),
            "degradedReasons": .texts(status.degradedReasons),
            "losses": .texts(status.losses.map(\.account)), "user": .string(status.user),
            "upstream": .string(status.upstream), "queueBatches": known(status.queueBatchCount),
            "heldBatches": known(status.heldBatchCount),
            "oldestWrittenAt": .text(status.oldestWrittenAt?.description),
            "oldestAgeSeconds": .seconds(status.oldestWrittenAt?.age(at: now)),
            "deadLetters": known(status.deadLetterCount),
            "deadLetterCauses": json(of: causes[Self.name(of: status)]),
            "clients": .count(status.clientCount), "listeners": .count(status.listenerCount),
            "targets": known(status.targetCount),
            "cachedDocuments": known(status.cachedDocumentCount),
            "cacheBytes": known(status.cacheByteCount),
            "keptPlaces": .count(status.keptPlaceCount),
            "lastError": error.map { .fault($0) } ?? .null,
            "lastErrorAt": .text(status.connectionFailedAt?.description),
            "nextAttemptSeconds": .seconds(status.nextAttemptDelay.map { max(.zero, $0 - age) }),
        ])
    }

    private func json(of counts: [String: Int]?) -> JSONValue {
        guard let counts else { return .null }
        return .array(
            counts.sorted {
                $0.value != $1.value ? $0.value > $1.value : utf8Precedes($0.key, $1.key)
            }
            .map { .members(["cause": .string($0.key), "count": .count($0.value)]) })
    }

    /// The state in a word, as `hearth status` says it.
    private static func state(of status: DaemonStatus) -> String {
        if !status.degradedReasons.isEmpty { return "degraded" }
        if !status.isNetworkEnabled { return "network off" }
        switch status.onlineState {
        case .online: return "live"
        case .offline: return "offline"
        case .unknown:
            return status.isIdle ? "idle" : "connecting"
        }
    }
}

extension Overview: Equatable {
    /// Whether nothing but the time has changed.
    static func == (lhs: Overview, rhs: Overview) -> Bool {
        lhs.stable == rhs.stable && lhs.identity == rhs.identity && lhs.causes == rhs.causes
            && lhs.failure == rhs.failure
    }

    /// All but what time alone moves: the daemon's age, and the seconds to the next attempt.
    private var stable: [JSONValue] {
        let start = Hearth.Timestamp(seconds: 0, nanoseconds: 0)
        return statuses.map { status in
            let members = json(of: status, at: start, told: .zero).members ?? []
            return .object(members.filter { $0.name != "nextAttemptSeconds" })
        }
    }
}
