/// The path of a document: an even, non-zero number of segments.
package struct DocumentKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The document's path below `documents`.
    package let path: ResourcePath

    /// Returns `nil` unless `path` has the shape of a document's.
    package init?(_ path: ResourcePath) {
        guard path.count > 0, path.count.isMultiple(of: 2) else { return nil }
        self.path = path
    }

    /// Reads a user's path to a document.
    ///
    /// - Throws: `PathError` for a path that cannot be read, or that leads to a collection.
    package init(parsing text: String) throws(PathError) {
        let path = try ResourcePath(parsing: text)
        guard let key = DocumentKey(path) else {
            throw .wrongSegmentCount(path: text, count: path.count)
        }
        self = key
    }

    /// The collection that holds the document.
    package var collection: ResourcePath { path.parent }

    /// The last segment of `collection`.
    package var collectionGroup: String { path.beforeLast }

    /// The last segment.
    package var documentID: String { path.last }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.path < rhs.path }

    /// Orders two keys: negative, zero or positive.
    package func compare(to other: DocumentKey) -> Int { path.compare(to: other.path) }

    package var description: String { path.string }
}
