import Hearth

/// What the doctor found out, before it is judged. Judging is `findings`, and touches nothing.
struct Examination {
    /// What came of connecting to the daemon's socket.
    enum Socket: Hashable {
        case answers
        /// There is no such file.
        case missing
        /// The file is there, and nobody listens.
        case refused
        /// The user may not.
        case denied
    }

    /// Whether a user is in the group that may use the socket.
    enum Membership: Hashable {
        /// There is no such group on the machine.
        case noGroup
        case member
        /// The group lists the user, but this login is older than that.
        case memberAfterLogin
        case stranger
    }

    /// What came of connecting to the backend from here.
    enum Reach: Hashable {
        case reached
        /// The host's name has no address.
        case unknownHost
        /// No connection, by the system's words.
        case failed(String)
    }

    /// The socket that commands use.
    var socketPath: String
    /// What came of connecting to it.
    var socket = Socket.answers
    /// The user's name.
    var user = "root"
    /// Whether the user is root.
    var isRoot = false
    /// Whether the user is in the group.
    var membership = Membership.noGroup
    /// What the daemon said of itself with each open database; empty if it could not be asked.
    var statuses: [DaemonStatus] = []
    /// Why it could not be asked, though somebody listens at the socket.
    var statusProblem: String?
    /// Whether it gave no answer in time, though somebody listens at the socket.
    var isSilent = false
    /// Whether backends can be reached from here, by their addresses, as far as that was tried.
    var reach: [String: Reach] = [:]
    /// Whether the machine's clock is kept right by somebody; `nil` if the system does not say.
    var isClockSynchronized: Bool?
    /// Where the databases are.
    var storeFolder = "/var/lib/hearth"
    /// Bytes free there, and in all; `nil` if there is no such folder.
    var disk: (freeByteCount: Int, byteCount: Int)?

    /// The group of the machine's socket.
    static let group = "hearth-client"
    /// Bytes below which a disk is as good as full.
    static let freeByteCountMin = 64_000_000

    /// What it means, in the order of cause and effect.
    var findings: [Finding] {
        var findings = [socketFinding]
        if socket == .denied { findings.append(membershipFinding) }
        if let status = statuses.first {
            findings.append(
                .fine(
                    "daemon",
                    "hearthd \(status.daemonVersion), up \(Quantity.duration(status.uptime))."))
            findings += degradedReasons.map(Self.finding(ofReason:))
            for status in statuses { findings += lossFindings(status) }
            for status in statuses { findings += [backendFinding(status)] + queueFindings(status) }
        } else if isSilent {
            findings.append(silenceFinding)
        } else if let statusProblem {
            findings.append(
                .problem("daemon", statusProblem, cure: "journalctl -u hearthd -p warning"))
        }
        if let disk { findings.append(Self.finding(ofDisk: disk, storeFolder)) }
        if let isClockSynchronized {
            findings.append(Self.finding(ofClock: isClockSynchronized))
        }
        return findings
    }

    /// What is wrong with the daemon or a database, each once.
    private var degradedReasons: [String] {
        statuses.flatMap(\.degradedReasons).reduce(into: []) { reasons, reason in
            if !reasons.contains(reason) { reasons.append(reason) }
        }
    }

    /// What names a database in a command, where that is needed.
    private func flag(for status: DaemonStatus) -> String {
        if let url = status.instanceURL { return " --instance '\(url)'" }
        return statuses.count > 1 ? " --database '\(status.name)'" : ""
    }

    private var silenceFinding: Finding {
        .problem(
            "daemon", "It gives no answer, and may stand still.",
            cure: isSystemSocket
                ? "systemctl status hearthd says more; systemctl restart hearthd starts it anew."
                : "End hearthd and start it again; what it accepted is on disk.")
    }

    private var isSystemSocket: Bool { socketPath.hasPrefix("/run/hearth/") }

    private var socketFinding: Finding {
        switch socket {
        case .answers: return .fine("socket", "\(user) may use \(socketPath).")
        case .denied:
            return .problem(
                "socket", "\(user) may not use \(socketPath).",
                cure: "Join the group \(Self.group), or use a daemon of your own.")
        case .missing:
            return .problem(
                "socket", "There is no \(socketPath).",
                cure: isSystemSocket
                    ? "systemctl enable --now hearthd.socket hearthd-control.socket"
                    : "Start hearthd, or name its socket by --socket or $HEARTH_SOCKET.")
        case .refused:
            return .problem(
                "socket", "Nobody listens at \(socketPath).",
                cure: isSystemSocket
                    ? "systemctl restart hearthd.socket hearthd-control.socket hearthd.service"
                    : "Start hearthd again; it takes the old file away.")
        }
    }

    private var membershipFinding: Finding {
        let join = "usermod --append --groups \(Self.group) \(user)"
        switch membership {
        case .noGroup:
            return .problem(
                "group", "There is no group \(Self.group) on this machine.",
                cure: "Install the package anew: systemd-sysusers makes the group.")
        case .memberAfterLogin:
            return .problem(
                "group", "\(user) is a member of \(Self.group), but this login is older than that.",
                cure: "Log in again, or: newgrp \(Self.group)")
        case .stranger:
            return .problem(
                "group", "\(user) is no member of \(Self.group).",
                cure: "As root: \(join), then log in again.")
        case .member:
            return .problem(
                "group", "\(user) is a member of \(Self.group), but the socket is not the group's.",
                cure: "systemctl restart hearthd.socket")
        }
    }

