package import HearthModel

/// The part of a database that a request concerns.
package enum AccessScope: Hashable, Sendable {
    /// One document.
    case document(ResourcePath)
    /// The documents of one collection, without the collections below.
    case collection(ResourcePath)
    /// The documents of all collections of an id, anywhere below a path.
    case group(below: ResourcePath)
    /// A node of the Realtime Database with all below it.
    case subtree(RealtimePath)
    /// All of the database.
    case everything
    /// Any document at all: for a request that concerns no document.
    case anything

    /// The documents that a query can find.
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
        case .subtree(let path): path.description
        case .everything: "the whole database"
        case .anything: "anything"
        }
    }
}
