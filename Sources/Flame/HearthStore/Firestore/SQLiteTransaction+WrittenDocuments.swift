package import HearthEngine
package import HearthFirestore
package import HearthModel
import HearthSQLite

/// What the group has looked up or changed of documents that queues write to.
struct WrittenMemory {
    var rows: [WrittenName: WrittenRow] = [:]
}

/// The tables `written_documents` and `document_mutations`: who writes to a document.
extension SQLiteTransaction {
    /// What is known of a document that a queue writes to, as the group knows it or the file says.
    func writtenRow(_ name: DocumentName, in queue: Int64) throws(StoreError) -> WrittenRow {
        let place = WrittenName(queue: queue, key: name.key)
        if let row = memory.written.rows[place] { return row }
        let statement = try connection.statement(
            """
            SELECT batch, earlier, effect FROM written_documents
            WHERE queue = ? AND collection = ? AND name = ?
            """)
        let row =
            try statement.bind(queue, name.collection, name.bytes).first {
                WrittenRow(
                    batch: $0.int(0), earlierCount: $0.int(1),
                    effect: $0.isNull(2) ? nil : $0.int(2))
            } ?? .absent
        remember(row, of: place)
        return row
    }

    /// Stores what is known of a document that a queue writes to, or wrote to.
    func setWrittenRow(_ row: WrittenRow, _ name: DocumentName, in queue: Int64)
        throws(StoreError)
    {
        let place = WrittenName(queue: queue, key: name.key)
        let old = try writtenRow(name, in: queue)
        if row == old { return }
        if row == .absent {
            let statement = try connection.statement(
                """
                DELETE FROM written_documents
                WHERE queue = ? AND collection = ? AND name = ?
                """)
            try statement.bind(queue, name.collection, name.bytes).run()
        } else if old == .absent {
            let statement = try connection.statement(
                "INSERT INTO written_documents VALUES (?, ?, ?, ?, ?, ?)")
            try statement.bind(
                queue, name.collection, name.bytes, row.batch, row.earlierCount, row.effect
            ).run()
        } else {
            let statement = try connection.statement(
                """
                UPDATE written_documents SET batch = ?, earlier = ?, effect = ?
                WHERE queue = ? AND collection = ? AND name = ?
                """)
            try statement.bind(
                row.batch, row.earlierCount, row.effect, queue, name.collection, name.bytes
            ).run()
        }
        remember(row, of: place)
    }

    /// Notes that a batch writes to a document, and the pending effect if there is one.
    func noteWrite(
        of batch: Int64, to key: DocumentKey, in queue: Int64, _ effect: PendingEffect?
    ) throws(StoreError) {
        let name = try makeName(of: key)
        // The write of a batch can stand for the effect only as long as the batch is the newest.
        if effect == nil { try storeEffect(on: name, in: queue) }
        var row = try writtenRow(name, in: queue)
        if row.batch == 0 {
            row.batch = batch
        } else {
            try connection.statement("INSERT INTO document_mutations VALUES (?, ?, ?, ?)")
                .bind(name.collection, name.bytes, queue, min(row.batch, batch)).run()
            row.batch = max(row.batch, batch)
            row.earlierCount += 1
        }
        guard let effect else { return try setWrittenRow(row, name, in: queue) }
        let old = row.effect ?? 0
        row.effect = try store(effect, on: name, in: queue, over: old)
        try setWrittenRow(row, name, in: queue)
        try list(effect.overlay, row.effect, name, in: queue, isListed: old > 0)
    }

    /// Notes that a batch writes to a document no longer.
    ///
    /// - Parameter withEffect: Whether the pending effect goes too, if the batch was the newest in
    ///   the effect.
    func noteRemoval(
        of batch: Int64, to key: DocumentKey, in queue: Int64, withEffect: Bool
    ) throws(StoreError) {
        guard let name = try name(of: key) else { return }
        if withEffect, try removeOnlyWrite(of: batch, to: name, in: queue) { return }
        var row = try writtenRow(name, in: queue)
        if withEffect, let effect = row.effect {
            if effect == 0 {
                if row.batch == batch { row.effect = nil }
            } else if try deleteOverlay(effect, of: key, largestBatch: batch) {
                row.effect = nil
            }
            if row.effect == nil { changes.insert(key) }
        }
        if row.earlierCount > 0 {
            try remove(batch, from: &row, name, in: queue)
        } else if row.batch == batch {
            row.batch = 0
        }
        try setWrittenRow(row, name, in: queue)
    }

    /// Takes a batch out of several; for the newest, the newest of the earlier batches comes up.
    private func remove(
        _ batch: Int64, from row: inout WrittenRow, _ name: DocumentName, in queue: Int64
    ) throws(StoreError) {
        let gone = row.batch == batch ? try newestEarlier(name, in: queue) : batch
        let statement = try connection.statement(
            """
            DELETE FROM document_mutations
            WHERE collection = ? AND name = ? AND queue = ? AND batch = ?
            """)
        try statement.bind(name.collection, name.bytes, queue, gone).run()
        if connection.changeCount > 0 { row.earlierCount -= 1 }
        if row.batch == batch { row.batch = gone }
    }

