package import HearthEngine
import HearthFirestore
package import HearthModel
import HearthProtocol
import HearthSQLite

/// What the group knows of documents.
struct DocumentMemory {
    /// The rows that the group has looked up or made.
    var rows: [DocumentKey: DocumentRow] = [:]
    /// The documents that the group read last, if few.
    var recent: [DocumentKey: Document] = [:]
}

/// The table `remote_documents`: one row for each document, however many revisions there were.
extension SQLiteTransaction {
    package func remoteDocument(_ key: DocumentKey) throws(StoreError) -> Document {
        let document = try remoteDocument(key, by: remoteDocumentStatement(), isOutline: false)
        // Who lists a pending effect looks at it again.
        if try indexGroup(of: key) != nil {
            if memory.documents.recent.count >= StoreLimits.documentCountMax {
                memory.documents.recent = [:]
            }
            memory.documents.recent[key] = document
        }
        return document
    }

    package func remoteDocuments(_ keys: some Collection<DocumentKey>) throws(StoreError)
        -> [DocumentKey: Document]
    {
        var result: [DocumentKey: Document] = [:]
        result.reserveCapacity(keys.count)
        let statement = try remoteDocumentStatement()
        for key in keys { result[key] = try remoteDocument(key, by: statement, isOutline: false) }
        if keys.count <= StoreLimits.documentCountMax { memory.documents.recent = result }
        return result
    }

    package func remoteOutlines(_ keys: [DocumentKey]) throws(StoreError) -> [Document] {
        var result: [Document] = []
        result.reserveCapacity(keys.count)
        let statement = try remoteDocumentStatement()
        for key in keys {
            result.append(try remoteDocument(key, by: statement, isOutline: true))
        }
        return result
    }

    private func remoteDocumentStatement() throws(StoreError) -> Statement {
        try connection.statement(
            """
            SELECT id, kind, has_committed, read_at, version, content FROM remote_documents
            WHERE collection = ? AND name = ?
            """)
    }

    /// Reads a document and remembers its row, because most likely it is about to be written.
    private func remoteDocument(
        _ key: DocumentKey, by statement: Statement, isOutline: Bool
    ) throws(StoreError) -> Document {
        guard let name = try name(of: key) else { return .invalid(key) }
        var row = DocumentRow.absent
        let known = try statement.bind(name.collection, name.bytes).first {
            found throws(StoreError) in
            let known = try document(key, from: found, at: 1, isOutline: isOutline)
            row = try DocumentRow(id: found.int(0), storedKind: found.int(1))
            return known
        }
        remember(row, of: key)
        return known ?? .invalid(key)
    }

    package func noteChanges(of keys: some Sequence<DocumentKey>) {
        for key in keys { changes.insert(key) }
    }

    package func setRemoteDocument(_ document: Document) throws(StoreError) {
        let used = max(memory.uses.latest, try globals().sequenceNumber)
        try setRemoteDocument(document, used: used)
    }

    /// The same with when the document counts as used, if it is new.
    func setRemoteDocument(_ document: Document, used: ListenSequenceNumber) throws(StoreError) {
        precondition(document.readAt != .zero, "\(document.key) was never read")
        let (kind, version, content) = try parts(of: document)
        try logged { () throws(StoreError) in
            try store(document, kind, version, content, used)
        } as: {
            $0.document(document, kind, content: content, used: used)
        }
    }

    private func store(
        _ document: Document, _ kind: DocumentKind, _ version: [UInt8]?, _ content: [UInt8]?,
        _ used: ListenSequenceNumber
    ) throws(StoreError) {
        changes.insert(document.key)
        memory.documents.recent[document.key] = nil
        let documentName = try makeName(of: document.key)
        let (collection, name) = (documentName.collection, documentName.bytes)
        let readAt = TimeBytes.bytes(of: document.readAt)
        let group = try indexGroup(of: document.key)
        let old = try row(of: document.key, collection, name)
        let oldFields = try group.flatMap { (group) throws(StoreError) in
            try storedFields(group.selection, of: old)
        }
        let id: Int64
        if old.kind != nil {
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
            memory.uses.new[id] = used
        }
        remember(DocumentRow(id: id, kind: kind), of: document.key)
        if old.kind ?? .invalid == .invalid { try tally { $0.documentCount += 1 } }
        guard let group else { return }
        let path = document.key.collection
        let place = Place(id: id, collection: collection, path: path, name: name)
        let fields = document.isFound ? document.fields : nil
        try relist(place, from: oldFields, to: fields, in: group)
        try relistOverlays(on: document, collection, name, group)
    }

