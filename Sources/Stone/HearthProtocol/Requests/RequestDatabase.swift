package import HearthModel

/// Finds the database that a request names, without reading the whole request.
///
/// The first field of every request of `google.firestore.v1.Firestore` is the name of a database,
/// or of a place in it; only `UpdateDocument` has a document there, whose first field is its name.
package enum RequestDatabase {
    private typealias Bytes = Slice<UnsafeRawBufferPointer>

    /// Fields of a request at most: each becomes a value in memory that is far larger than the two
    /// bytes which it may have here. `WriteBounds` bounds what is in the writes.
    package static let fieldCountMax = 100_000

    /// The database that a request names.
    ///
    /// - Parameters:
    ///   - request: The message's bytes.
    ///   - isInDocument: Whether the first field is a document.
    /// - Throws: `invalidArgument` for bytes that are no such request.
    /// - Complexity: O(fields of the request), whatever is in them.
    package static func read(
        _ request: UnsafeRawBufferPointer, isInDocument: Bool = false
    ) throws(HearthError) -> DatabaseID {
        let field = try firstField(of: request[...], countMax: fieldCountMax)
        let documentMax = WriteBounds.documentElementCountMax
        let name = isInDocument ? try firstField(of: field, countMax: documentMax) : field
        return try database(in: name)
    }

    /// The database in the first four parts of `projects/P/databases/D/...`.
    private static func database(in name: Bytes) throws(HearthError) -> DatabaseID {
        let parts = name.split(
            separator: UInt8(ascii: "/"), maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].elementsEqual("projects".utf8),
            parts[2].elementsEqual("databases".utf8), !parts[1].isEmpty, !parts[3].isEmpty,
            let project = String(validating: parts[1], as: UTF8.self),
            let database = String(validating: parts[3], as: UTF8.self)
        else {
            let shown = String(decoding: name.prefix(shownByteCountMax), as: UTF8.self)
            throw .argument(
                "\"\(shown)\" names no database; it must begin with "
                    + "projects/PROJECT/databases/DATABASE.")
        }
        return DatabaseID(project: project, database: database)
    }

    /// The content of field 1; empty if it is absent.
    ///
    /// Of several the last counts, as it does for whoever reads the whole request.
    private static func firstField(
        of bytes: Bytes, countMax: Int
    ) throws(HearthError) -> Bytes {
        var rest = bytes
        var found = bytes.prefix(0)
        var count = 0
        while !rest.isEmpty {
            count += 1
            guard count <= countMax else { throw tooManyFields(countMax) }
            let tag = try varint(&rest)
            let content = try content(of: tag & 7, &rest)
            if tag == 1 << 3 | 2 { found = content }
        }
        return found
    }

    /// Takes a field's content; empty for a number.
    private static func content(of kind: UInt64, _ rest: inout Bytes) throws(HearthError) -> Bytes {
        let byteCount: UInt64
        switch kind {
        case 0:
            _ = try varint(&rest)
            return rest.prefix(0)
        case 1: byteCount = 8
        case 2: byteCount = try varint(&rest)
        case 5: byteCount = 4
        default: throw unreadable
        }
        guard byteCount <= UInt64(rest.count) else { throw unreadable }
        let content = rest.prefix(Int(byteCount))
        rest = rest.dropFirst(Int(byteCount))
        return content
    }

    private static func varint(_ rest: inout Bytes) throws(HearthError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard let byte = rest.popFirst() else { throw unreadable }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw unreadable
    }

    private static let unreadable = HearthError.argument(
        "The request is no message of google.firestore.v1.")
    private static func tooManyFields(_ countMax: Int) -> HearthError {
        .argument(
            "The request, or the document in it, has more than \(countMax) fields. Send it in parts."
        )
    }
    /// Bytes of a wrong name that are shown.
    private static let shownByteCountMax = 200
}
