import CSQLite
import Glibc
package import HearthEngine

/// One connection to a database file, used by one thread at a time.
///
/// Statements are prepared once and kept for the connection's life.
package final class Connection: @unchecked Sendable {  // Whoever took it uses it alone.
    let handle: OpaquePointer
    private var statements: [Int: Statement] = [:]

    /// Must happen before the first database is opened; later it has no effect, and does no harm.
    private static let isConfigured = csqlite_keep_savepoints_in_memory() == SQLITE_OK

    /// Opens the file at `path`; a writer makes a missing file.
    ///
    /// - Throws: `StoreError` if SQLite cannot open the file, or something else than a plain file has the
    ///   file's place or the place of a file beside it.
    package init(path: String, isReadOnly: Bool) throws(StoreError) {
        try PlainFile.expectDatabase(at: path)
        handle = try Self.open(
            path, isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        try expectNoCalls()
    }

    /// Opens a file to read, and changes no byte of the file and of the files beside it.
    ///
    /// Other readers make an index of the log, and an empty log if there is none. Nobody may write to the file as
    /// long as the connection lives: the connection takes no lock.
    ///
    /// - Throws: As above.
    init(untouched path: String) throws(StoreError) {
        try PlainFile.expectDatabase(at: path)
        if access(path + "-wal", F_OK) == 0 {
            handle = try Self.open(path, SQLITE_OPEN_READONLY, fileSystem: "unix-none")
            csqlite_leave_log_on_close(handle, 1)
            // In this mode the index of the log is in memory.
            try execute("PRAGMA locking_mode = EXCLUSIVE")
        } else {
            handle = try Self.open(Self.unchangingURI(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
        }
        try expectNoCalls()
    }

    /// - Parameter fileSystem: The name of the file system layer of SQLite; `nil` for the usual one.
    private static func open(
        _ name: String, _ access: Int32, fileSystem: String? = nil
    ) throws(StoreError) -> OpaquePointer {
        _ = isConfigured
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(name, &handle, access | SQLITE_OPEN_NOMUTEX, fileSystem)
        guard let handle else { throw .io("no memory to open \(name)") }
        guard code == SQLITE_OK else {
            let error = StoreError(sqlite: code, in: handle)
            sqlite3_close_v2(handle)
            throw error
        }
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, StoreLimits.busyMilliseconds)
        return handle
    }

    /// Makes a name under which SQLite opens the file as a file that never changes and has no log.
    private static func unchangingURI(_ path: String) -> String {
        let escaped = path.unicodeScalars.map { scalar in
            switch scalar {
            case "%": "%25"
            case "?": "%3f"
            case "#": "%23"
            default: String(scalar)
            }
        }
        return (path.utf8.first == UInt8(ascii: "/") ? "file://" : "file:") + escaped.joined()
            + "?immutable=1"
    }

    /// The file may be of anybody: its schema calls nothing but plain functions.
    private func expectNoCalls() throws(StoreError) { try execute("PRAGMA trusted_schema = 0") }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// The WAL as the last commit of this connection left it.
    final class Gauge {
        var pageCount = 0
    }

    let gauge = Gauge()
    /// Steps between SQLite and the WAL, once `takeWAL` was called.
    var walFile: WALFile?

    /// Whether a transaction is open. Some failures of the disk end the transaction unasked.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// How many rows have been changed since the connection was opened.
    package var totalChangeCount: Int64 { sqlite3_total_changes64(handle) }

    /// How many rows the last statement changed.
    package var changeCount: Int64 { sqlite3_changes64(handle) }

    /// The id of the last row inserted.
    package var lastInsertedID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Runs statements that are needed once, and return nothing.
    ///
    /// - Throws: `StoreError` if SQLite cannot run the statement.
    package func execute(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw StoreError(sqlite: code, in: handle) }
    }

    /// The statement of a literal, prepared at its first use and reset.
    ///
    /// - Throws: `StoreError` if SQLite cannot prepare the statement.
    package func statement(_ sql: StaticString) throws(StoreError) -> Statement {
        let key = Int(bitPattern: sql.utf8Start)
        if let statement = statements[key] { return statement }
        let statement = try Statement(
            UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self),
            byteCount: sql.utf8CodeUnitCount, in: handle)
        statements[key] = statement
        return statement
    }

    /// The number that a pragma, or another statement needed once, answers with.
    ///
    /// - Throws: `StoreError` if SQLite cannot run the statement.
    package func number(_ sql: String) throws(StoreError) -> Int64? {
        let statement = try Statement(sql, byteCount: sql.utf8.count, in: handle)
        return try statement.first { $0.int(0) }
    }

    /// Steps through a pragma, or another statement needed once, as long as `goesOn`; returns how many rows
    /// it gave.
    ///
    /// - Throws: `StoreError` if SQLite cannot run the statement.
    package func count(_ sql: String, while goesOn: () -> Bool) throws(StoreError) -> Int {
        let statement = try Statement(sql, byteCount: sql.utf8.count, in: handle)
        var count = 0
        try statement.whileNext { _ in
            count += 1
            return goesOn()
        }
        return count
    }

    /// The text that a pragma, or another statement needed once, answers with.
    ///
    /// - Throws: `StoreError` if SQLite cannot run the statement.
    package func text(_ sql: String) throws(StoreError) -> String? {
        let statement = try Statement(sql, byteCount: sql.utf8.count, in: handle)
        return try statement.first { $0.text(0) }.flatMap { $0 }
    }
}

extension StoreError {
    /// What SQLite's code means for an engine where a statement cannot be prepared.
    ///
    /// The statements are ours, and a sound schema takes each of them: SQLite's plain error means that
    /// a table is not as it was made. Damage to the text of a schema is noticed nowhere else.
    init(preparing code: Int32, in handle: OpaquePointer) {
        self.init(sqlite: code, in: handle)
        if case .io(let detail) = self, code & 0xFF == SQLITE_ERROR { self = .misfit(detail) }
    }

    /// What SQLite's code means for an engine.
    init(sqlite code: Int32, in handle: OpaquePointer) {
        let detail = "\(String(cString: sqlite3_errmsg(handle))) (SQLite \(code))"
        switch code & 0xFF {
        case SQLITE_FULL: self = .full(detail)
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged(detail)
        case SQLITE_BUSY, SQLITE_LOCKED: self = .locked(detail)
        case SQLITE_IOERR where SystemErrors.noRoom.contains(sqlite3_system_errno(handle)):
            self = .full(detail)
        // SQLite makes the files beside the database when the database is opened, and gives no
        // reason if that fails.
        case SQLITE_IOERR, SQLITE_CANTOPEN:
            let path = sqlite3_db_filename(handle, "main").map { String(cString: $0) }
            self = path.map(SystemErrors.isRoomless(at:)) ?? false ? .full(detail) : .io(detail)
        default: self = .io(detail)
        }
    }
}
