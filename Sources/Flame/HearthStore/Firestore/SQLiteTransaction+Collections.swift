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

/// A collection's row id, and its path.
typealias CollectionRow = (id: Int64, path: ResourcePath)

/// The table `collections`, whose row ids stand for collections everywhere else.
extension SQLiteTransaction {
    package func collections(inGroup group: String) throws(StoreError) -> [ResourcePath] {
        var paths: [ResourcePath] = []
        try whileNextCollection(inGroup: group, below: .root) { row in
            paths.append(row.path)
            return true
        }
        return paths
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

    /// Walks through the collections of a group below a path, in their order, while `body` returns
    /// true.
    ///
    /// - Complexity: O(collections that `body` is given, and a page of them).
    func whileNextCollection(
        inGroup group: String, below path: ResourcePath,
        _ body: (CollectionRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var rows: [CollectionRow]
        var last = path
        repeat {
            rows = try collections(inGroup: group, below: path, behind: last)
            for row in rows {
                guard try body(row) else { return }
                last = row.path
            }
        } while rows.count == StoreLimits.collectionPageCount
    }

    /// The first collections of a group below a path, behind another path: a page at most.
    func collections(
        inGroup group: String, below path: ResourcePath, behind last: ResourcePath
    ) throws(StoreError) -> [CollectionRow] {
        let statement = try connection.statement(
            """
            SELECT id, path FROM collections
            WHERE collection_group = ? AND path > ? ORDER BY path LIMIT ?
            """)
        statement.bind(group, PathKey.bytes(of: last), StoreLimits.collectionPageCount)
        var rows: [CollectionRow] = []
        try statement.whileNext { row throws(StoreError) in
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
