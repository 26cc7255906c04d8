import CSQLite
package import HearthEngine

/// A prepared statement. Bind, then run; it resets itself.
///
/// A statement must not be run again while it is still giving rows.
///
/// Other modules cannot specialise the generic functions here. A module that reads many rows has
/// its own copies, over `note`, `whileNext` and `forEach`.
package final class Statement {
    /// SQLite's statement; values bind themselves to the handle.
    package let handle: OpaquePointer
    private var bindCode = SQLITE_OK

    init(_ sql: UnsafePointer<CChar>, byteCount: Int, in database: OpaquePointer)
        throws(StoreError)
    {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(
            database, sql, Int32(byteCount), UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else {
            throw StoreError(preparing: code, in: database)
        }
        self.handle = handle
    }

    deinit { sqlite3_finalize(handle) }

    /// Gives values to the statement's parameters, in order.
    @discardableResult
    package func bind<each Parameter: Bindable>(_ values: repeat each Parameter) -> Statement {
        var index: Int32 = 1
        for value in repeat each values {
            note(value.bind(to: handle, at: index))
            index += 1
        }
        return self
    }

    /// Notes what SQLite says of a value that was bound; the next step tells what went wrong.
    package func note(_ code: Int32) {
        if code != SQLITE_OK { bindCode = code }
    }

    /// Runs a statement that gives no rows.
    ///
    /// - Throws: `StoreError` if SQLite cannot bind the values or run the statement.
    package func run() throws(StoreError) {
        defer { sqlite3_reset(handle) }
        while try step() {}
    }

    /// Runs the statement up to its first row; `nil` if there is none.
    ///
    /// - Throws: `StoreError` from SQLite or from `body`.
    package func first<Result>(_ body: (borrowing Row) throws(StoreError) -> Result)
        throws(StoreError) -> Result?
    {
        defer { sqlite3_reset(handle) }
        guard try step() else { return nil }
        return try body(Row(handle: handle))
    }

    /// Runs the statement for all its rows.
    ///
    /// - Throws: `StoreError` from SQLite or from `body`.
    package func forEach(_ body: (borrowing Row) throws(StoreError) -> Void) throws(StoreError) {
        defer { sqlite3_reset(handle) }
        while try step() { try body(Row(handle: handle)) }
    }

    /// Runs the statement until it has no more rows or `body` returns false.
    ///
    /// - Throws: `StoreError` from SQLite or from `body`.
    package func whileNext(_ body: (borrowing Row) throws(StoreError) -> Bool) throws(StoreError) {
        defer { sqlite3_reset(handle) }
        while try step() {
            guard try body(Row(handle: handle)) else { return }
        }
    }

    /// Runs the statement and gathers the result of `body` for each row.
    ///
    /// - Throws: `StoreError` from SQLite or from `body`.
    package func map<Result>(_ body: (borrowing Row) throws(StoreError) -> Result)
        throws(StoreError) -> [Result]
    {
        var results: [Result] = []
        try forEach { row throws(StoreError) in results.append(try body(row)) }
        return results
    }

    /// Goes to the next row; false if there is none.
    private func step() throws(StoreError) -> Bool {
        var code = bindCode
        bindCode = SQLITE_OK
        if code == SQLITE_OK { code = sqlite3_step(handle) }
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            guard let database = sqlite3_db_handle(handle) else { throw .io("SQLite \(code)") }
            throw StoreError(sqlite: code, in: database)
        }
    }
}

/// A value that a statement's parameter can take.
package protocol Bindable {
    /// Gives the value to a parameter; returns SQLite's code.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

extension Int64: Bindable {
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, self)
    }
}

extension Int: Bindable {
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, Int64(self))
    }
}

extension Bool: Bindable {
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, self ? 1 : 0)
    }
}

extension String: Bindable {
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        var text = self
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else {
                    return csqlite_bind_text_transient(statement, index, "", 0)
                }
                return csqlite_bind_text_transient(
                    statement, index, start, Int32(characters.count))
            }
        }
    }
}

extension [UInt8]: Bindable {
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, !bytes.isEmpty else {
                return sqlite3_bind_zeroblob(statement, index, 0)
            }
            return csqlite_bind_blob_transient(statement, index, start, Int32(bytes.count))
        }
    }
}

extension Optional: Bindable where Wrapped: Bindable {
    package func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        guard let self else { return sqlite3_bind_null(statement, index) }
        return self.bind(to: statement, at: index)
    }
}