    package func removeRemoteDocument(_ key: DocumentKey) throws(StoreError) {
        guard let id = try documentID(key) else { return }
        try logged { () throws(StoreError) in
            try removeDocument(key, id)
        } as: {
            $0.documentRemoved(key)
        }
    }

    /// Forgets the document of a row. The row stays as long as a target names it.
    func removeDocument(_ key: DocumentKey, _ id: Int64) throws(StoreError) {
        changes.insert(key)
        try unlist(key, id)
        memory.documents.rows[key] = nil
        memory.documents.recent[key] = nil
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
            let kind =
                try connection.statement("SELECT kind FROM remote_documents WHERE id = ?")
                .bind(id).first { $0.int(0) } ?? DocumentKind.invalid.rawValue
            try deleteRow(id, isKnown: kind != DocumentKind.invalid.rawValue)
        }
    }

    /// Deletes the row of a document that no target names.
    func deleteRow(_ id: Int64, isKnown: Bool) throws(StoreError) {
        try connection.statement("DELETE FROM remote_documents WHERE id = ?").bind(id).run()
        try connection.statement("DELETE FROM document_use WHERE id = ?").bind(id).run()
        try tally {
            $0.documentCount -= isKnown ? 1 : 0
            $0.orphanCount -= 1
        }
    }

    /// A document's row, as the group knows it or the file says.
    private func row(of key: DocumentKey, _ collection: Int64, _ name: [UInt8])
        throws(StoreError) -> DocumentRow
    {
        if let row = memory.documents.rows[key] { return row }
        let statement = try connection.statement(
            "SELECT id, kind FROM remote_documents WHERE collection = ? AND name = ?")
        return try statement.bind(collection, name).first { row throws(StoreError) in
            try DocumentRow(id: row.int(0), storedKind: row.int(1))
        } ?? .absent
    }

    /// Some fields of the document of a row; `nil` if it is not found.
    private func storedFields(_ selection: FieldSelection, of row: DocumentRow) throws(StoreError)
        -> MapValue?
    {
        guard row.kind == .found else { return nil }
        let statement = try connection.statement(
            "SELECT content FROM remote_documents WHERE id = ?")
        return try statement.bind(row.id).first { row throws(StoreError) in
            try row.withBytes(0) { content throws(StoreError) in
                try reader.fields(selection, of: content)
            }
        }
    }

    /// Remembers a row for the rest of the group.
    func remember(_ row: DocumentRow, of key: DocumentKey) {
        if memory.documents.rows.count >= StoreLimits.rowCountMax { memory.documents.rows = [:] }
        memory.documents.rows[key] = row
    }

    /// Lists a document no longer, because it is about to be forgotten.
    private func unlist(_ key: DocumentKey, _ id: Int64) throws(StoreError) {
        let path = key.collection
        guard let group = try indexGroup(of: path), let collection = try collectionID(path) else {
            return
        }
        let name = PathKey.name(of: key)
        let place = Place(id: id, collection: collection, path: path, name: name)
        let old = try storedFields(group.selection, of: try row(of: key, collection, name))
        try relist(place, from: old, to: nil, in: group)
        try relistOverlays(on: .invalid(key), collection, name, group)
    }

    /// A document's row id, if it has a row.
    func documentID(_ key: DocumentKey) throws(StoreError) -> Int64? {
        if let row = memory.documents.rows[key] { return row.kind == nil ? nil : row.id }
        guard let name = try name(of: key) else { return nil }
        return try documentID(name.collection, name.bytes)
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
