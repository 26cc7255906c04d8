package import HearthModel

/// What Firestore accepts as the name of a document.
///
/// - Source: `backend-surface`, section 3; the texts of refusals come from Google's emulator.
package enum NameRules {
    /// The longest id of a collection or document, in bytes.
    package static let segmentByteCountMax = PathLimits.segmentByteCountMax
    /// The longest name below `documents`, in bytes.
    package static let pathByteCountMax = PathLimits.pathByteCountMax
    /// How many collections may lie inside each other.
    package static let collectionDepthMax = PathLimits.collectionDepthMax

    /// Refuses a path that no document or collection can have.
    ///
    /// - Throws: `HearthError` `invalidArgument` that names what is wrong.
    package static func check(_ path: ResourcePath, in database: DatabaseID) throws(HearthError) {
        if isPlain(path) { return }
        // Where a segment begins in the full name, as the refusals count it.
        var offset = database.documentsName.utf8.count + 1
        for (index, segment) in path.segments.enumerated() {
            if segment == "." || segment == ".." {
                throw .argument(
                    "Document name \"\(database.documentsName)/\(path)\" contains a resource id "
                        + "\"\(segment)\" at index \(offset).")
            }
            try check(segment, isCollection: index.isMultiple(of: 2))
            offset += segment.utf8.count + 1
        }
        guard path.string.utf8.count <= pathByteCountMax else {
            throw .argument("The key path is longer than \(pathByteCountMax) bytes.")
        }
        guard path.count <= collectionDepthMax * 2 else {
            throw .argument("The key path has more than \(collectionDepthMax) collections.")
        }
    }

    private static func check(_ segment: String, isCollection: Bool) throws(HearthError) {
        let isNumeric = !isCollection && ResourcePath.numericID(of: segment) != nil
        if isReserved(segment), !isNumeric {
            throw .argument(
                "\(isCollection ? "Collection" : "Resource") id \"\(segment)\" is invalid "
                    + "because it is reserved.")
        }
        guard segment.utf8.count <= segmentByteCountMax else {
            throw .argument(
                "The key path element \(isCollection ? "kind" : "name") is longer than "
                    + "\(segmentByteCountMax) bytes.")
        }
    }

    /// Whether a path is as nearly all are: too short for a wrong length, and without an id that begins
    /// with a dot or `_`.
    private static func isPlain(_ path: ResourcePath) -> Bool {
        guard path.string.utf8.count <= segmentByteCountMax, path.count <= collectionDepthMax * 2
        else { return false }
        var isStart = true
        for byte in path.string.utf8 {
            if isStart, byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") { return false }
            isStart = byte == UInt8(ascii: "/")
        }
        return true
    }

    /// Whether a name has the form `__.*__`, which Firestore keeps for itself.
    package static func isReserved(_ name: String) -> Bool {
        PathLimits.isReserved(name)
    }
}
