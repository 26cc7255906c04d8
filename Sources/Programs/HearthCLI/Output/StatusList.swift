import Hearth

/// How the daemon is with all its open databases, as `status` and `watch` print it.
struct StatusList {
    /// Each database, in the daemon's order; empty while the daemon opens the first.
    let texts: [StatusText]

    /// Takes what the daemon said of its databases.
    ///
    /// - Parameter age: How long ago the daemon said it.
    init(_ statuses: [DaemonStatus], now: Timestamp, age: Duration = .zero) {
        texts = statuses.map { StatusText(status: $0, now: now, age: age) }
    }

    /// One word for the whole: the state of the worst database.
    var state: StatusText.State {
        let states = Set(texts.map(\.state))
        return StatusText.State.worstFirst.first(where: states.contains) ?? .idle
    }

    /// What the word means for monitoring.
    var exitStatus: CommandStatus { state.exitStatus }

    /// For people: one database's table, or the daemon and then a table of each database.
    var lines: [String] {
        guard texts.count > 1, let first = texts.first else { return texts.flatMap(\.lines) }
        let common = first.status.degradedReasons.filter { reason in
            texts.allSatisfy { $0.status.degradedReasons.contains(reason) }
        }
        let head = ["state     \(state.rawValue)"] + common.map { "          \($0)" }
        return head + [first.daemonLine]
            + texts.flatMap { [""] + $0.databaseLines(without: common) }
    }
}

extension StatusText.State {
    /// All states, the most pressing first.
    fileprivate static let worstFirst: [StatusText.State] = [
        .degraded, .offline, .networkOff, .connecting, .live, .idle,
    ]
}
