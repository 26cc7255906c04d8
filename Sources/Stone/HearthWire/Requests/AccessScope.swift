package import HearthModel

/// What a request concerns.
package enum AccessScope: Hashable, Sendable {
    /// One document.
    case document(ResourcePath)
    /// The documents of one collection, but not what is below them.
    case collection(ResourcePath)
    /// The documents of all collections of an id, anywhere below a path.
    case group(below: ResourcePath)
    /// All of the database.
    case everything
    /// Whatever there is that may be seen: for what concerns no document.
    case anything

    /// What a query can find.
    package init(_ query: Query) {
        if let key = query.documentKey {
            self = .document(key.path)
        } else if query.collectionGroup != nil {
            self = .group(below: query.path)
        } else {
            self = .collection(query.path)
        }
    }
}

extension AccessScope: CustomStringConvertible {
    package var description: String {
        switch self {
        case .document(let path), .collection(let path): path.string
        case .group(let path): path.isEmpty ? "a collection group" : "a group below \(path)"
        case .everything: "the whole database"
        case .anything: "anything"
        }
    }
}
