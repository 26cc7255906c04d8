import HearthEngine
import HearthSQLite
import Synchronization

/// The readers of an engine's store while the store is open.
///
/// Each reading blocks on the disk. Safe to use from any thread.
final class OpenReaders<Content: StoreContent>: Sendable {
    private let pool = Mutex<ReaderPool<Content>?>(nil)

    /// The readers of the open store; `nil` if no store is open.
    var current: ReaderPool<Content>? { pool.withLock { $0 } }

    /// Reads this store from now on.
    func use(_ readers: ReaderPool<Content>) { pool.withLock { $0 = readers } }

    /// Reads no more, and closes what it read with.
    func stop() { pool.withLock { $0 = nil } }

    /// Reads in one transaction.
    ///
    /// - Throws: `StoreError` if no store is open, or the store cannot be read.
    func read<Value>(
        _ body: (Content.Reader) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try opened().read(body).value
    }

    /// Copies the store, with every write that was accepted before the call, to a path.
    ///
    /// - Throws: `StoreError` if no store is open, or the store cannot be copied.
    func copy(to path: String) throws(StoreError) -> StoreCopy { try opened().copy(to: path) }

    private func opened() throws(StoreError) -> ReaderPool<Content> {
        guard let readers = current else { throw .io("it is not open") }
        return readers
    }
}
