import HashTreeCollections
import HearthEngine
import HearthModel

extension LocalStore {
    /// Takes a bundle's documents and named queries into the cache.
    ///
    /// - Parameter isInUse: Whether a target has views; others are known to the disk alone.
    /// - Returns: The local documents that may differ.
    mutating func load(
        _ bundle: Bundle, _ store: any FirestoreTransaction, isInUse: (TargetID) -> Bool
    ) throws(StoreError) -> [Document] {
        let changed = try loadDocuments(of: bundle, store, isInUse: isInUse)
        let members = Self.members(of: bundle)
        for query in bundle.namedQueries {
            try load(query, members[UTF8Text(query.name)] ?? [], store, isInUse: isInUse)
        }
        return changed
    }

    /// The documents of each named query, found once for all. O(n).
    private static func members(of bundle: Bundle) -> [UTF8Text: [DocumentKey]] {
        var members: [UTF8Text: [DocumentKey]] = [:]
        for entry in bundle.entries where entry.document.isFound {
            for name in Set(entry.queries.map { UTF8Text($0) }) {
                members[name, default: []].append(entry.document.key)
            }
        }
        return members
    }

    /// One target holds all documents of a bundle; otherwise the store could collect them at once.
    private mutating func loadDocuments(
        of bundle: Bundle, _ store: any FirestoreTransaction, isInUse: (TargetID) -> Bool
    ) throws(StoreError) -> [Document] {
        let path = ResourcePath(["__bundle__", "docs"]).appending(bundle.pathSegment)
        let umbrella = try allocate(Query(path: path).target, store)
        var documents: TreeDictionary<DocumentKey, Document> = [:]
        for entry in bundle.entries {
            var document = entry.document
            if document.readAt == .zero { document.readAt = document.version }
            documents[document.key] = document
        }
        let changed = try storeAll(Array(documents.values), store)
        try store.removeAllKeys(from: umbrella.id)
        let found = documents.values.filter(\.isFound).map(\.key)
        try store.addKeys(found, to: umbrella.id, at: sequenceNumber())
        if !isInUse(umbrella.id) { forget(umbrella.id) }
        return changed
    }

    private mutating func load(
        _ named: NamedQuery, _ keys: [DocumentKey], _ store: any FirestoreTransaction,
        isInUse: (TargetID) -> Bool
    ) throws(StoreError) {
        var data = try allocate(named.query.target, store)
        if named.readAt > data.snapshotVersion {
            data.resumeToken = nil
            data.snapshotVersion = named.readAt
            data.sequenceNumber = sequenceNumber()
            targets[data.id] = data
            try store.setTargetData(data)
            try store.removeAllKeys(from: data.id)
            try store.addKeys(keys, to: data.id, at: sequenceNumber())
        }
        if !isInUse(data.id) { forget(data.id) }
        try store.setNamedQuery(named)
    }
}

extension Bundle {
    /// The bundle's id as one segment of a path.
    fileprivate var pathSegment: PathSegment {
        let bytes = record.id.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
        return (try? PathSegment(parsing: String(decoding: bytes, as: UTF8.self))) ?? "_"
    }
}
