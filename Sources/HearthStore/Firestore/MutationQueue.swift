package import HearthFirestore
package import HearthModel

/// The tables `mutation_queues`, `mutations` and `document_mutations`.
extension SQLiteTransaction {
    package func append(_ batch: QueuedBatch) throws(StoreError) {
        let id = batch.batch.id
        let baseWrites = try BatchBytes.bytes(of: batch.batch.baseMutations, codec)
        let writes = try BatchBytes.bytes(of: batch.batch.mutations, codec)
        try logged { () throws(StoreError) in
            let queue = try makeQueueID(batch.user)
            var last = memory.lastBatches[queue]
            if last == nil { last = try highestBatchID(of: batch.user) }
            precondition(id > last ?? .none, "Batch \(id) queued after \(last ?? .none)")
            memory.lastBatches[queue] = id
            try insert(batch, queue, baseWrites, writes)
        } as: {
            $0.batch(batch, baseWrites: baseWrites, writes: writes)
        }
        memory.lastWrittenAt = batch.batch.writtenAt
    }

    package func replaceBatch(
        _ batch: QueuedBatch, writingTo keys: some Collection<DocumentKey>
    ) throws(StoreError) {
        try delete(batch.batch.id, writingTo: keys, of: batch.user)
        try insert(
            batch, try makeQueueID(batch.user),
            try BatchBytes.bytes(of: batch.batch.baseMutations, codec),
            try BatchBytes.bytes(of: batch.batch.mutations, codec))
    }

    private func insert(
        _ batch: QueuedBatch, _ queue: Int64, _ baseWrites: [UInt8], _ writes: [UInt8]
    ) throws(StoreError) {
        let id = batch.batch.id
        let statement = try connection.statement(
            "INSERT INTO mutations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        try statement.bind(
            id.rawValue, queue, batch.state.stored, TimeBytes.bytes(of: batch.batch.writtenAt),
            Int64(batch.writer.uid), Int64(batch.writer.gid), Int64(batch.writer.pid),
            batch.writer.unit, batch.writer.program, baseWrites.count + writes.count, baseWrites,
            writes
        ).run()
        for key in batch.batch.keys {
            let name = try makeName(of: key)
            try connection.statement("INSERT INTO document_mutations VALUES (?, ?, ?, ?)")
                .bind(name.collection, name.bytes, queue, id.rawValue).run()
        }
        try tally {
            $0.batchCount += 1
            $0.heldBatchCount += batch.state == .held ? 1 : 0
            $0.batchByteCount += baseWrites.count + writes.count
        }
        noteLoad(of: batch.writer.uid, count: 1, byteCount: baseWrites.count + writes.count)
    }

    package func batch(_ id: BatchID, of user: UserID) throws(StoreError) -> QueuedBatch? {
        guard let queue = try queueID(user) else { return nil }
        let statement = try connection.statement(
            """
            SELECT batch, state, written_at, uid, gid, pid, unit, program, base_writes, writes
            FROM mutations WHERE batch = ? AND queue = ?
            """)
        return try statement.bind(id.rawValue, queue).first { row throws(StoreError) in
            try queuedBatch(from: row, at: 0, of: user)
        }
    }

    package func nextBatch(after id: BatchID, of user: UserID) throws(StoreError) -> QueuedBatch? {
        guard let queue = try queueID(user) else { return nil }
        let statement = try connection.statement(
            """
            SELECT batch, state, written_at, uid, gid, pid, unit, program, base_writes, writes
            FROM mutations WHERE queue = ? AND batch > ? ORDER BY batch LIMIT 1
            """)
        return try statement.bind(queue, id.rawValue).first { row throws(StoreError) in
            try queuedBatch(from: row, at: 0, of: user)
        }
    }

    package func previousBatchID(before id: BatchID, of user: UserID) throws(StoreError)
        -> BatchID?
    {
        guard let queue = try queueID(user) else { return nil }
        let statement = try connection.statement(
            """
            SELECT batch FROM mutations WHERE queue = ? AND batch < ?
            ORDER BY batch DESC LIMIT 1
            """)
        return try statement.bind(queue, id.rawValue).first { BatchID($0.int(0)) }
    }

