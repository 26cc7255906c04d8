import HearthEngine
import HearthModel
import HearthSQLite

/// Pages of a store's content, for a caller that copies the whole store; no engine asks for pages.
extension SQLiteTransaction {
    /// Documents of a collection that exist, as the backend last told them, in the order of names.
    ///
    /// - Parameter key: The document behind which the page begins; `nil` for the first page.
    func remoteDocuments(
        in path: ResourcePath, after key: DocumentKey?
    ) throws(StoreError) -> [Document] {
        guard let collection = try collectionID(path) else { return [] }
        let statement = try connection.statement(
            """
            SELECT name, kind, has_committed, read_at, version, content, length(content)
            FROM remote_documents INDEXED BY remote_documents_by_name
            WHERE collection = ? AND name > ? AND kind IN (2, 3) ORDER BY name
            """)
        statement.bind(collection, key.map { PathKey.name(of: $0) } ?? [])
        var page: [Document] = []
        var byteCount = 0
        try statement.whileNext { row throws(StoreError) in
            let key = try row.withBytes(0) { name throws(StoreError) in
                try PathKey.key(in: path, named: name)
            }
            page.append(try document(key, from: row, at: 1))
            byteCount += Int(row.int(6))
            return page.count < StoreLimits.pageDocumentCountMax
                && byteCount < StoreLimits.pageByteCountMax
        }
        return page
    }
}
