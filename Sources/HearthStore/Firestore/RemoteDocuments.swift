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

    package func remoteOutlines(_ keys: some Collection<DocumentKey>) throws(StoreError)
        -> [DocumentKey: Document]
    {
        var result: [DocumentKey: Document] = [:]
        result.reserveCapacity(keys.count)
        let statement = try connection.statement(
            """
            SELECT kind, has_committed, read_at, version, content FROM remote_documents
            WHERE collection = ? AND name = ?
            """)
        for key in keys {
            guard let collection = try collectionID(key.collection) else {
                result[key] = .invalid(key)
                continue
            }
            result[key] =
                try statement.bind(collection, PathKey.name(of: key)).first {
                    row throws(StoreError) in
                    try document(key, from: row, at: 0, isOutline: true)
                } ?? .invalid(key)
        }
        return result
    }

    package func setRemoteDocument(_ document: Document) throws(StoreError) {
        precondition(document.readAt != .zero, "\(document.key) was never read")
        changes.insert(document.key)
        let (kind, version, content) = try parts(of: document)
        let path = document.key.collection
        let collection = try makeCollectionID(path)
        let name = PathKey.name(of: document.key)
        let readAt = TimeBytes.bytes(of: document.readAt)
        let group = try indexGroup(of: path)
        let old = try known(collection, name, group)
        let id: Int64
        if let old {
            id = old.id
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
            id = connection.lastInsertedID
            let latest = max(memory.latestUse, try globals().sequenceNumber)
            try insertUse(id, targetCount: 0, at: latest)
        }
        if old?.kind ?? .invalid == .invalid { try tally { $0.documentCount += 1 } }
        guard let group else { return }
        let place = Place(id: id, collection: collection, path: path, name: name)
        let fields = document.isFound ? document.fields : nil
        try relist(place, from: old?.fields, to: fields, in: group)
        try relistOverlays(on: document, collection, name, group)
    }

    package func removeRemoteDocument(_ key: DocumentKey) throws(StoreError) {
        guard let id = try documentID(key) else { return }
        try removeDocument(key, id)
    }

    /// Forgets the document of a row. The row stays as long as a target names it.
    func removeDocument(_ key: DocumentKey, _ id: Int64) throws(StoreError) {
        changes.insert(key)
        try unlist(key, id)
        if try targetCount(id) > 0 {
            let statement = try connection.statement(
                """
                UPDATE remote_documents SET kind = 4, has_committed = 0, read_at = NULL,
                    version = NULL, content = NULL
                WHERE id = ? AND kind <> 4
                """)
            try statement.bind(id).run()
            if connection.changeCount > 0 { try tally { $0.documentCount -= 1 } }
        } else {
            let statement = try connection.statement(
                "DELETE FROM remote_documents WHERE id = ? RETURNING kind")
            var kind = DocumentKind.invalid.rawValue
            try statement.bind(id).forEach { kind = $0.int(0) }
            try connection.statement("DELETE FROM document_use WHERE id = ?").bind(id).run()
            try tally {
                if kind != DocumentKind.invalid.rawValue { $0.documentCount -= 1 }
                $0.orphanCount -= 1
            }
        }
    }

    /// What a row says, as far as its indexes must know it.
    private struct Known {
        let id: Int64
        let kind: DocumentKind
        let fields: MapValue?
    }

    private func known(_ collection: Int64, _ name: [UInt8], _ group: IndexTable.Group?)
        throws(StoreError) -> Known?
    {
        let statement = try connection.statement(
            "SELECT id, kind, content FROM remote_documents WHERE collection = ? AND name = ?")
        return try statement.bind(collection, name).first { row throws(StoreError) in
            guard let kind = DocumentKind(rawValue: row.int(1)) else {
                throw .damaged("the kind of a document")
            }
            guard let group, kind == .found else {
                return Known(id: row.int(0), kind: kind, fields: nil)
            }
            let fields = try row.withBytes(2) { content throws(StoreError) in
                try reader.fields(group.selection, of: content)
            }
            return Known(id: row.int(0), kind: kind, fields: fields)
        }
    }

    /// Lists a document no longer, because it is about to be forgotten.
    private func unlist(_ key: DocumentKey, _ id: Int64) throws(StoreError) {
        let path = key.collection
        guard let group = try indexGroup(of: path), let collection = try collectionID(path) else {
            return
        }
        let name = PathKey.name(of: key)
        let place = Place(id: id, collection: collection, path: path, name: name)
        let old = try known(collection, name, group)
        try relist(place, from: old?.fields, to: nil, in: group)
        try relistOverlays(on: .invalid(key), collection, name, group)
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
    ///
    /// - Parameter isOutline: Whether the fields of a found document are left out.
    func document(
        _ key: DocumentKey, from row: borrowing Row, at column: Int32, isOutline: Bool = false
    ) throws(StoreError) -> Document {
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
                try isOutline
                    ? reader.outline(key, content: content)
                    : reader.document(key, content: content)
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
