package import HearthEngine
import HearthFirestore
package import HearthModel
import HearthSQLite

/// Where the history begins and ends, so that nobody counts rows.
struct HistoryEnds: Hashable {
    /// The number of the oldest row, and of the next row; equal if there is none.
    var (first, next): (Int64, Int64) = (1, 1)
    /// The bytes of all rows that ever were, with the index's, in front of the oldest row and in front
    /// of the next.
    var (bytesBeforeFirst, bytesBeforeNext): (Int64, Int64) = (0, 0)

    /// Whether a history can have the numbers, and go on: a file may hold any.
    var isSound: Bool {
        first >= 1 && first <= next && next < 1 << 60 && bytesBeforeFirst >= 0
            && bytesBeforeNext >= bytesBeforeFirst && bytesBeforeNext < 1 << 60
    }
}

/// The table `history`: what became of documents, in the order of the steps.
///
/// The intake log tells each row whole, beside the change that the row is about: a change that lasts has
/// its row, and a crash loses both or none.
extension SQLiteTransaction {
    package func appendHistory(_ entry: HistoryEntry) throws(StoreError) {
        let bytes = try HistoryBytes.bytes(of: entry, codec)
        try appendHistory(of: entry.key, notedAt: entry.notedAt, bytes)
    }

    /// Appends a row by the bytes of its entry.
    func appendHistory(of key: DocumentKey, notedAt: Timestamp, _ bytes: [UInt8])
        throws(StoreError)
    {
        let path = PathKey.bytes(of: key.path)
        var ends = try historyEnds()
        try loggedLater { () throws(StoreError) in
            try connection.statement("INSERT INTO history VALUES (?, ?, ?, ?, ?)")
                .bind(ends.next, path, TimeBytes.bytes(of: notedAt), ends.bytesBeforeNext, bytes)
                .run()
        } as: {
            $0.history(of: key, notedAt: notedAt, bytes)
        }
        ends.next += 1
        // The index has the path once more.
        ends.bytesBeforeNext += Int64(
            2 * path.count + bytes.count + HistoryLimits.entryByteCount)
        memory.history = ends
    }

    package func hasHistory(of key: DocumentKey) throws(StoreError) -> Bool {
        try connection.statement("SELECT EXISTS (SELECT 1 FROM history WHERE path = ?)")
            .bind(PathKey.bytes(of: key.path)).first { $0.bool(0) } ?? false
    }

    package func firstHistory(of key: DocumentKey) throws(StoreError) -> HistoryEntry? {
        try historyEntry(
            of: key, "SELECT id, noted_at, entry FROM history WHERE path = ? ORDER BY id LIMIT 1")
    }

    package func lastHistory(of key: DocumentKey) throws(StoreError) -> HistoryEntry? {
        try historyEntry(
            of: key,
            "SELECT id, noted_at, entry FROM history WHERE path = ? ORDER BY id DESC LIMIT 1")
    }

    private func historyEntry(of key: DocumentKey, _ sql: StaticString) throws(StoreError)
        -> HistoryEntry?
    {
        try connection.statement(sql).bind(PathKey.bytes(of: key.path)).first {
            row throws(StoreError) in try historyEntry(of: key, from: row)
        }
    }

    /// Reads the columns id, noted_at and entry.
    private func historyEntry(of key: DocumentKey, from row: borrowing Row) throws(StoreError)
        -> HistoryEntry
    {
        var entry = try HistoryBytes.entry(
            of: key, notedAt: try row.time(1), from: row.bytes(2), codec)
        entry.number = row.int(0)
        return entry
    }

    package func historyPage(_ question: HistoryQuestion) throws(StoreError) -> HistoryPage {
        let statement = try connection.statement(
            """
            SELECT id, noted_at, entry, length(entry) FROM history INDEXED BY history_by_document
            WHERE path = ? AND id < ? AND noted_at >= ? AND noted_at <= ? ORDER BY id DESC
            """)
        statement.bind(
            PathKey.bytes(of: question.key.path), question.before ?? .max,
            question.since.map { TimeBytes.bytes(of: $0) } ?? [],
            question.at.map { TimeBytes.bytes(of: $0) } ?? TimeBytes.largest)
        let countMax = question.pageCountMax
        var page = HistoryPage(entries: [], hasMore: false)
        var byteCount = 0
        try statement.whileNext { row throws(StoreError) in
            byteCount += Int(row.int(3))
            let isFull = byteCount > HistoryLimits.pageByteCountMax && !page.entries.isEmpty
            page.hasMore = page.entries.count == countMax || isFull
            if !page.hasMore {
                page.entries.append(try historyEntry(of: question.key, from: row))
            }
            return !page.hasMore
        }
        return page
    }

