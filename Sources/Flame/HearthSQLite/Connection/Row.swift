import CSQLite

/// One row of a statement's answer, valid until the statement goes on.
package struct Row: ~Copyable {
    let handle: OpaquePointer

    /// A column's whole number; 0 for NULL.
    package func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// A column's truth; false for NULL.
    package func bool(_ column: Int32) -> Bool { int(column) != 0 }

    /// Whether a column is NULL.
    package func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// A column's text; `nil` for NULL.
    package func text(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// A copy of a column's bytes; empty for NULL.
    package func bytes(_ column: Int32) -> [UInt8] {
        withBytes(column) { [UInt8]($0) }
    }

    /// A column's bytes where they lie, which is only until `body` returns.
    ///
    /// - Throws: The error of `body`.
    package func withBytes<Result, Failure: Error>(
        _ column: Int32, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(lentBytes(column))
    }

    /// The same for whoever reads very many rows, as the compiler specialises no closure of another
    /// module: the bytes lie there until the statement goes on.
    package func lentBytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }
}
