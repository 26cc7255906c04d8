import HearthModel
import NIOCore

/// Finds the database that a request names, without reading the whole request.
///
/// The first field of every request of `google.firestore.v1.Firestore` is the name of a database,
/// or of a place in it; only `UpdateDocument` has a document there, whose first field is its name.
enum RequestDatabase {
    /// The database that a request names.
    ///
    /// - Parameter isInDocument: Whether the first field is a document.
    /// - Throws: `invalidArgument` for bytes that are no such request.
    static func read(
        _ request: ByteBuffer, isInDocument: Bool = false
    ) throws(HearthError) -> DatabaseID {
        let field = try firstField(of: request.readableBytesView[...])
        let name = isInDocument ? try firstField(of: field) : field
        return try database(in: name)
    }

    /// The database in the first four parts of `projects/P/databases/D/...`.
    private static func database(in name: ByteBufferView.SubSequence) throws(HearthError)
        -> DatabaseID
    {
        let parts = name.split(
            separator: UInt8(ascii: "/"), maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].elementsEqual("projects".utf8),
            parts[2].elementsEqual("databases".utf8), !parts[1].isEmpty, !parts[3].isEmpty,
            let project = String(validating: parts[1], as: UTF8.self),
            let database = String(validating: parts[3], as: UTF8.self)
        else {
            throw HearthError(
                code: .invalidArgument,
                message: "\"\(String(decoding: name.prefix(nameByteCountMax), as: UTF8.self))\" "
                    + "names no database; it must begin with projects/PROJECT/databases/DATABASE.")
        }
        return DatabaseID(project: project, database: database)
    }

    /// The content of field 1; empty if it is absent.
    ///
    /// Of several the last counts, as it does for whoever reads the whole request.
    private static func firstField(
        of bytes: ByteBufferView.SubSequence
    ) throws(HearthError) -> ByteBufferView.SubSequence {
        var rest = bytes
        var found = bytes.prefix(0)
        while !rest.isEmpty {
            let tag = try varint(&rest)
            let content = try content(of: tag & 7, &rest)
            if tag == 1 << 3 | 2 { found = content }
        }
        return found
    }

    /// Takes a field's content; empty for a number.
    private static func content(
        of kind: UInt64, _ rest: inout ByteBufferView.SubSequence
    ) throws(HearthError) -> ByteBufferView.SubSequence {
        let byteCount: UInt64
        switch kind {
        case 0:
            _ = try varint(&rest)
            return rest.prefix(0)
        case 1: byteCount = 8
        case 2: byteCount = try varint(&rest)
        case 5: byteCount = 4
        default: throw .noRequest
        }
        guard byteCount <= UInt64(rest.count) else { throw .noRequest }
        let content = rest.prefix(Int(byteCount))
        rest = rest.dropFirst(Int(byteCount))
        return content
    }

    private static func varint(
        _ rest: inout ByteBufferView.SubSequence
    ) throws(HearthError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard let byte = rest.popFirst() else { throw .noRequest }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw .noRequest
    }

    /// Bytes of a wrong name that are shown.
    private static let nameByteCountMax = 200
}

extension HearthError {
    fileprivate static let noRequest = HearthError(
        code: .invalidArgument, message: "The request is no message of Firestore.")
}
