package import HearthEngine
package import HearthFirestore
package import HearthModel
import HearthProtocol
import HearthSQLite

/// The collection of the least used: targets, then documents that no target names.
extension SQLiteTransaction {
    package func collectableCount() throws(StoreError) -> Int {
        try noteNewUses()
        let tallies = try tallies()
        return tallies.targetCount + tallies.orphanCount
    }

    package func otherByteCount() throws(StoreError) -> Int {
        let statement = try connection.statement(
            "SELECT count(*) FROM write_records INDEXED BY write_records_by_age WHERE outcome <> 0")
        let recordCount = try statement.first { Int($0.int(0)) } ?? 0
        let letters = try connection.statement("SELECT sum(byte_count) FROM dead_letters")
        let letterByteCount = try letters.first { Int($0.int(0)) } ?? 0
        let historyByteCount = try historyFigures().byteCount
        return try tallies().queue.batchByteCount + letterByteCount
            + historyByteCount + historyByteCount / StoreLimits.historyPageShare
            + recordCount * StoreLimits.recordByteCount
    }

    package func sequenceNumber(ofLeastUsed count: Int, after last: ListenSequenceNumber)
        throws(StoreError) -> ListenSequenceNumber?
    {
        guard count > 0 else { return nil }
        try noteNewUses()
        let statement = try connection.statement(
            """
            SELECT max(sequence), count(*) FROM (
                SELECT sequence FROM targets WHERE sequence > ?1
                UNION ALL SELECT used FROM document_use WHERE targets = 0 AND used > ?1
                ORDER BY 1 LIMIT ?2)
            """)
        let found = try statement.bind(last, count).first { ($0.int(0), $0.int(1)) }
        return found.flatMap { number, count in count > 0 ? number : nil }
    }

    package func removeTargets(
        usedUpTo bound: ListenSequenceNumber, except live: Set<TargetID>, limit: Int
    ) throws(StoreError) -> Int {
        let statement = try connection.statement(
            "SELECT id FROM targets WHERE sequence <= ? ORDER BY sequence")
        var old: [TargetID] = []
        try statement.bind(bound).whileNext { row in
            let id = TargetID(Int32(truncatingIfNeeded: row.int(0)))
            if !live.contains(id) { old.append(id) }
            return old.count < limit
        }
        for id in old { try dropTarget(id) }
        return old.count
    }

    package func dropTarget(_ id: TargetID) throws(StoreError) {
        let row = Int64(id.rawValue)
        try loggedLater { () throws(StoreError) in
            try connection.statement("DELETE FROM targets WHERE id = ?").bind(row).run()
            let count = Int(connection.changeCount)
            try tally { $0.targetCount -= count }
            try connection.statement("INSERT OR IGNORE INTO dropped_targets VALUES (?)")
                .bind(row).run()
        } as: {
            $0.targetDropped(id)
        }
    }

    package func releaseDroppedKeys(limit: Int) throws(StoreError) -> Int {
        try loggedLater { () throws(StoreError) in
            try releaseKeys(limit: limit)
        } as: {
            $0.keysReleased(limit: limit)
        }
    }

    private func releaseKeys(limit: Int) throws(StoreError) -> Int {
        var count = 0
        while count < limit {
            let dropped = try connection.statement("SELECT id FROM dropped_targets LIMIT 1")
                .first { $0.int(0) }
            guard let dropped else { break }
            count += try releaseKeys(of: dropped, limit: limit - count)
            if count < limit {
                try connection.statement("DELETE FROM dropped_targets WHERE id = ?").bind(dropped)
                    .run()
            }
        }
        return count
    }

    /// Lets go of the first documents of a target, a statement for all.
    ///
    /// - Returns: How many there were.
    private func releaseKeys(of target: Int64, limit: Int) throws(StoreError) -> Int {
        try noteNewUses()
        let edge = try connection.statement(
            """
            SELECT count(*), max(document) FROM (
                SELECT document FROM target_documents WHERE target = ? ORDER BY document LIMIT ?)
            """)
        let (count, last) =
            try edge.bind(target, limit).first { (Int($0.int(0)), $0.int(1)) } ?? (0, 0)
        if count == 0 { return 0 }
        let orphans = try connection.statement(
            """
            SELECT count(*) FROM target_documents t JOIN document_use u ON u.id = t.document
            WHERE t.target = ? AND t.document <= ? AND u.targets = 1
            """)
        let orphanCount = try orphans.bind(target, last).first { Int($0.int(0)) } ?? 0
        let update = try connection.statement(
            """
            UPDATE document_use SET targets = targets - 1 WHERE id IN (
                SELECT document FROM target_documents WHERE target = ? AND document <= ?)
            """)
        try update.bind(target, last).run()
        let forget = try connection.statement(
            """
            DELETE FROM remote_documents WHERE kind = 4 AND id IN (
                SELECT t.document FROM target_documents t JOIN document_use u ON u.id = t.document
                WHERE t.target = ? AND t.document <= ? AND u.targets = 0)
            """)
        try forget.bind(target, last).run()
        let forgottenCount = Int(connection.changeCount)
        if forgottenCount > 0 {
            memory.documents.rows = [:]
            let uses = try connection.statement(
                """
                DELETE FROM document_use WHERE targets = 0 AND id IN (
                    SELECT document FROM target_documents WHERE target = ? AND document <= ?)
                    AND NOT EXISTS (SELECT 1 FROM remote_documents d WHERE d.id = document_use.id)
                """)
            try uses.bind(target, last).run()
        }
        try tally { $0.orphanCount += orphanCount - forgottenCount }
        let unlink = try connection.statement(
            "DELETE FROM target_documents WHERE target = ? AND document <= ?")
        try unlink.bind(target, last).run()
        return count
    }

