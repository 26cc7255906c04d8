import Hearth

/// A database as a line of `hearth status --format table`.
extension StatusText: ListRow {
    static var columns: [Column<StatusText>] {
        [
            Column("STATE", tone: { $0.state.tone }) { $0.state.rawValue },
            Column(number: "QUEUE") { Quantity.number($0.status.queueBatchCount) },
            Column(number: "HELD") { Quantity.number($0.status.heldBatchCount) },
            Column(number: "OLDEST") { text in
                text.status.oldestWrittenAt.map { Quantity.duration($0.age(at: text.now)) }
            },
            Column(number: "LETTERS") { Quantity.number($0.status.deadLetterCount) },
            Column(number: "CLIENTS") { Quantity.number($0.status.clientCount) },
            Column(number: "LISTENERS") { Quantity.number($0.status.listenerCount) },
            Column(number: "CACHE") { Quantity.bytes($0.status.cacheByteCount) },
            Column("USER") { $0.status.user.isEmpty ? nil : $0.status.user },
            Column("DATABASE") { $0.status.name },
            Column("REASON", tone: { _ in .bad }) { text in
                let error = text.status.connectionError.map { ["\($0)".oneLine] } ?? []
                let losses = text.status.losses.map(\.account)
                let reasons = text.status.degradedReasons + losses + error
                return reasons.isEmpty ? nil : reasons.joined(separator: " ")
            },
        ]
    }
}

extension StatusText.State {
    /// What the state means for whoever looks after the daemon.
    fileprivate var tone: Column<StatusText>.Tone {
        switch self {
        case .live: .good
        case .idle: .plain
        case .connecting, .offline, .networkOff: .warning
        case .degraded: .bad
        }
    }
}
