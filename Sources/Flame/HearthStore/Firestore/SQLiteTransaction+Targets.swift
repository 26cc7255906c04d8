package import HearthEngine
package import HearthFirestore
package import HearthModel
import HearthProtocol
import HearthSQLite

/// What is known of when documents were used.
struct UseMemory {
    /// The latest use that was noted. A document that comes without a use counts as used then.
    var latest: ListenSequenceNumber = 0
    /// When documents were used whose rows are new and not in `document_use` yet.
    ///
    /// A target mostly takes such a document before anybody asks, and then `document_use` is
    /// written only once.
    var new: [Int64: ListenSequenceNumber] = [:]
}

/// The tables `targets` and `target_documents`, and the use of documents.
extension SQLiteTransaction {
    package func targetData(for target: Target) throws(StoreError) -> TargetData? {
        let statement = try connection.statement(
            """
            SELECT id, purpose, sequence, snapshot_version, limbo_free_version, resume_token
            FROM targets WHERE target = ?
            """)
        return try statement.bind(try bytes(of: target)).first { row throws(StoreError) in
            guard let purpose = TargetPurpose(stored: row.int(1)) else {
                throw .damaged("the purpose of target \(row.int(0))")
            }
            return TargetData(
                id: TargetID(Int32(truncatingIfNeeded: row.int(0))), target: target,
                purpose: purpose, sequenceNumber: row.int(2),
                snapshotVersion: try row.version(3), limboFreeVersion: try row.version(4),
                resumeToken: ResumeToken(row.bytes(5)))
        }
    }

    package func setTargetData(_ data: TargetData) throws(StoreError) {
        let target = try bytes(of: data.target)
        try logged { () throws(StoreError) in
            try store(data, target)
        } as: {
            $0.target(data, bytes: target)
        }
    }

    private func store(_ data: TargetData, _ target: [UInt8]) throws(StoreError) {
        let update = try connection.statement(
            """
            UPDATE targets SET target = ?2, purpose = ?3, sequence = ?4, snapshot_version = ?5,
                limbo_free_version = ?6, resume_token = ?7
            WHERE id = ?1
            """)
        bind(data, target, to: update)
        try update.run()
        if connection.changeCount > 0 { return }
        let insert = try connection.statement("INSERT INTO targets VALUES (?, ?, ?, ?, ?, ?, ?)")
        bind(data, target, to: insert)
        try insert.run()
        try tally { $0.targetCount += 1 }
    }

    package func removeTarget(_ id: TargetID) throws(StoreError) {
        try removeAllKeys(from: id)
        try connection.statement("DELETE FROM targets WHERE id = ?")
            .bind(Int64(id.rawValue)).run()
        if connection.changeCount > 0 { try tally { $0.targetCount -= 1 } }
    }

    package func keys(of target: TargetID) throws(StoreError) -> [DocumentKey] {
        let statement = try connection.statement(
            """
            SELECT d.collection, d.name FROM target_documents t
            JOIN remote_documents d ON d.id = t.document WHERE t.target = ?
            """)
        return try statement.bind(Int64(target.rawValue)).map { row throws(StoreError) in
            let collection = try self.collection(row.int(0))
            return try row.withBytes(1) { name throws(StoreError) in
                try PathKey.key(in: collection, named: name)
            }
        }
    }

