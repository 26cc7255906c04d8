import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite
import HearthStore
import Synchronization

/// Reads an open SQLite store for operators.
final class SQLiteReading: StoreReading {
    private let readers = Mutex<ReaderPool<FirestoreContent>?>(nil)

    /// Reads this store from now on.
    func use(_ pool: ReaderPool<FirestoreContent>) { readers.withLock { $0 = pool } }

    /// Reads no more, and closes what it read with.
    func stop() { readers.withLock { $0 = nil } }

    func figures() throws(StoreError) -> StoreFigures {
        guard let pool else { return StoreFigures() }
        let counts = try pool.read { reader throws(StoreError) in try reader.counts() }.value
        var figures = StoreFigures()
        figures.queueBatchCount = counts.batchCount
        figures.heldBatchCount = counts.heldBatchCount
        figures.oldestWrittenAt = counts.oldestWrittenAt
        figures.deadLetterCount = counts.deadLetterCount
        figures.targetCount = counts.targetCount
        figures.documentCount = counts.documentCount
        figures.byteCount = counts.cacheByteCount
        return figures
    }

    func queue(after batch: BatchID, countMax: Int) throws(StoreError) -> [ListedBatch] {
        guard let pool else { throw .io("it is not open") }
        return try pool.read { reader throws(StoreError) in
            var batches: [ListedBatch] = []
            let held = try reader.firstHeldBatches()
            for entry in try reader.queuedBatches(after: batch, count: countMax) {
                guard let batch = try reader.queuedBatch(entry.id) else { continue }
                let heldBy = held[entry.user].flatMap { $0 < entry.id ? $0 : nil }
                batches.append(
                    ListedBatch(batch: batch, byteCount: entry.byteCount, heldBy: heldBy))
            }
            return batches
        }.value
    }

    func collections(
        below path: ResourcePath, after: ResourcePath, countMax: Int
    ) throws(StoreError) -> [ResourcePath] {
        guard let pool else { throw .io("it is not open") }
        return try pool.read { reader throws(StoreError) in
            try reader.collections(below: path, after: after, count: countMax)
        }.value
    }

    func deadLetters(
        after batch: BatchID, countMax: Int
    ) throws(StoreError) -> [ListedDeadLetter] {
        guard let pool else { throw .io("it is not open") }
        return try pool.read { reader throws(StoreError) in
            try reader.deadLetters(after: batch, count: countMax).map {
                letter throws(StoreError) in
                ListedDeadLetter(
                    letter: letter,
                    byteCount: try reader.deadLetterByteCount(letter.batch.batch.id))
            }
        }.value
    }

    private var pool: ReaderPool<FirestoreContent>? { readers.withLock { $0 } }
}

/// Tells of nothing: a store in memory belongs to its engine alone.
struct NoReading: StoreReading {
    func figures() throws(StoreError) -> StoreFigures { StoreFigures() }
    func queue(after batch: BatchID, countMax: Int) throws(StoreError) -> [ListedBatch] { [] }
    func collections(
        below path: ResourcePath, after: ResourcePath, countMax: Int
    ) throws(StoreError) -> [ResourcePath] {
        throw .io("it is kept in memory alone, which no list can be made of")
    }
    func deadLetters(
        after batch: BatchID, countMax: Int
    ) throws(StoreError) -> [ListedDeadLetter] { [] }
}