    /// The steps of all documents behind a number, the oldest first; none at the end.
    ///
    /// - Returns: At most `HistoryLimits.pageByteCountMax` bytes of steps, and at least one step.
    /// - Complexity: O(log n + page).
    func historyEntries(after number: Int64) throws(StoreError) -> [HistoryEntry] {
        let statement = try connection.statement(
            """
            SELECT id, noted_at, entry, length(entry), path FROM history WHERE id > ? ORDER BY id
            """)
        statement.bind(number)
        var entries: [HistoryEntry] = []
        var byteCount = 0
        try statement.whileNext { row throws(StoreError) in
            byteCount += Int(row.int(3))
            let isFull = byteCount > HistoryLimits.pageByteCountMax && !entries.isEmpty
            if isFull || entries.count == HistoryLimits.pageCountMax { return false }
            let path = try row.withBytes(4) { bytes throws(StoreError) in
                try PathKey.path(from: bytes)
            }
            guard let key = DocumentKey(path) else { throw .damaged("the history of \(path)") }
            entries.append(try historyEntry(of: key, from: row))
            return true
        }
        return entries
    }

    package func historyFigures() throws(StoreError) -> HistoryFigures {
        let ends = try historyEnds()
        var figures = HistoryFigures()
        figures.count = Int(clamping: ends.next - ends.first)
        figures.byteCount = Int(clamping: ends.bytesBeforeNext - ends.bytesBeforeFirst)
        figures.oldestAt = try connection.statement(
            "SELECT noted_at FROM history ORDER BY id LIMIT 1"
        ).first { row throws(StoreError) in try row.time(0) }
        return figures
    }

    package func removeHistory(_ bounds: HistoryBounds) throws(StoreError) -> Bool {
        let ends = try historyEnds()
        let tooOld = bounds.notedBefore.map { TimeBytes.bytes(of: $0) } ?? []
        let tooNew = bounds.notedAfter.map { TimeBytes.bytes(of: $0) } ?? TimeBytes.largest
        let keptFrom = ends.bytesBeforeNext - Int64(bounds.byteCountMax)
        let isByTime = bounds.notedBefore != nil || bounds.notedAfter != nil
        guard isByTime || ends.bytesBeforeFirst < keptFrom else { return false }
        let sliceEnd = ends.bytesBeforeFirst + Int64(HistoryLimits.sliceByteCountMax)
        let statement = try connection.statement(
            """
            SELECT id, noted_at < ? OR bytes_before < ?, noted_at > ?, bytes_before FROM history
            ORDER BY id LIMIT ?
            """)
        statement.bind(tooOld, keptFrom, tooNew, bounds.countMax)
        var (seen, last) = (ends.first - 1, ends.first - 1)
        try statement.whileNext { row throws(StoreError) in
            // Sizes rise with numbers: behind the slice's end a WHERE would read on to the table's.
            guard row.int(3) < sliceEnd else { return false }
            // Of a wrong future nothing follows for the rows in front.
            let (isBeyond, isTooNew, isFront) = (row.bool(1), row.bool(2), last == seen)
            seen = row.int(0)
            if isBeyond || isTooNew && isFront { last = seen }
            return true
        }
        let lastToGo = ends.next - 2  // The newest row stays: the next number is behind it.
        last = min(last, lastToGo)
        guard last >= ends.first else { return false }
        try removeHistory(through: last)
        return last == seen && last < lastToGo
    }

    /// Forgets the rows up to a number.
    func removeHistory(through number: Int64) throws(StoreError) {
        try loggedLater { () throws(StoreError) in
            try connection.statement("DELETE FROM history WHERE id <= ?").bind(number).run()
        } as: {
            $0.historyRemoved(through: number)
        }
        memory.history = nil
    }

    private func historyEnds() throws(StoreError) -> HistoryEnds {
        if let ends = memory.history { return ends }
        let rows = try connection.statement(
            """
            SELECT id, bytes_before, 2 * length(path) + length(entry) FROM (
                SELECT * FROM (SELECT * FROM history ORDER BY id LIMIT 1)
                UNION ALL SELECT * FROM (SELECT * FROM history ORDER BY id DESC LIMIT 1))
            ORDER BY id
            """
        ).map { ($0.int(0), $0.int(1), $0.int(2)) }
        var ends = HistoryEnds()
        if let first = rows.first, let last = rows.last {
            (ends.first, ends.bytesBeforeFirst) = (first.0, first.1)
            let next = last.0.addingReportingOverflow(1)
            let bytesBeforeNext = last.1.addingReportingOverflow(
                last.2 + Int64(HistoryLimits.entryByteCount))
            (ends.next, ends.bytesBeforeNext) = (next.partialValue, bytesBeforeNext.partialValue)
            guard !next.overflow, !bytesBeforeNext.overflow, ends.isSound else {
                throw .damaged("the history's numbers")
            }
        }
        memory.history = ends
        return ends
    }
}
