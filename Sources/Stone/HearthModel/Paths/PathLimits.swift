/// How long and how deep Firestore's names may be.
///
/// Hearth checks the limits where a request comes in, so that later code, which walks through a
/// path level by level, never walks far. Hearth reads paths from the disk without the limits: a
/// stored path may be older than the limits.
///
/// - Source: Firestore's usage and limits, and constraints on names.
package enum PathLimits {
    /// Bytes of a document's name below `documents`.
    package static let pathByteCountMax = 6_144
    /// Collections that lie inside each other.
    package static let collectionDepthMax = 100
    /// Bytes of the id of a collection or a document.
    package static let segmentByteCountMax = 1_500
    /// Bytes of a field's path, with its dots.
    package static let fieldPathByteCountMax = 1_500

    /// Whether a name has the form `__.*__`, which Firestore keeps for itself.
    package static func isReserved(_ name: String) -> Bool {
        name.utf8.count >= 4 && name.utf8HasPrefix("__") && name.utf8HasSuffix("__")
    }
}

extension ResourcePath {
    /// Refuses a path that no document or collection can have, and that the backend would refuse.
    ///
    /// - Throws: `PathError.tooLong`, `tooDeep` or `refusedSegment`.
    /// - Complexity: O(1) for what is too long or too deep, else O(length).
    package func checkLimits() throws(PathError) {
        let byteCount = string.utf8.count
        guard byteCount <= PathLimits.pathByteCountMax else { throw .tooLong(byteCount: byteCount) }
        guard count <= PathLimits.collectionDepthMax * 2 else { throw .tooDeep(count: count) }
        for (index, segment) in segments.enumerated() {
            try Self.check(segment, isCollection: index.isMultiple(of: 2))
        }
    }

    private static func check(_ segment: String, isCollection: Bool) throws(PathError) {
        guard segment.utf8.count <= PathLimits.segmentByteCountMax else {
            throw .refusedSegment(
                segment,
                reason: "an id has \(PathLimits.segmentByteCountMax) bytes at most, and it has "
                    + "\(segment.utf8.count)")
        }
        if utf8Equals(segment, ".") || utf8Equals(segment, "..") {
            throw .refusedSegment(segment, reason: "no id is one dot or two")
        }
        guard PathLimits.isReserved(segment), isCollection || numericID(of: segment) == nil else {
            return
        }
        throw .refusedSegment(segment, reason: "ids of the form __.*__ are Firestore's own")
    }
}

extension PathSegment {
    /// Refuses an id that no collection can have.
    ///
    /// - Throws: `PathError.refusedSegment`.
    package func checkLimitsOfCollection() throws(PathError) {
        try ResourcePath([self]).checkLimits()
    }
}

extension FieldPath {
    /// Refuses a path that no field can have.
    ///
    /// - Throws: `PathError.badFieldPath`.
    package func checkLimits() throws(PathError) {
        var byteCount = max(0, count - 1)
        for segment in segments { byteCount += segment.utf8.count }
        guard byteCount <= PathLimits.fieldPathByteCountMax else {
            throw .badFieldPath(
                PathError.brief(canonicalString),
                reason: "it has \(byteCount) bytes, and the limit is "
                    + "\(PathLimits.fieldPathByteCountMax)")
        }
    }
}
