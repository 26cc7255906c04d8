import HearthEngine
import HearthModel
import HearthRealtime
import HearthSQLite
import HearthStore
import HearthWire

/// Reads the open store of an instance of the Realtime Database for operators.
final class RealtimeReading: StoreReading {
    /// The readers of the store.
    let readers = OpenReaders<RealtimeContent>()

    func figures() throws(StoreError) -> StoreFigures {
        guard let pool = readers.current else { return StoreFigures() }
        let counts = try pool.read { reader throws(StoreError) in try reader.counts() }.value
        var figures = StoreFigures()
        figures.queueBatchCount = counts.writeCount
        figures.heldBatchCount = counts.heldWriteCount
        figures.oldestWrittenAt = counts.oldestWrittenAt
        figures.deadLetterCount = counts.deadLetterCount
        figures.targetCount = counts.queryCount
        figures.byteCount = counts.byteCount
        return figures
    }

    func report(on inquiry: Inquiry) throws(StoreError) -> Report? {
        switch inquiry {
        case .queue(let page): .queue(try queue(page))
        case .deadLetters(let page): .deadLetters(try deadLetters(page))
        case .children(let page): try list(page).map { .children($0) }
        case .collections, .document, .history, .status, .inspection, .ledger: nil
        }
    }

    private func queue(_ page: Inquiry.BatchPage) throws(StoreError) -> QueuePage {
        try readers.read { reader throws(StoreError) in
            let held = try reader.firstHeldWrites()
            let countMax = page.countBound
            let entries = try reader.queuedWrites(after: page.after, count: countMax + 1)
            let part = PageBudget.part(of: entries, countMax: countMax, byteCount: \.byteCount)
            var batches: [QueuePage.Batch] = []
            for entry in part {
                guard let write = try reader.queuedWrite(entry.id) else { continue }
                var batch = QueuePage.Batch(
                    write, byteCount: entry.byteCount, withWrites: page.withWrites)
                batch.heldBy = held[entry.user].flatMap { $0 < entry.id ? $0 : nil }
                batches.append(batch)
            }
            return QueuePage(batches: batches, hasMore: part.count < entries.count)
        }
    }

    private func deadLetters(_ page: Inquiry.BatchPage) throws(StoreError) -> DeadLetterPage {
        try readers.read { reader throws(StoreError) in
            var letters = try DeadLetterPage(page) { last throws(StoreError) in
                guard let letter = try reader.deadLetters(after: last, count: 1).first else {
                    return nil
                }
                let byteCount = try reader.deadLetterByteCount(letter.write.id)
                return DeadLetterPage.Letter(
                    batch: QueuePage.Batch(
                        letter.write, byteCount: byteCount, withWrites: page.withWrites),
                    error: letter.error, rejectedAt: letter.rejectedAt,
                    mayHaveBeenApplied: letter.mayHaveBeenApplied)
            }
            let first = letters.letters.first?.batch.id
            if let wanted = page.fateWanted(besides: first) {
                letters.fate = try reader.fate(of: wanted)
            }
            return letters
        }
    }

    /// The children that the cache and the first waiting writes have; `nil` for a question to the backend.
    private func list(_ page: Inquiry.ChildPage) throws(StoreError) -> Report.ChildList? {
        guard case .cache(let prefix) = page.source else { return nil }
        return try readers.read { reader throws(StoreError) in
            let countMax = page.countBound
            let keys = try reader.children(
                of: page.path, beginningWith: prefix, count: countMax + 1)
            var found = try reader.waitingChildren(of: page.path, beginningWith: prefix)
            for key in keys where found[key] != true {
                found[key] = try !reader.children(of: page.path.appending(key), count: 1).isEmpty
            }
            let children = found.sorted { $0.key < $1.key }.map {
                Report.ChildList.Child(key: $0.key, hasChildren: $0.value)
            }
            return Report.ChildList(
                children: Array(children.prefix(countMax)), hasMore: children.count > countMax)
        }
    }

    func copy(to path: String) throws(StoreError) -> StoreCopy { try readers.copy(to: path) }
}

extension QueuePage.Batch {
    /// A write as operators are shown it.
    fileprivate init(_ write: QueuedWrite, byteCount: Int, withWrites: Bool) {
        let places = PageBudget.part(of: write.change.parts.map(\.place)) {
            $0.path.description.utf8.count
        }
        self.init(
            id: write.id, state: write.state, writtenAt: write.writtenAt, byteCount: byteCount,
            writer: write.writer,
            content: .places(Array(places), withWrites ? write.change : nil))
        user = write.user
    }
}