    /// The daemon's own words already say what would help.
    private static func finding(ofReason reason: String) -> Finding {
        .problem("degraded", reason, cure: "journalctl -xu hearthd -p warning")
    }

    private func backendFinding(_ status: DaemonStatus) -> Finding {
        let address = prefix(for: status) + status.upstream
        guard status.isNetworkEnabled else {
            return .warning(
                "backend", "\(address) is kept from the daemon by an administrator.",
                cure: "hearth network on\(flag(for: status))")
        }
        switch (status.onlineState, reach[status.upstream]) {
        case (.online, _): return .fine("backend", "\(address) answers.")
        case (_, .unknownHost?):
            return .problem(
                "backend", "\(address) has a name without an address here.",
                cure: "See to the name service: resolvectl status, or /etc/resolv.conf")
        case (_, .failed(let words)?):
            return .problem(
                "backend", "\(address) cannot be connected to: \(words).",
                cure: "See to the network, a firewall, or "
                    + (status.instanceURL == nil ? "upstream.address" : "realtime.instance")
                    + " in hearthd.toml.")
        case (_, .reached?) where status.onlineState == .offline:
            let reason = status.connectionError.map { ": \($0)" } ?? "."
            return .problem(
                "backend",
                "\(address) can be connected to, but does not serve the daemon\(reason)".oneLine,
                cure:
                    "journalctl -u hearthd -p warning tells why: a key, a certificate, the project."
            )
        case (.unknown, _), (.offline, _): return lastAttempt(status, at: address)
        }
    }

    /// What the daemon itself says of a backend that does not answer, or was not asked.
    private func lastAttempt(_ status: DaemonStatus, at address: String) -> Finding {
        if let error = status.connectionError {
            return .problem(
                "backend", "\(address) does not answer the daemon: \(error)".oneLine,
                cure: "hearth status tells when it is tried again; \"hearth queue retry"
                    + "\(flag(for: status))\" tries it now.")
        }
        return status.onlineState == .offline
            ? .problem(
                "backend", "\(address) does not answer the daemon.",
                cure: "journalctl -u hearthd -p warning")
            : .fine("backend", "\(address) is not needed now, so the daemon has no connection.")
    }

    /// What names a database before its findings, where there are several.
    private func prefix(for status: DaemonStatus) -> String {
        statuses.count > 1 ? "\(status.name): " : ""
    }

    private func lossFindings(_ status: DaemonStatus) -> [Finding] {
        status.losses.map { loss in
            .problem(
                "loss", "\(prefix(for: status))\(loss.account)".oneLine,
                cure: "See what the programs miss; then remove \(loss.path) to take note.".oneLine)
        }
    }

    private func queueFindings(_ status: DaemonStatus) -> [Finding] {
        let name = prefix(for: status)
        if status.hasUnknownCounts {
            return [
                .problem(
                    "queue",
                    "\(name)Nobody knows how many batches wait, because the store cannot be read.",
                    cure:
                        "Mend what \"degraded\" tells of the store, and remove none of its files: "
                        + "what waits is in them.")
            ]
        }
        var findings: [Finding] = []
        if status.deadLetterCount > 0 {
            let count = Quantity.count(
                status.deadLetterCount, "dead letter waits", "dead letters wait")
            findings.append(
                .warning(
                    "queue",
                    "\(name)\(count) for a decision: batches that the backend rejected for good, or "
                        + "an administrator cancelled.",
                    cure: "hearth dead-letters --by-cause\(flag(for: status))"))
        }
        let batches = Quantity.count(status.queueBatchCount, "batch waits", "batches wait")
        if status.heldBatchCount > 0 {
            findings.append(
                .warning(
                    "queue",
                    "\(name)\(batches), \(Quantity.number(status.heldBatchCount)) of them held: held "
                        + "batches, and their user's batches behind them, go only once they are "
                        + "released.",
                    cure: "hearth queue release --all\(flag(for: status))"))
        }
        return findings.isEmpty ? [.fine("queue", "\(name)\(batches).")] : findings
    }

    private static func finding(
        ofDisk disk: (freeByteCount: Int, byteCount: Int), _ folder: String
    ) -> Finding {
        let state = "\(Quantity.bytes(disk.freeByteCount)) are free in \(folder)."
        guard disk.freeByteCount < freeByteCountMin else { return .fine("disk", state) }
        return .problem(
            "disk", state,
            cure: "Make room; a lower cache.byteCountMax makes the daemon keep less.")
    }

    private static func finding(ofClock isSynchronized: Bool) -> Finding {
        guard !isSynchronized else { return .fine("clock", "It is kept right.") }
        return .warning(
            "clock", "Nobody keeps the machine's clock right; tokens need it to be.",
            cure: "timedatectl set-ntp true")
    }
}
