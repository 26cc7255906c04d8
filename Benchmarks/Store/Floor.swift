import CSQLite
import Glibc

/// A database without Hearth: rows of fresh bytes, each commit synced, by SQLite's own functions.
///
/// What remains below it is the disk's; what Hearth takes beyond it is Hearth's.
final class Floor {
    private let path: String
    private let database: OpaquePointer
    private var statements: [OpaquePointer] = []
    private let begin: OpaquePointer
    private let end: OpaquePointer
    private var content = [UInt8](repeating: 0, count: Floor.byteCount)
    private var state: UInt64 = 88_172_645_463_325_252

    /// As much as a batch and its effect have.
    private static let byteCount = 800

    /// Opens an empty database with so many tables, of which each commit changes a page.
    init(path: String, tableCount: Int) throws {
        self.path = path
        Self.remove(path)
        var database: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &database, flags, nil) == SQLITE_OK, let database else {
            throw Bench.Failure(reason: "the floor cannot be opened")
        }
        self.database = database
        sqlite3_exec(
            database,
            """
            PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL; PRAGMA secure_delete = FAST;
            """, nil, nil, nil)
        begin = try Self.prepare("BEGIN", in: database)
        end = try Self.prepare("COMMIT", in: database)
        for number in 0..<tableCount {
            sqlite3_exec(
                database, "CREATE TABLE t\(number) (id INTEGER PRIMARY KEY, content BLOB)", nil,
                nil, nil)
            statements.append(
                try Self.prepare("INSERT INTO t\(number) (content) VALUES (?)", in: database))
        }
    }

    deinit {
        for statement in statements + [begin, end] { sqlite3_finalize(statement) }
        sqlite3_close_v2(database)
        Self.remove(path)
    }

    /// Commits so often. The first table takes the bytes, the others a few each.
    func commit(_ count: Int) throws {
        for _ in 0..<count {
            refill()
            try run(begin)
            for (index, statement) in statements.enumerated() {
                let size = index == 0 ? content.count : 40
                content.withUnsafeBytes { bytes in
                    guard let start = bytes.baseAddress else { return }
                    _ = csqlite_bind_blob_transient(statement, 1, start, Int32(size))
                }
                try run(statement)
            }
            try run(end)
        }
    }

    private func refill() {
        for index in content.indices {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            content[index] = UInt8(truncatingIfNeeded: state)
        }
    }

    private func run(_ statement: OpaquePointer) throws {
        defer { sqlite3_reset(statement) }
        guard sqlite3_step(statement) == SQLITE_DONE else {
            throw Bench.Failure(reason: String(cString: sqlite3_errmsg(database)))
        }
    }

    private static func prepare(_ sql: String, in database: OpaquePointer) throws
        -> OpaquePointer
    {
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(database, sql, -1, flags, &statement, nil) == SQLITE_OK,
            let statement
        else { throw Bench.Failure(reason: String(cString: sqlite3_errmsg(database))) }
        return statement
    }

    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    }
}