    package func highestBatchID(of user: UserID) throws(StoreError) -> BatchID? {
        guard let queue = try queueID(user) else { return nil }
        let statement = try connection.statement(
            "SELECT batch FROM mutations WHERE queue = ? ORDER BY batch DESC LIMIT 1")
        return try statement.bind(queue).first { BatchID($0.int(0)) }
    }

    package func batches(writingTo keys: some Collection<DocumentKey>, of user: UserID)
        throws(StoreError) -> [QueuedBatch]
    {
        guard let queue = try queueID(user) else { return [] }
        var ids: Set<BatchID> = []
        for key in keys {
            guard let name = try name(of: key) else { continue }
            let statement = try connection.statement(
                """
                SELECT batch FROM document_mutations
                WHERE collection = ? AND name = ? AND queue = ?
                """)
            try statement.bind(name.collection, name.bytes, queue).forEach {
                ids.insert(BatchID($0.int(0)))
            }
        }
        var batches: [QueuedBatch] = []
        for id in ids.sorted() {
            guard let batch = try self.batch(id, of: user) else {
                throw .damaged("batch \(id) is gone, but its documents are listed")
            }
            batches.append(batch)
        }
        return batches
    }

    package func setState(_ state: BatchState, of id: BatchID, user: UserID) throws(StoreError) {
        try logged { () throws(StoreError) in
            try storeState(state, of: id, user: user)
        } as: {
            $0.state(state, of: id, user: user)
        }
    }

    private func storeState(_ state: BatchState, of id: BatchID, user: UserID) throws(StoreError) {
        guard let queue = try queueID(user) else { return }
        if state == .held {
            try connection.statement(
                "UPDATE mutations SET state = 1 WHERE batch = ? AND queue = ? AND state <> 1"
            ).bind(id.rawValue, queue).run()
            if connection.changeCount > 0 { try tally { $0.heldBatchCount += 1 } }
            return
        }
        if try tallies().heldBatchCount > 0 {
            try connection.statement(
                "UPDATE mutations SET state = 0 WHERE batch = ? AND queue = ? AND state = 1"
            ).bind(id.rawValue, queue).run()
            if connection.changeCount > 0 { try tally { $0.heldBatchCount -= 1 } }
        }
        try connection.statement(
            "UPDATE mutations SET state = ?1 WHERE batch = ?2 AND queue = ?3 AND state <> ?1"
        ).bind(state.stored, id.rawValue, queue).run()
    }

    package func removeBatch(
        _ id: BatchID, writingTo keys: some Collection<DocumentKey>, of user: UserID
    ) throws(StoreError) {
        try logged { () throws(StoreError) in
            try delete(id, writingTo: keys, of: user)
        } as: {
            $0.batchRemoved(id, writingTo: keys, of: user)
        }
    }

    private func delete(
        _ id: BatchID, writingTo keys: some Collection<DocumentKey>, of user: UserID
    ) throws(StoreError) {
        guard let queue = try queueID(user) else { return }
        // Two statements, because RETURNING makes a table of its own each time.
        let statement = try connection.statement(
            "SELECT state, byte_count, uid FROM mutations WHERE batch = ? AND queue = ?")
        let removed = try statement.bind(id.rawValue, queue).first {
            (
                state: $0.int(0), byteCount: Int($0.int(1)),
                uid: UInt32(truncatingIfNeeded: $0.int(2))
            )
        }
        guard let removed else { return }
        try connection.statement("DELETE FROM mutations WHERE batch = ?").bind(id.rawValue).run()
        try tally {
            $0.batchCount -= 1
            $0.heldBatchCount -= removed.state == BatchState.held.stored ? 1 : 0
            $0.batchByteCount -= removed.byteCount
        }
        noteLoad(of: removed.uid, count: -1, byteCount: -removed.byteCount)
        for key in keys {
            guard let name = try name(of: key) else { continue }
            let statement = try connection.statement(
                """
                DELETE FROM document_mutations
                WHERE collection = ? AND name = ? AND queue = ? AND batch = ?
                """)
            try statement.bind(name.collection, name.bytes, queue, id.rawValue).run()
        }
    }

