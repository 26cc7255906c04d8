import HearthModel

/// Why a bundle cannot be loaded. Nothing of it is stored then.
package enum BundleError: Error, Hashable, Sendable {
    /// It is as a web server or `gzip` has packed it.
    case compressed
    /// An element starts with its length in decimal digits.
    case noLength(offset: Int)
    /// The last element is shorter than its length says.
    case truncated(offset: Int, missingByteCount: Int)
    /// An element is longer than any document could be.
    case tooLong(offset: Int, byteCountMax: Int)
    /// An element is no JSON.
    case badJSON(offset: Int, reason: String)
    /// An element's content cannot be what the format wants.
    case badElement(offset: Int, reason: String)
    /// The first element must be the metadata, and no other.
    case metadataMisplaced(offset: Int)
    /// A document must follow its own metadata; metadata with "exists" must precede a document.
    case documentMisplaced(offset: Int, name: String)
    /// A name is not of the database that the bundle is loaded into.
    case foreignName(offset: Int, name: String)
    /// The metadata tells of another number of documents. Of a bundle with more than it tells, what has come counts.
    case wrongDocumentCount(expected: Int, found: Int)
}

extension BundleError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .compressed:
            "The bundle is compressed. Unpack it first, by `gunzip`, or as it comes by "
                + "`curl --compressed`."
        case .noLength(let offset):
            "The bundle has no element's length at byte \(offset)."
        case .truncated(let offset, let missing):
            "The bundle's element at byte \(offset) lacks \(missing) bytes; the file was cut."
        case .tooLong(let offset, let byteCountMax):
            "The bundle's element at byte \(offset) would have more than \(byteCountMax) bytes; "
                + "a document has 1 MiB at most."
        case .badJSON(let offset, let reason):
            "The bundle's element at byte \(offset) is no JSON: \(reason.asClause)."
        case .badElement(let offset, let reason):
            "The bundle's element at byte \(offset) cannot be read: \(reason.asClause)."
        case .metadataMisplaced(let offset):
            "The bundle's element at byte \(offset): the metadata must come first, and once."
        case .documentMisplaced(let offset, let name):
            "The bundle's element at byte \(offset): \"\(name)\" and its metadata must stand "
                + "together."
        case .foreignName(let offset, let name):
            "The bundle's element at byte \(offset): \"\(name)\" is not of this database."
        case .wrongDocumentCount(let expected, let found):
            "The bundle promises \(expected) documents and holds \(found)"
                + (found > expected ? " or more." : "; the file was cut, or badly made.")
        }
    }
}

extension String {
    /// The text without its full stop, for a sentence that goes on: some reasons are sentences, some are not.
    fileprivate var asClause: String { hasSuffix(".") ? String(dropLast()) : self }
}
