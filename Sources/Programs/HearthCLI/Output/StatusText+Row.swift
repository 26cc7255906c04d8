import Hearth

/// A database as a line of `hearth status --format table`.
extension StatusText: ListRow {
    static var columns: [Column<StatusText>] {
        [
            Column("STATE", tone: { $0.state.tone }) { $0.state.rawValue },
            Column(number: "QUEUE") { $0.known($0.status.queueBatchCount, Quantity.number) },
            Column(number: "HELD") { $0.known($0.status.heldBatchCount, Quantity.number) },
            Column(number: "OLDEST") { text in
                text.status.oldestWrittenAt.map { Quantity.duration($0.age(at: text.now)) }
            },
            Column(number: "LETTERS") { $0.known($0.status.deadLetterCount, Quantity.number) },
            Column(number: "CLIENTS") { Quantity.number($0.status.clientCount) },
            Column(number: "LISTENERS") { Quantity.number($0.status.listenerCount) },
            Column(number: "CACHE") { $0.known($0.status.cacheByteCount, Quantity.bytes) },
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

extension StatusText {
    /// A count of what the store holds, for a column; `nil` if nobody knows.
    fileprivate func known(_ count: Int, _ text: (Int) -> String) -> String? {
        status.hasUnknownCounts ? nil : text(count)
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
