import Hearth

/// The two lists of batches that a daemon has.
enum BatchList {
    /// What waits for the backend.
    case queue
    /// What was rejected or cancelled.
    case letters

    /// How many are asked for at once.
    private static let pageCount = 1_000

    /// The batches that are meant, oldest first.
    ///
    /// - Parameter limit: How many at most.
    /// - Complexity: O(batches in the range); each page is one request.
    func batches(
        _ selection: BatchSelection, limit: Int = .max, of database: any OperatedDatabase
    ) async throws -> [BatchText] {
        let now = Timestamp()
        var found: [BatchText] = []
        var after = selection.start
        while found.count < limit {
            let wanted = selection.conditions.isEmpty ? limit - found.count : Self.pageCount
            let (page, hasMore) = try await page(
                after: after, min(wanted, Self.pageCount), database, now)
            found += page.filter(selection.contains)
            guard hasMore, let last = page.last?.batch.id, last < selection.end else { break }
            after = last
        }
        return Array(found.prefix(limit))
    }

    /// A hint that a database has batches in this list, with the command that shows the batches, or
    /// a hint that the daemon cannot tell whether there are any; `nil` for a database without
    /// batches.
    ///
    /// A list shows one database. A person who sees an empty list may have meant a different
    /// database.
    func hint(of status: DaemonStatus) -> String? {
        let (count, command) =
            switch self {
            case .queue: (status.queueBatchCount, "queue")
            case .letters: (status.deadLetterCount, "dead-letters")
            }
        if status.hasUnknownCounts {
            return "\(status.name) may have batches: its store cannot be read."
        }
        guard count > 0 else { return nil }
        let name = status.instanceURL == nil ? "--database" : "--instance"
        let batches = Quantity.count(count, "batch", "batches")
        return "\(status.name) has \(batches): hearth \(command) \(name) '\(status.name)'"
    }

    private func page(
        after: Int64?, _ limit: Int, _ database: any OperatedDatabase, _ now: Timestamp
    ) async throws -> ([BatchText], hasMore: Bool) {
        switch self {
        case .queue:
            let page = try await database.pendingBatches(after: after, limit: limit)
            return (page.batches.map { BatchText($0, now: now) }, page.hasMore)
        case .letters:
            let page = try await database.deadLetters(after: after, limit: limit)
            return (page.letters.map { BatchText($0, now: now) }, page.hasMore)
        }
    }
}
