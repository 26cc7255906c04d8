import Hearth

/// A batch as a line of `hearth queue` or `hearth dead-letters`.
extension BatchText: ListRow {
    static var columns: [Column<BatchText>] {
        [
            Column(number: "BATCH") { "\($0.batch.id)" },
            Column("STATE", tone: { $0.tone }) { $0.fate },
            Column(number: "BEHIND") { $0.batch.heldBy.map { "\($0)" } },
            Column("USER") { $0.batch.user.isEmpty ? nil : $0.batch.user },
            Column(number: "AGE") { Quantity.duration($0.batch.writtenAt.age(at: $0.now)) },
            Column(number: "SIZE") { Quantity.bytes($0.batch.byteCount) },
            Column("WRITER") { $0.batch.writer.line },
            Column("TERMS") { $0.terms },
            Column("DOCUMENTS") { $0.documents },
            Column("ERROR", tone: { _ in .bad }) { $0.letter.map { "\($0.error)".oneLine } },
        ]
    }

    /// On what terms the batch is sent: when it is given up, and what must hold; `nil` for none.
    var terms: String? {
        var words: [String] = []
        if let end = batch.expiresAt {
            let rest = now.age(at: end)
            words.append(
                rest > .zero ? "expires in \(Quantity.duration(rest))" : "has expired")
        }
        if batch.isOnlineOnly { words.append("only online") }
        if let first = batch.preconditions.first {
            let rest = batch.preconditions.count - 1
            let name = batch.documentPaths.count == 1 ? "" : first.documentPath + " "
            words.append("if \(name)\(first.words)" + (rest > 0 ? " and \(rest) more" : ""))
        }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    private var tone: Column<BatchText>.Tone {
        if letter != nil { return .bad }
        switch batch.state {
        case .queued: return batch.heldBy == nil ? .plain : .warning
        case .held: return .warning
        case .sentUnanswered: return .plain
        }
    }
}

extension PendingBatch.Precondition {
    /// What must hold of the document, in a few words.
    fileprivate var words: String {
        switch demand {
        case .exists(true): "exists"
        case .exists(false): "is missing"
        case .lastUpdateTime(let time): "is unchanged since \(time)"
        }
    }
}