    package func isWritten(_ key: DocumentKey) throws(StoreError) -> Bool {
        guard let name = try name(of: key) else { return false }
        return try isWritten(name.collection, name.bytes)
    }

    package func writtenKeys(of user: UserID) throws(StoreError) -> Set<DocumentKey> {
        guard let queue = try queueID(user) else { return [] }
        let statement = try connection.statement(
            "SELECT DISTINCT collection, name FROM document_mutations WHERE queue = ?")
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

    /// Whether any queue writes to the document of a name.
    func isWritten(_ collection: Int64, _ name: [UInt8]) throws(StoreError) -> Bool {
        let statement = try connection.statement(
            "SELECT 1 FROM document_mutations WHERE collection = ? AND name = ? LIMIT 1")
        return try statement.bind(collection, name).first { _ in true } ?? false
    }

    /// The row id of a user's queue; `nil` if the user never wrote.
    func queueID(_ user: UserID) throws(StoreError) -> Int64? {
        let name = UTF8Text(user.rawValue)
        if let id = memory.queueIDs[name] { return id }
        let statement = try connection.statement("SELECT id FROM mutation_queues WHERE user = ?")
        let id = try statement.bind(user.rawValue).first { $0.int(0) }
        if let id { memory.queueIDs[name] = id }
        return id
    }

    /// The row id of a user's queue, made if need be.
    func makeQueueID(_ user: UserID) throws(StoreError) -> Int64 {
        if let id = try queueID(user) { return id }
        try connection.statement("INSERT INTO mutation_queues (user) VALUES (?)")
            .bind(user.rawValue).run()
        let id = connection.lastInsertedID
        memory.queueIDs[UTF8Text(user.rawValue)] = id
        memory.allQueueIDs = nil
        return id
    }

    /// The row ids of all queues.
    func queueIDs() throws(StoreError) -> [Int64] {
        if let ids = memory.allQueueIDs { return ids }
        let ids = try connection.statement("SELECT id FROM mutation_queues").map { $0.int(0) }
        memory.allQueueIDs = ids
        return ids
    }

    /// Reads batch, state, written_at, uid, gid, pid, unit, program, base_writes and writes.
    func queuedBatch(from row: borrowing Row, at column: Int32, of user: UserID)
        throws(StoreError) -> QueuedBatch
    {
        guard let state = BatchState(stored: row.int(column + 1)) else {
            throw .damaged("the state of batch \(row.int(column))")
        }
        let baseMutations = try row.withBytes(column + 8) { bytes throws(StoreError) in
            try BatchBytes.mutations(from: bytes, codec)
        }
        let mutations = try row.withBytes(column + 9) { bytes throws(StoreError) in
            try BatchBytes.mutations(from: bytes, codec)
        }
        let batch = MutationBatch(
            id: BatchID(row.int(column)), writtenAt: try row.time(column + 2),
            baseMutations: baseMutations, mutations: mutations)
        return QueuedBatch(
            batch: batch, user: user, state: state, writer: writer(from: row, at: column + 3))
    }

    /// Reads uid, gid, pid, unit and program.
    func writer(from row: borrowing Row, at column: Int32) -> Writer {
        Writer(
            uid: UInt32(truncatingIfNeeded: row.int(column)),
            gid: UInt32(truncatingIfNeeded: row.int(column + 1)),
            pid: Int32(truncatingIfNeeded: row.int(column + 2)), unit: row.text(column + 3),
            program: row.text(column + 4))
    }
}

extension BatchState {
    /// The number that stands for the state in the tables.
    var stored: Int64 {
        switch self {
        case .queued: 0
        case .held: 1
        case .sentUnanswered: 2
        }
    }

    /// The state of a number.
    init?(stored: Int64) {
        guard let state = Self.allCases.first(where: { $0.stored == stored }) else { return nil }
        self = state
    }
}