    /// Deletes a document's row if only this batch wrote there and the effect has no row.
    ///
    /// This is a single step for most batches, without a look at the row before.
    ///
    /// - Returns: Whether the row was deleted.
    private func removeOnlyWrite(of batch: Int64, to name: DocumentName, in queue: Int64)
        throws(StoreError) -> Bool
    {
        guard try indexGroup(of: name.key) == nil else { return false }
        let statement = try connection.statement(
            """
            DELETE FROM written_documents
            WHERE queue = ? AND collection = ? AND name = ? AND batch = ? AND earlier = 0
                AND effect = 0
            """)
        try statement.bind(queue, name.collection, name.bytes, batch).run()
        guard connection.changeCount > 0 else { return false }
        changes.insert(name.key)
        remember(.absent, of: WrittenName(queue: queue, key: name.key))
        return true
    }

    private func newestEarlier(_ name: DocumentName, in queue: Int64) throws(StoreError) -> Int64 {
        let statement = try connection.statement(
            """
            SELECT batch FROM document_mutations
            WHERE collection = ? AND name = ? AND queue = ? ORDER BY batch DESC LIMIT 1
            """)
        let batch = try statement.bind(name.collection, name.bytes, queue).first { $0.int(0) }
        guard let batch else { throw .damaged("batches that write to \(name.key) are not listed") }
        return batch
    }

    private func remember(_ row: WrittenRow, of place: WrittenName) {
        if memory.written.rows.count >= StoreLimits.rowCountMax { memory.written.rows = [:] }
        memory.written.rows[place] = row
    }

    // MARK: Who writes

    package func batches(writingTo keys: some Collection<DocumentKey>, of user: UserID)
        throws(StoreError) -> [QueuedBatch]
    {
        var ids: Set<BatchID> = []
        for key in keys { ids.formUnion(try batchIDs(writingTo: key, of: user)) }
        var batches: [QueuedBatch] = []
        for id in ids.sorted() {
            guard let batch = try self.batch(id, of: user) else {
                throw .damaged("batch \(id) is gone, but its documents are listed")
            }
            batches.append(batch)
        }
        return batches
    }

    /// The numbers of a user's batches that write to a document, each once, in no order.
    func batchIDs(
        writingTo key: DocumentKey, of user: UserID
    ) throws(StoreError) -> Set<BatchID> {
        guard let queue = try queueID(user), let name = try name(of: key) else { return [] }
        let row = try writtenRow(name, in: queue)
        var ids: Set<BatchID> = row.batch > 0 ? [BatchID(row.batch)] : []
        guard row.earlierCount > 0 else { return ids }
        let statement = try connection.statement(
            """
            SELECT batch FROM document_mutations
            WHERE collection = ? AND name = ? AND queue = ?
            """)
        try statement.bind(name.collection, name.bytes, queue).forEach {
            ids.insert(BatchID($0.int(0)))
        }
        return ids
    }

    package func isWritten(_ key: DocumentKey) throws(StoreError) -> Bool {
        guard let name = try name(of: key) else { return false }
        return try isWritten(name.collection, name.bytes)
    }

    /// Whether any queue writes to the document of a name.
    func isWritten(_ collection: Int64, _ name: [UInt8]) throws(StoreError) -> Bool {
        for queue in try queueIDs() {
            let statement = try connection.statement(
                """
                SELECT 1 FROM written_documents
                WHERE queue = ? AND collection = ? AND name = ? AND batch > 0
                """)
            let found = try statement.bind(queue, collection, name).first { _ in true }
            if found != nil { return true }
        }
        return false
    }

    package func writtenKeys(of user: UserID) throws(StoreError) -> Set<DocumentKey> {
        guard let queue = try queueID(user) else { return [] }
        let statement = try connection.statement(
            "SELECT collection, name FROM written_documents WHERE queue = ? AND batch > 0")
        var keys: Set<DocumentKey> = []
        try statement.bind(queue).forEach { row throws(StoreError) in
            let collection = try self.collection(row.int(0))
            keys.insert(
                try row.withBytes(1) { name throws(StoreError) in
                    try PathKey.key(in: collection, named: name)
                })
        }
        return keys
    }
}

/// Which document, in which queue.
struct WrittenName: Hashable {
    let queue: Int64
    let key: DocumentKey
}

/// What is known of a document that a queue writes to.
struct WrittenRow: Hashable {
    /// Nothing: there is no row.
    static let absent = WrittenRow(batch: 0, earlierCount: 0, effect: nil)

    /// The newest batch that writes to the document; 0 for none.
    var batch: Int64
    /// How many earlier batches write to the document too.
    var earlierCount: Int64
    /// The row of the pending effect; 0 if the effect is the write of `batch`, `nil` for none.
    var effect: Int64?
}
