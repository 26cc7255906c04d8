import CSQLite
import HearthModel

/// One connection to a SQLite file. For one thread at a time.
final class SQLiteConnection {
    private let handle: OpaquePointer
    private var isOpen = true
    private var statements: [String: OpaquePointer] = [:]

    /// Opens or makes a file.
    init(path: String) throws(HearthError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw HearthError(
                code: .unavailable,
                message: "Cannot open \(path): \(String(cString: sqlite3_errstr(code))).")
        }
        handle = opened
        sqlite3_busy_timeout(handle, 1_000)
    }

    deinit {
        close()
    }

    /// Closes the file; may be called again.
    func close() {
        guard isOpen else { return }
        isOpen = false
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        sqlite3_close_v2(handle)
    }

    /// What can be bound.
    enum Parameter {
        case integer(Int64)
        case text(String)
        case blob([UInt8])
        case null
    }

    /// One row of a result, valid until the next.
    struct Row {
        fileprivate let statement: OpaquePointer

        func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

        func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

        func blob(_ column: Int32) -> [UInt8]? {
            sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : Array(bytes(column))
        }

        private func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(
                start: sqlite3_column_blob(statement, column),
                count: Int(sqlite3_column_bytes(statement, column)))
        }
    }

    /// Runs a statement, and hands each row to `body`.
    func run(
        _ sql: String, _ parameters: Parameter...,
        row body: (Row) throws(HearthError) -> Void = { _ in }
    ) throws(HearthError) {
        guard isOpen else {
            throw HearthError(code: .unavailable, message: "The emulator's folder is closed.")
        }
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, parameter) in parameters.enumerated() {
            bind(parameter, to: statement, at: Int32(index + 1))
        }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: try body(Row(statement: statement))
            case SQLITE_DONE: return
            default: throw failure(sql)
            }
        }
    }

    /// Makes all changes of `body`, or none.
    func transaction(_ body: () throws(HearthError) -> Void) throws(HearthError) {
        try run("BEGIN IMMEDIATE")
        do throws(HearthError) {
            try body()
            try run("COMMIT")
        } catch {
            // After some errors SQLite has rolled back by itself.
            if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    private func prepared(_ sql: String) throws(HearthError) -> OpaquePointer {
        if let known = statements[sql] { return known }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(sql) }
        statements[sql] = statement
        return statement
    }

    private func bind(_ parameter: Parameter, to statement: OpaquePointer, at index: Int32) {
        switch parameter {
        case .integer(let number): sqlite3_bind_int64(statement, index, number)
        case .null: sqlite3_bind_null(statement, index)
        case .text(let text):
            var text = text
            text.withUTF8 { bytes in
                _ = bytes.withMemoryRebound(to: CChar.self) {
                    csqlite_bind_text_transient(
                        statement, index, $0.baseAddress, Int32($0.count))
                }
            }
        case .blob(let bytes):
            // A null pointer would bind NULL, and an empty document is not a deleted one.
            if bytes.isEmpty {
                sqlite3_bind_zeroblob(statement, index, 0)
            } else {
                _ = csqlite_bind_blob_transient(statement, index, bytes, Int32(bytes.count))
            }
        }
    }

    private func failure(_ sql: String) -> HearthError {
        HearthError(
            code: .unavailable,
            message: "The emulator's folder failed: \(String(cString: sqlite3_errmsg(handle))) "
                + "(\(sql.prefix(60))).")
    }
}
