package import HearthFirestore
package import HearthModel

/// The collection of the least used: targets, then documents that no target names.
extension SQLiteTransaction {
    package func cacheByteCount() throws(StoreError) -> Int {
        let statement = try connection.statement(
            """
            SELECT (page_count - freelist_count) * page_size
            FROM pragma_page_count, pragma_freelist_count, pragma_page_size
            """)
        return Int(try statement.first { $0.int(0) } ?? 0)
    }

    package func collectableCount() throws(StoreError) -> Int {
        let tallies = try tallies()
        return tallies.targetCount + tallies.orphanCount
    }

    package func sequenceNumber(ofLeastUsed count: Int) throws(StoreError)
        -> ListenSequenceNumber?
    {
        guard count > 0 else { return nil }
        let statement = try connection.statement(
            """
            SELECT sequence FROM targets
            UNION ALL SELECT used FROM document_use WHERE targets = 0
            ORDER BY 1 LIMIT 1 OFFSET ?
            """)
        return try statement.bind(count - 1).first { $0.int(0) }
    }

    package func removeTargets(usedUpTo bound: ListenSequenceNumber, except live: Set<TargetID>)
        throws(StoreError) -> Int
    {
        let statement = try connection.statement("SELECT id FROM targets WHERE sequence <= ?")
        let old = try statement.bind(bound)
            .map { TargetID(Int32(truncatingIfNeeded: $0.int(0))) }
            .filter { !live.contains($0) }
        for id in old { try removeTarget(id) }
        return old.count
    }

    package func removeOrphans(
        usedUpTo bound: ListenSequenceNumber, limit: Int, isPinned: (DocumentKey) -> Bool
    ) throws(StoreError) -> Int {
        var count = 0
        var last = Orphan(id: 0, used: .min)
        while count < limit {
            let chunk = try orphans(behind: last, usedUpTo: bound)
            for orphan in chunk where count < limit {
                last = orphan
                guard let name = try documentName(orphan.id) else { continue }
                if isPinned(name.key) { continue }
                if try isWritten(name.collection, name.bytes) { continue }
                try removeDocument(name.key, orphan.id)
                count += 1
            }
            if chunk.count < StoreLimits.orphanChunkCount { break }
        }
        return count
    }

    private struct Orphan {
        let id: Int64
        let used: ListenSequenceNumber
    }

    private func orphans(behind last: Orphan, usedUpTo bound: ListenSequenceNumber)
        throws(StoreError) -> [Orphan]
    {
        let statement = try connection.statement(
            """
            SELECT id, used FROM document_use
            WHERE targets = 0 AND used <= ? AND (used, id) > (?, ?)
            ORDER BY used, id LIMIT ?
            """)
        return try statement.bind(bound, last.used, last.id, StoreLimits.orphanChunkCount)
            .map { Orphan(id: $0.int(0), used: $0.int(1)) }
    }

    private func documentName(_ id: Int64) throws(StoreError)
        -> (key: DocumentKey, collection: Int64, bytes: [UInt8])?
    {
        let statement = try connection.statement(
            "SELECT collection, name FROM remote_documents WHERE id = ?")
        return try statement.bind(id).first { row throws(StoreError) in
            let path = try collection(row.int(0))
            let key = try row.withBytes(1) { name throws(StoreError) in
                try PathKey.key(in: path, named: name)
            }
            return (key, row.int(0), row.bytes(1))
        }
    }
}
