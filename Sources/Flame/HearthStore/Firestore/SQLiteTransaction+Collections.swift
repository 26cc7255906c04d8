import HashTreeCollections
package import HearthEngine
import HearthFirestore
package import HearthModel
import HearthSQLite

/// The collections that were looked up, both ways. Trees, because each turn keeps a copy.
struct CollectionMemory {
    var ids: TreeDictionary<ResourcePath, Int64> = [:]
    var paths: TreeDictionary<Int64, ResourcePath> = [:]
}

/// The table `collections`, whose row ids stand for collections everywhere else.
extension SQLiteTransaction {
    package func collections(inGroup group: String) throws(StoreError) -> [ResourcePath] {
        try collectionRows(inGroup: group, below: .root).map(\.path)
    }

    /// The collections below a path, behind another, in order.
    func collections(
        below path: ResourcePath, after: ResourcePath, count: Int
    ) throws(StoreError) -> [ResourcePath] {
        let statement = try connection.statement(
            "SELECT path FROM collections WHERE path > ? ORDER BY path")
        let ends = [PathKey.bytes(of: path), PathKey.bytes(of: after)]
        let start = ends[0].lexicographicallyPrecedes(ends[1]) ? ends[1] : ends[0]
        var found: [ResourcePath] = []
        try statement.bind(start).whileNext { row throws(StoreError) in
            let collection = try row.withBytes(0) { bytes throws(StoreError) in
                try PathKey.path(from: bytes)
            }
            guard path.isPrefix(of: collection) else { return false }
            found.append(collection)
            return found.count < count
        }
        return found
    }

    /// A collection's row id; `nil` if it holds nothing, as far as anybody has looked.
    func collectionID(_ collection: ResourcePath) throws(StoreError) -> Int64? {
        if let id = memory.collections.ids[collection] { return id }
        let statement = try connection.statement("SELECT id FROM collections WHERE path = ?")
        let id = try statement.bind(PathKey.bytes(of: collection)).first { $0.int(0) }
        if let id { remember(collection, id) }
        return id
    }

    /// A collection's row id, made if need be.
    func makeCollectionID(_ collection: ResourcePath) throws(StoreError) -> Int64 {
        if let id = try collectionID(collection) { return id }
        let statement = try connection.statement(
            "INSERT INTO collections (path, collection_group) VALUES (?, ?)")
        try statement.bind(PathKey.bytes(of: collection), collection.last).run()
        let id = connection.lastInsertedID
        remember(collection, id)
        return id
    }

    /// The collection with a row id.
    func collection(_ id: Int64) throws(StoreError) -> ResourcePath {
        if let path = memory.collections.paths[id] { return path }
        let statement = try connection.statement("SELECT path FROM collections WHERE id = ?")
        let path = try statement.bind(id).first { row throws(StoreError) in
            try row.withBytes(0) { bytes throws(StoreError) in try PathKey.path(from: bytes) }
        }
        guard let path else { throw .damaged("collection \(id) is gone") }
        remember(path, id)
        return path
    }

    /// The collections where a query looks that hold anything, or did lately.
    func collectionRows(of query: Query) throws(StoreError) -> [(id: Int64, path: ResourcePath)] {
        if let group = query.collectionGroup {
            return try collectionRows(inGroup: group, below: query.path)
        }
        return try collectionID(query.path).map { [($0, query.path)] } ?? []
    }

    private func collectionRows(inGroup group: String, below path: ResourcePath)
        throws(StoreError) -> [(id: Int64, path: ResourcePath)]
    {
        let statement = try connection.statement(
            """
            SELECT id, path FROM collections
            WHERE collection_group = ? AND path >= ? ORDER BY path
            """)
        var rows: [(id: Int64, path: ResourcePath)] = []
        try statement.bind(group, PathKey.bytes(of: path)).whileNext { row throws(StoreError) in
            let found = try row.withBytes(1) { bytes throws(StoreError) in
                try PathKey.path(from: bytes)
            }
            guard path.isPrefix(of: found) else { return false }
            rows.append((row.int(0), found))
            return true
        }
        return rows
    }

    private func remember(_ collection: ResourcePath, _ id: Int64) {
        if memory.collections.ids.count >= StoreLimits.collectionCountMax {
            memory.collections.ids = [:]
            memory.collections.paths = [:]
        }
        memory.collections.ids[collection] = id
        memory.collections.paths[id] = collection
    }
}