    package func keyCount(of target: TargetID, upTo countMax: Int) throws(StoreError) -> Int {
        let statement = try connection.statement(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM target_documents WHERE target = ? LIMIT ?)
            """)
        return try statement.bind(Int64(target.rawValue), countMax).first { Int($0.int(0)) } ?? 0
    }

    package func addKeys(
        _ keys: some Collection<DocumentKey>, to target: TargetID, at: ListenSequenceNumber
    ) throws(StoreError) {
        try logged { () throws(StoreError) in
            try link(keys, to: target, at: at)
        } as: {
            $0.keys(keys, of: target, areAdded: true, at: at)
        }
    }

    private func link(
        _ keys: some Collection<DocumentKey>, to target: TargetID, at: ListenSequenceNumber
    ) throws(StoreError) {
        let link = try connection.statement(
            "INSERT OR IGNORE INTO target_documents VALUES (?, ?)")
        for key in keys {
            if let id = try documentID(key) {
                try link.bind(Int64(target.rawValue), id).run()
                try changeUse(of: id, by: connection.changeCount, at: at)
            } else {
                let id = try insertInvalidDocument(key)
                try link.bind(Int64(target.rawValue), id).run()
                try insertUse(id, targetCount: 1, at: at)
            }
        }
        memory.uses.latest = max(memory.uses.latest, at)
    }

    package func removeKeys(
        _ keys: some Collection<DocumentKey>, from target: TargetID, at: ListenSequenceNumber
    ) throws(StoreError) {
        try logged { () throws(StoreError) in
            try unlink(keys, from: target, at: at)
        } as: {
            $0.keys(keys, of: target, areAdded: false, at: at)
        }
    }

    private func unlink(
        _ keys: some Collection<DocumentKey>, from target: TargetID, at: ListenSequenceNumber
    ) throws(StoreError) {
        let unlink = try connection.statement(
            "DELETE FROM target_documents WHERE target = ? AND document = ?")
        for key in keys {
            guard let id = try documentID(key) else { continue }
            try unlink.bind(Int64(target.rawValue), id).run()
            try changeUse(of: id, by: -connection.changeCount, at: at)
        }
        memory.uses.latest = max(memory.uses.latest, at)
    }

    package func removeAllKeys(from target: TargetID) throws(StoreError) {
        let statement = try connection.statement(
            "SELECT document FROM target_documents WHERE target = ?")
        let ids = try statement.bind(Int64(target.rawValue)).map { $0.int(0) }
        try connection.statement("DELETE FROM target_documents WHERE target = ?")
            .bind(Int64(target.rawValue)).run()
        for id in ids { try changeUse(of: id, by: -1, at: nil) }
    }

    package func isInAnyTarget(_ key: DocumentKey) throws(StoreError) -> Bool {
        guard let id = try documentID(key) else { return false }
        return try targetCount(id) > 0
    }

    package func touch(_ keys: some Collection<DocumentKey>, at: ListenSequenceNumber)
        throws(StoreError)
    {
        if keys.isEmpty { return }
        try logged { () throws(StoreError) in
            try storeUse(of: keys, at: at)
        } as: {
            $0.used(keys, at: at)
        }
    }

    private func storeUse(of keys: some Collection<DocumentKey>, at: ListenSequenceNumber)
        throws(StoreError)
    {
        for key in keys {
            guard let id = try documentID(key) else { continue }
            if memory.uses.new[id] != nil {
                memory.uses.new[id] = at
            } else {
                try connection.statement("UPDATE document_use SET used = ? WHERE id = ?")
                    .bind(at, id).run()
            }
        }
        memory.uses.latest = max(memory.uses.latest, at)
    }

    /// Makes a row without content for a document, so that a target can name the document.
    private func insertInvalidDocument(_ key: DocumentKey) throws(StoreError) -> Int64 {
        let collection = try makeCollectionID(key.collection)
        let statement = try connection.statement(
            """
            INSERT INTO remote_documents (collection, name, kind, has_committed)
            VALUES (?, ?, 4, 0)
            """)
        try statement.bind(collection, PathKey.name(of: key)).run()
        let id = connection.lastInsertedID
        remember(DocumentRow(id: id, kind: .invalid), of: key)
        return id
    }

    /// Notes the use of a new row of `remote_documents`.
    func insertUse(_ id: Int64, targetCount: Int, at: ListenSequenceNumber) throws(StoreError) {
        try connection.statement("INSERT INTO document_use VALUES (?, ?, ?)")
            .bind(id, targetCount, at).run()
        if targetCount == 0 { try tally { $0.orphanCount += 1 } }
    }

    /// Notes the use of new rows that no target has taken.
    func noteNewUses() throws(StoreError) {
        if memory.uses.new.isEmpty { return }
        let uses = memory.uses.new.sorted { $0.key < $1.key }
        memory.uses.new = [:]
        for (id, at) in uses { try insertUse(id, targetCount: 0, at: at) }
    }

    /// How many targets name the document of a row.
    func targetCount(_ id: Int64) throws(StoreError) -> Int64 {
        try noteNewUses()
        return try connection.statement("SELECT targets FROM document_use WHERE id = ?")
            .bind(id).first { $0.int(0) } ?? 0
    }

    /// Notes that a document joined a target (1), left one (-1) or was used (0).
    ///
    /// The row of an unknown document goes with the last target that named the document.
    func changeUse(of id: Int64, by change: Int64, at: ListenSequenceNumber?) throws(StoreError) {
        if let noted = memory.uses.new.removeValue(forKey: id) {
            try insertUse(id, targetCount: Int(change), at: at ?? noted)
            return
        }
        // Two statements, because RETURNING makes a table of its own each time.
        let before = try connection.statement("SELECT targets FROM document_use WHERE id = ?")
            .bind(id).first { $0.int(0) }
        let statement = try connection.statement(
            """
            UPDATE document_use SET targets = targets + ?1, used = coalesce(?2, used)
            WHERE id = ?3
            """)
        try statement.bind(change, at, id).run()
        if change > 0, before == 0 { try tally { $0.orphanCount -= 1 } }
        guard change < 0, let before, before + change == 0 else { return }
        memory.documents.rows = [:]
        let forget = try connection.statement(
            "DELETE FROM remote_documents WHERE id = ? AND kind = 4")
        try forget.bind(id).run()
        if connection.changeCount > 0 {
            try connection.statement("DELETE FROM document_use WHERE id = ?").bind(id).run()
        } else {
            try tally { $0.orphanCount += 1 }
        }
    }

    private func bind(_ data: TargetData, _ target: [UInt8], to statement: Statement) {
        statement.bind(
            Int64(data.id.rawValue), target, data.purpose.stored,
            data.sequenceNumber, TimeBytes.bytes(of: data.snapshotVersion),
            TimeBytes.bytes(of: data.limboFreeVersion), data.resumeToken?.bytes)
    }

    private func bytes(of target: Target) throws(StoreError) -> [UInt8] {
        do throws(CodecError) {
            return try codec.targetBytes(target)
        } catch {
            throw .io("a target cannot be stored: \(error)")
        }
    }
}

extension TargetPurpose {
    /// The number that stands for the purpose in the tables.
    var stored: Int64 {
        switch self {
        case .listen: 0
        case .existenceFilterMismatch: 1
        case .existenceFilterMismatchBloom: 2
        case .limboResolution: 3
        }
    }

    /// The purpose of a number.
    init?(stored: Int64) {
        switch stored {
        case 0: self = .listen
        case 1: self = .existenceFilterMismatch
        case 2: self = .existenceFilterMismatchBloom
        case 3: self = .limboResolution
        default: return nil
        }
    }
}
