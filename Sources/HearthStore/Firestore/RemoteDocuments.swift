package import HearthFirestore
package import HearthModel

/// The table `remote_documents`: one row for each document, whatever its revisions.
extension SQLiteTransaction {
    /// What a row says of its document.
    enum DocumentKind: Int64 {
        case missing = 1
        case found = 2
        case unknown = 3
        /// A target names it, and nothing else is known.
        case invalid = 4
    }

    package func remoteDocument(_ key: DocumentKey) throws(StoreError) -> Document {
        guard let collection = try collectionID(key.collection) else { return .invalid(key) }
        let statement = try connection.statement(
            """
            SELECT kind, has_committed, read_at, version, content FROM remote_documents
            WHERE collection = ? AND name = ?
            """)
        let document = try statement.bind(collection, PathKey.name(of: key)).first {
            row throws(StoreError) in try self.document(key, from: row, at: 0)
        }
        return document ?? .invalid(key)
    }

    package func remoteDocuments(_ keys: some Collection<DocumentKey>) throws(StoreError)
        -> [DocumentKey: Document]
    {
        var result: [DocumentKey: Document] = [:]
        result.reserveCapacity(keys.count)
        for key in keys { result[key] = try remoteDocument(key) }
        return result
    }

    package func setRemoteDocument(_ document: Document) throws(StoreError) {
        precondition(document.readAt != .zero, "\(document.key) was never read")
        changes.insert(document.key)
        let (kind, version, content) = try parts(of: document)
        let collection = try makeCollectionID(document.key.collection)
        let name = PathKey.name(of: document.key)
        let readAt = TimeBytes.bytes(of: document.readAt)
        if let id = try documentID(collection, name) {
            let statement = try connection.statement(
                """
                UPDATE remote_documents
                SET kind = ?, has_committed = ?, read_at = ?, version = ?, content = ?
                WHERE id = ?
                """)
            try statement.bind(
                kind.rawValue, document.hasCommittedMutations, readAt, version, content, id
            ).run()
        } else {
            let statement = try connection.statement(
                """
                INSERT INTO remote_documents
                    (collection, name, kind, has_committed, read_at, version, content)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """)
            try statement.bind(
                collection, name, kind.rawValue, document.hasCommittedMutations, readAt, version,
                content
            ).run()
            let latest = max(memory.latestUse, try globals().sequenceNumber)
            try insertUse(connection.lastInsertedID, targetCount: 0, at: latest)
        }
    }

    package func removeRemoteDocument(_ key: DocumentKey) throws(StoreError) {
        guard let id = try documentID(key) else { return }
        try removeDocument(key, id)
    }

    /// Forgets the document of a row. The row stays as long as a target names it.
    func removeDocument(_ key: DocumentKey, _ id: Int64) throws(StoreError) {
        changes.insert(key)
        if try targetCount(id) > 0 {
            let statement = try connection.statement(
                """
                UPDATE remote_documents SET kind = 4, has_committed = 0, read_at = NULL,
                    version = NULL, content = NULL
                WHERE id = ?
                """)
            try statement.bind(id).run()
        } else {
            try connection.statement("DELETE FROM remote_documents WHERE id = ?").bind(id).run()
            try connection.statement("DELETE FROM document_use WHERE id = ?").bind(id).run()
        }
    }

    /// A document's row id, if it has a row.
    func documentID(_ key: DocumentKey) throws(StoreError) -> Int64? {
        guard let collection = try collectionID(key.collection) else { return nil }
        return try documentID(collection, PathKey.name(of: key))
    }

    /// Makes a row that says nothing of its document, for a target to name it.
    func insertInvalidDocument(_ collection: Int64, _ name: [UInt8]) throws(StoreError) -> Int64 {
        let statement = try connection.statement(
            """
            INSERT INTO remote_documents (collection, name, kind, has_committed)
            VALUES (?, ?, 4, 0)
            """)
        try statement.bind(collection, name).run()
        return connection.lastInsertedID
    }

    /// A document's row id by its collection's and its name.
    func documentID(_ collection: Int64, _ name: [UInt8]) throws(StoreError) -> Int64? {
        let statement = try connection.statement(
            "SELECT id FROM remote_documents WHERE collection = ? AND name = ?")
        return try statement.bind(collection, name).first { $0.int(0) }
    }

    /// Reads the columns kind, has_committed, read_at, version and content.
    func document(_ key: DocumentKey, from row: borrowing Row, at column: Int32)
        throws(StoreError) -> Document
    {
        guard let kind = DocumentKind(rawValue: row.int(column)) else {
            throw .damaged("the kind of \(key)")
        }
        var document: Document
        switch kind {
        case .invalid:
            return .invalid(key)
        case .missing:
            document = .missing(key, at: try row.version(column + 3))
        case .unknown:
            document = .unknown(key, at: try row.version(column + 3))
        case .found:
            document = try row.withBytes(column + 4) { content throws(StoreError) in
                try reader.document(key, content: content)
            }
        }
        if row.bool(column + 1) { document.markCommittedMutations() }
        document.readAt = try row.version(column + 2)
        return document
    }

    private func parts(of document: Document) throws(StoreError)
        -> (kind: DocumentKind, version: [UInt8]?, content: [UInt8]?)
    {
        switch document.content {
        case .found: (.found, nil, try reader.content(of: document))
        case .missing: (.missing, TimeBytes.bytes(of: document.version), nil)
        case .unknown: (.unknown, TimeBytes.bytes(of: document.version), nil)
        case .invalid: preconditionFailure("\(document.key) is not known")
        }
    }
}
