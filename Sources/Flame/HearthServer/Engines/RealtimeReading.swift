import HearthEngine
import HearthModel
import HearthRealtime
import HearthSQLite
import HearthStore
import HearthWire
import Synchronization

/// Reads the open store of an instance of the Realtime Database for operators.
final class RealtimeReading: StoreReading {
    private let readers = Mutex<ReaderPool<RealtimeContent>?>(nil)

    /// Reads this store from now on.
    func use(_ pool: ReaderPool<RealtimeContent>) { readers.withLock { $0 = pool } }

    /// Reads no more, and closes what it read with.
    func stop() { readers.withLock { $0 = nil } }

    func figures() throws(StoreError) -> StoreFigures {
        guard let pool = readers.withLock({ $0 }) else { return StoreFigures() }
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

    func queue(
        after batch: BatchID, countMax: Int, withWrites: Bool
    ) throws(StoreError) -> QueuePage {
        try read { reader throws(StoreError) in
            let held = try reader.firstHeldWrites()
            let entries = try reader.queuedWrites(after: batch, count: countMax + 1)
            let part = PageBudget.part(of: entries, countMax: countMax, byteCount: \.byteCount)
            var batches: [QueuePage.Batch] = []
            for entry in part {
                guard let write = try reader.queuedWrite(entry.id) else { continue }
                var batch = QueuePage.Batch(
                    write, byteCount: entry.byteCount, withWrites: withWrites)
                batch.heldBy = held[entry.user].flatMap { $0 < entry.id ? $0 : nil }
                batches.append(batch)
            }
            return QueuePage(batches: batches, hasMore: part.count < entries.count)
        }
    }

    func deadLetters(
        after batch: BatchID, countMax: Int, withWrites: Bool
    ) throws(StoreError) -> DeadLetterPage {
        try read { reader throws(StoreError) in
            var budget = PageBudget(countMax: countMax)
            var page = DeadLetterPage(letters: [], hasMore: false)
            var last = batch
            while let letter = try reader.deadLetters(after: last, count: 1).first {
                last = letter.write.id
                let byteCount = try reader.deadLetterByteCount(last)
                guard budget.takes(byteCount) else {
                    page.hasMore = true
                    break
                }
                page.letters.append(
                    DeadLetterPage.Letter(
                        batch: QueuePage.Batch(
                            letter.write, byteCount: byteCount, withWrites: withWrites),
                        error: letter.error, rejectedAt: letter.rejectedAt,
                        mayHaveBeenApplied: letter.mayHaveBeenApplied))
            }
            return page
        }
    }

    func collections(
        below path: ResourcePath, after: ResourcePath, countMax: Int
    ) throws(StoreError) -> [ResourcePath] {
        throw .io("an instance of the Realtime Database has no collections")
    }

    func children(
        of path: RealtimePath, beginningWith prefix: String, countMax: Int
    ) throws(StoreError) -> [Report.ChildList.Child] {
        try read { reader throws(StoreError) in
            let keys = try reader.children(of: path, beginningWith: prefix, count: countMax)
            var found = try reader.waitingChildren(of: path, beginningWith: prefix)
            for key in keys where found[key] != true {
                found[key] = try !reader.children(of: path.appending(key), count: 1).isEmpty
            }
            return found.sorted { $0.key < $1.key }.prefix(countMax).map {
                Report.ChildList.Child(key: $0.key, hasChildren: $0.value)
            }
        }
    }

    func description(of document: DocumentKey) throws(StoreError) -> DocumentDescription {
        throw .io("an instance of the Realtime Database has no documents")
    }

    func history(_ question: HistoryQuestion) throws(StoreError) -> HistoryPage {
        throw .io("an instance of the Realtime Database has no documents")
    }

    func copy(to path: String) throws(StoreError) -> StoreCopy {
        guard let pool = readers.withLock({ $0 }) else { throw .io("it is not open") }
        return try pool.copy(to: path)
    }

    private func read<Value>(
        _ body: (RealtimeReader) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        guard let pool = readers.withLock({ $0 }) else { throw .io("it is not open") }
        return try pool.read(body).value
    }
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
