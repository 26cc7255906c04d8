package import HearthModel

/// A path by its segments, such as `/databases/(default)/documents/rooms/hall`.
package struct RulePath: Hashable, Sendable {
    /// The segments, none empty.
    package let segments: [UTF8Text]

    /// Joins segments.
    package init(_ segments: [String]) {
        self.segments = segments.map { UTF8Text($0) }
    }

    /// The path of a document or collection.
    package init(_ name: DocumentName) {
        self.init(
            ["databases", name.database.database, "documents"] + name.path.segments)
    }

    /// The text with a slash before each segment.
    package var text: String { segments.map { "/\($0.string)" }.joined() }
}
