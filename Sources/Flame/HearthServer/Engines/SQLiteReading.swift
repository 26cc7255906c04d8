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

    func read<Value>(
        _ body: (StoreReader) throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        guard let pool else { throw .io("it is not open") }
        return try pool.read(body).value
    }

    private var pool: ReaderPool<FirestoreContent>? { readers.withLock { $0 } }
}

/// Tells of nothing: a store in memory belongs to its engine alone.
struct NoReading: StoreReading {
    func figures() throws(StoreError) -> StoreFigures { StoreFigures() }
    func read<Value>(
        _ body: (StoreReader) throws(StoreError) -> Value
    ) throws(StoreError) -> Value? { nil }
}
