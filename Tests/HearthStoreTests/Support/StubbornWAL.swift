import CSQLite
import Synchronization

@testable import HearthSQLite

/// A WAL whose disk takes what is written, and refuses to sync it, as a disk does that loses writes.
///
/// The system still shows the bytes, and the syncs behind the refused ones succeed, though nothing
/// is written by them. One test at a time: SQLite's methods know no test.
struct StubbornWAL {
    private static let refusedSyncCount = Atomic<Int>(0)

    private let file: WALFile
    private let methods: sqlite3_io_methods

    /// Changes the methods of a connection's WAL; `nil` if the connection has none.
    ///
    /// - Parameters:
    ///   - count: How many syncs fail.
    ///   - refusesCuts: Whether the disk does not let the WAL become shorter either.
    init?(_ connection: Connection, refusedSyncCount count: Int = 1, refusesCuts: Bool = false) {
        guard let file = connection.walFile else { return nil }
        self.file = file
        methods = file.below
        Self.refusedSyncCount.store(count, ordering: .relaxed)
        file.below.xSync = { _, _ in
            guard StubbornWAL.refusedSyncCount.load(ordering: .relaxed) > 0 else {
                return SQLITE_OK
            }
            StubbornWAL.refusedSyncCount.subtract(1, ordering: .relaxed)
            return SQLITE_IOERR
        }
        if refusesCuts { file.below.xTruncate = { _, _ in SQLITE_IOERR } }
    }

    /// Has the disk work again.
    func relent() { file.below = methods }
}
