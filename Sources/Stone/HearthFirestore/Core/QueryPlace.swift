import HearthModel

/// Where queries look: what many queries are found by when a document changes.
enum QueryPlace: Hashable, Sendable {
    /// A collection, or one document.
    case path(ResourcePath)
    /// A collection group, below any path.
    case group(UTF8Text)

    /// Where a query looks.
    init(_ query: Query) {
        if let group = query.collectionGroup {
            self = .group(UTF8Text(group))
        } else {
            self = .path(query.path)
        }
    }

    /// The places where a document lies.
    static func all(of key: DocumentKey) -> [QueryPlace] {
        [.path(key.collection), .path(key.path), .group(UTF8Text(key.collectionGroup))]
    }
}
