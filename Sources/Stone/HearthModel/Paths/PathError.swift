/// What is wrong with a path.
package enum PathError: Error, Equatable, Sendable {
    /// Two slashes in a row.
    case emptySegment(path: String)
    /// A document's path has an even number of segments, a collection's an odd one.
    case wrongSegmentCount(path: String, count: Int)
    /// A segment that Firestore reserves or cannot hold, and why.
    case refusedSegment(String, reason: String)
    /// A dotted field path that cannot be read, and why.
    case badFieldPath(String, reason: String)
    /// More bytes than `PathLimits` allows.
    case tooLong(byteCount: Int)
    /// More segments than `PathLimits` allows.
    case tooDeep(count: Int)
}

extension PathError {
    /// A name as an error quotes it: what is very long is cut off, and says so.
    package static func brief(_ name: String) -> String {
        let bytes = name.utf8
        guard bytes.count > quotedByteCountMax else { return name }
        let head = String(decoding: bytes.prefix(quotedByteCountMax), as: UTF8.self)
        return "\(head)... (\(bytes.count) bytes)"
    }

    /// Bytes of a name that an error quotes.
    private static let quotedByteCountMax = 256
}

extension PathError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .emptySegment(let path):
            "The path \"\(Self.brief(path))\" has an empty segment; write one slash between two "
                + "names."
        case .wrongSegmentCount(let path, let count):
            "The path \"\(Self.brief(path))\" has \(count) segments; a document has an even "
                + "number, a collection an odd one."
        case .refusedSegment(let segment, let reason):
            "The name \"\(Self.brief(segment))\" cannot be used: \(reason)."
        case .badFieldPath(let path, let reason):
            "The field path \"\(Self.brief(path))\" cannot be read: \(reason)."
        case .tooLong(let byteCount):
            "A path has \(byteCount) bytes, and the limit is \(PathLimits.pathByteCountMax)."
        case .tooDeep(let count):
            "A path has \(count) segments, and the limit is \(PathLimits.collectionDepthMax) "
                + "collections inside each other."
        }
    }
}