    package func removeOrphans(
        usedUpTo bound: ListenSequenceNumber, from place: inout CollectionPlace, limit: Int,
        isPinned: (DocumentKey) -> Bool
    ) throws(StoreError) -> Int {
        try noteNewUses()
        let deadline = ContinuousClock.now + MaintenanceLimits.sliceDuration
        var (seenCount, count) = (0, 0)
        repeat {
            let few = min(limit - seenCount, MaintenanceLimits.orphanCount)
            count += try removeFewOrphans(usedUpTo: bound, from: &place, limit: few, isPinned)
            seenCount += few
        } while !place.isAtEnd && seenCount < limit && ContinuousClock.now < deadline
        return count
    }

    private func removeFewOrphans(
        usedUpTo bound: ListenSequenceNumber, from place: inout CollectionPlace, limit: Int,
        _ isPinned: (DocumentKey) -> Bool
    ) throws(StoreError) -> Int {
        let last = Orphan(id: place.row, used: place.used)
        let orphans = try orphans(behind: last, usedUpTo: bound, limit: limit)
        var documents: [OrphanDocument] = []
        for orphan in orphans {
            place.row = orphan.id
            place.used = orphan.used
            guard let document = try document(of: orphan) else { continue }
            if isPinned(document.key) { continue }
            if try isWritten(document.place.collection, document.place.name) { continue }
            documents.append(document)
        }
        // In the order of names, so that neighbours share a page while the page is in the cache.
        documents.sort { compareBytes($0.place.name, $1.place.name) < 0 }
        try loggedLater { () throws(StoreError) in
            for document in documents { try forget(document) }
        } as: { record in
            for document in documents { record.documentRemoved(document.key) }
        }
        place.isAtEnd = orphans.count < limit
        return documents.count
    }

    private struct Orphan {
        let id: Int64
        let used: ListenSequenceNumber
    }

    private func orphans(
        behind last: Orphan, usedUpTo bound: ListenSequenceNumber, limit: Int
    ) throws(StoreError) -> [Orphan] {
        // Two statements, because many were used at once, and of a pair SQLite seeks the first half alone:
        // each slice would look again at all that stays.
        let sameUse = try connection.statement(
            """
            SELECT id, used FROM document_use
            WHERE targets = 0 AND used = ?1 AND used <= ?2 AND id > ?3 ORDER BY id LIMIT ?4
            """)
        let found = try sameUse.bind(last.used, bound, last.id, limit)
            .map { Orphan(id: $0.int(0), used: $0.int(1)) }
        let later = try connection.statement(
            """
            SELECT id, used FROM document_use
            WHERE targets = 0 AND used > ? AND used <= ? ORDER BY used, id LIMIT ?
            """)
        return found
            + (try later.bind(last.used, bound, limit - found.count)
                .map { Orphan(id: $0.int(0), used: $0.int(1)) })
    }

    /// A document of no target, as far as it must be known to forget it.
    private struct OrphanDocument {
        let key: DocumentKey
        let place: Place
        let kind: DocumentKind
        /// The fields that the collection's indexes list the document by.
        let fields: MapValue?
    }

    private func document(of orphan: Orphan) throws(StoreError) -> OrphanDocument? {
        let statement = try connection.statement(
            "SELECT collection, name, kind, content FROM remote_documents WHERE id = ?")
        return try statement.bind(orphan.id).first { row throws(StoreError) in
            let path = try collection(row.int(0))
            let key = try row.withBytes(1) { name throws(StoreError) in
                try PathKey.key(in: path, named: name)
            }
            let known = try DocumentRow(id: orphan.id, storedKind: row.int(2))
            var fields: MapValue?
            if known.kind == .found, let group = try indexGroup(of: path) {
                fields = try row.withBytes(3) { content throws(StoreError) in
                    try reader.fields(group.selection, of: content)
                }
            }
            return OrphanDocument(
                key: key,
                place: Place(
                    id: orphan.id, collection: row.int(0), path: path, name: row.bytes(1)),
                kind: known.kind ?? .invalid, fields: fields)
        }
    }

    /// Forgets a document that no target names and no queue writes to.
    ///
    /// Such a document has no overlay.
    private func forget(_ document: OrphanDocument) throws(StoreError) {
        changes.insert(document.key)
        memory.documents.rows[document.key] = nil
        memory.documents.recent[document.key] = nil
        if let group = try indexGroup(of: document.place.path) {
            try relist(document.place, from: document.fields, to: nil, in: group)
        }
        try deleteRow(document.place.id, isKnown: document.kind != .invalid)
    }
}
