import HearthEngine
import HearthModel
import HearthSQLite

/// A file of an emulator's folder, locked against other processes.
///
/// Turns failures of the disk into `HearthError`.
final class KeptFile {
    private var connection: Connection?

    /// Opens the file, or makes it.
    ///
    /// - Throws: `HearthError.unavailable` if another process uses the file, or the file cannot be
    ///   read or written.
    init(path: String) throws(HearthError) {
        do throws(StoreError) {
            let connection = try Connection(path: path, isReadOnly: false)
            try connection.execute(
                """
                PRAGMA locking_mode = EXCLUSIVE;
                PRAGMA journal_mode = WAL;
                PRAGMA synchronous = FULL;
                PRAGMA cache_size = -8192;
                """)
            self.connection = connection
        } catch {
            throw HearthError(code: .unavailable, message: "Cannot open \(path). \(error)")
        }
    }

    /// Closes the file; may be called again.
    func close() {
        connection = nil
    }

    /// Reads or writes.
    ///
    /// - Throws: `HearthError.unavailable` if the disk fails, or the file is closed.
    func use<Result>(_ body: (Connection) throws(StoreError) -> Result) throws(HearthError)
        -> Result
    {
        guard let connection else {
            throw HearthError(code: .unavailable, message: "The emulator's folder is closed.")
        }
        do throws(StoreError) {
            return try body(connection)
        } catch {
            throw HearthError(
                code: .unavailable, message: "The emulator's folder failed. \(error)")
        }
    }

    /// Makes all changes of `body`, or none.
    func transaction(_ body: () throws(HearthError) -> Void) throws(HearthError) {
        try use { connection throws(StoreError) in try connection.execute("BEGIN IMMEDIATE") }
        do throws(HearthError) {
            try body()
            try use { connection throws(StoreError) in try connection.execute("COMMIT") }
        } catch {
            // After some errors SQLite has rolled back by itself.
            if let connection, connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }
}
