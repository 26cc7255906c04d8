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
    ) throws(StoreError) -> [QueuePage.Batch] {
        try read { reader throws(StoreError) in
            let held = try reader.firstHeldWrites()
            var batches: [QueuePage.Batch] = []
            for entry in try reader.queuedWrites(after: batch, count: countMax) {
                guard let write = try reader.queuedWrite(entry.id) else { continue }
                var batch = QueuePage.Batch(
                    write, byteCount: entry.byteCount, withWrites: withWrites)
                batch.heldBy = held[entry.user].flatMap { $0 < entry.id ? $0 : nil }
                batches.append(batch)
            }
            return batches
        }
    }

    func deadLetters(
        after batch: BatchID, countMax: Int, withWrites: Bool
    ) throws(StoreError) -> [DeadLetterPage.Letter] {
        try read { reader throws(StoreError) in
            var letters: [DeadLetterPage.Letter] = []
            for letter in try reader.deadLetters(after: batch, count: countMax) {
                letters.append(
                    DeadLetterPage.Letter(
                        batch: QueuePage.Batch(
                            letter.write,
                            byteCount: try reader.deadLetterByteCount(letter.write.id),
                            withWrites: withWrites),
                        error: letter.error, rejectedAt: letter.rejectedAt,
                        mayHaveBeenApplied: letter.mayHaveBeenApplied))
            }
            return letters
        }
    }

    func collections(
        below path: ResourcePath, after: ResourcePath, countMax: Int
    ) throws(StoreError) -> [ResourcePath] {
        throw .io("an instance of the Realtime Database has no collections")
    }

    func description(of document: DocumentKey) throws(StoreError) -> DocumentDescription {
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
        self.init(
            id: write.id, state: write.state, writtenAt: write.writtenAt, byteCount: byteCount,
            writer: write.writer,
            content: .places(write.change.parts.map(\.place), withWrites ? write.change : nil))
        user = write.user
    }
}
