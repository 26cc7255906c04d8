package import HearthEngine
package import HearthFirestore
package import HearthModel
import HearthSQLite

/// The table `mutations`.
extension SQLiteTransaction {
    package func append(_ batch: QueuedBatch, effects: [Overlay]) throws(StoreError) {
        let id = batch.batch.id
        let baseWrites = try BatchBytes.bytes(of: batch.batch.baseMutations, codec)
        let writes = try BatchBytes.bytes(of: batch.batch.mutations, codec)
        let pending = try pendingEffects(effects, of: batch.batch, writes)
        try logged { () throws(StoreError) in
            let queue = try placeAtEnd(id, of: batch.user)
            try insert(batch, queue, baseWrites, writes)
            var rest = pending[...]
            for key in batch.batch.keys {
                let effect = rest.first?.overlay.key == key ? rest.popFirst() : nil
                try noteWrite(of: id.rawValue, to: key, in: queue, effect)
            }
            precondition(rest.isEmpty, "Batch \(id) has effects on what it does not write to")
        } as: {
            let isEffect = pending.first.map { $0.bytes == nil } ?? false
            $0.batch(batch, baseWrites: baseWrites, writes: writes, isEffect: isEffect)
            if let promisedAt = batch.batch.promisedAt { $0.promised(promisedAt) }
            for effect in pending {
                guard let bytes = effect.bytes else { continue }
                $0.overlay(effect.overlay, mutation: bytes, of: batch.user)
            }
        }
        if batch.state == .sentUnanswered { try noteSent(through: id, of: batch.user) }
        memory.batches.lastWrittenAt = batch.batch.writtenAt
    }

    package func replaceBatch(
        _ batch: QueuedBatch, writingTo keys: some Collection<DocumentKey>
    ) throws(StoreError) {
        let id = batch.batch.id
        let queue = try makeQueueID(batch.user)
        let new = batch.batch.keys
        for key in keys {
            // The changed batch no longer holds the old write, so the effect needs a separate row.
            if let name = try name(of: key), try writtenRow(name, in: queue).batch == id.rawValue {
                try storeEffect(on: name, in: queue)
            }
            guard !new.contains(key) else { continue }
            try noteRemoval(of: id.rawValue, to: key, in: queue, withEffect: false)
        }
        try delete(batch.stored, id, queue)
        try insert(
            batch, queue, try BatchBytes.bytes(of: batch.batch.baseMutations, codec),
            try BatchBytes.bytes(of: batch.batch.mutations, codec))
        for key in new where !keys.contains(key) {
            try noteWrite(of: id.rawValue, to: key, in: queue, nil)
        }
    }

    private func insert(
        _ batch: QueuedBatch, _ queue: Int64, _ baseWrites: [UInt8], _ writes: [UInt8]
    ) throws(StoreError) {
        let byteCount = baseWrites.count + writes.count
        let isHeld = batch.state == .held
        let statement = try connection.statement(
            "INSERT INTO mutations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        try statement.bind(
            BatchRow.id(of: batch.batch.id, in: queue), isHeld,
            TimeBytes.bytes(of: batch.batch.writtenAt), Int64(batch.writer.uid),
            Int64(batch.writer.gid), Int64(batch.writer.pid), batch.writer.unit,
            batch.writer.program, byteCount, baseWrites, writes,
            batch.batch.promisedAt?.microseconds
        ).run()
        try noteArrival(
            StoredBatch(uid: batch.writer.uid, byteCount: byteCount, isHeld: isHeld))
    }

    // MARK: Reading

    package func batch(_ id: BatchID, of user: UserID) throws(StoreError) -> QueuedBatch? {
        guard let queue = try queueID(user) else { return nil }
        let statement = try connection.statement(
            """
            SELECT id, state, written_at, uid, gid, pid, unit, program, byte_count, base_writes,
                writes, promised_at
            FROM mutations WHERE id = ?
            """)
        return try statement.bind(BatchRow.id(of: id, in: queue)).first { row throws(StoreError) in
            try queuedBatch(from: row, in: queue, of: user)
        }
    }

    package func nextBatch(after id: BatchID, of user: UserID) throws(StoreError) -> QueuedBatch? {
        try next(after: id, of: user) { _ in true }
    }

    package func nextBatchToSend(after id: BatchID, of user: UserID) throws(StoreError)
        -> QueuedBatch?
    {
        try next(after: id, of: user) { $0 != .held }
    }

    /// The first batch behind `id`, if the batch's state is wanted.
    private func next(
        after id: BatchID, of user: UserID, isWanted: (BatchState) -> Bool
    ) throws(StoreError) -> QueuedBatch? {
        guard let queue = try queueID(user) else { return nil }
        let statement = try connection.statement(
            """
            SELECT id, state, written_at, uid, gid, pid, unit, program, byte_count, base_writes,
                writes, promised_at
            FROM mutations WHERE id > ? AND id < ? ORDER BY id LIMIT 1
            """)
        let next = try statement.bind(BatchRow.id(of: id, in: queue), BatchRow.end(of: queue))
            .first { row throws(StoreError) -> QueuedBatch? in
                let state = try state(row.int(1), of: BatchRow.batch(row.int(0)), in: queue)
                return isWanted(state) ? try queuedBatch(from: row, in: queue, of: user) : nil
            }
        return next ?? nil
    }

    /// Reads id, state, written_at, uid, gid, pid, unit, program, byte_count, base_writes, writes and
    /// promised_at.
    private func queuedBatch(from row: borrowing Row, in queue: Int64, of user: UserID)
        throws(StoreError) -> QueuedBatch
    {
        let id = BatchRow.batch(row.int(0))
        let batch = try mutationBatch(id, from: row, writtenAt: 2, writes: 9)
        return QueuedBatch(
            batch: batch.promised(at: row.promise(11)), user: user,
            state: try state(row.int(1), of: id, in: queue), writer: writer(from: row, at: 3),
            storedByteCount: Int(row.int(8)))
    }

    /// Reads written_at, and elsewhere base_writes and writes.
    func mutationBatch(
        _ id: BatchID, from row: borrowing Row, writtenAt time: Int32, writes column: Int32
    ) throws(StoreError) -> MutationBatch {
        let baseMutations = try row.withBytes(column) { bytes throws(StoreError) in
            try BatchBytes.mutations(from: bytes, codec)
        }
        let mutations = try row.withBytes(column + 1) { bytes throws(StoreError) in
            try BatchBytes.mutations(from: bytes, codec)
        }
        return MutationBatch(
            id: id, writtenAt: try row.time(time), baseMutations: baseMutations,
            mutations: mutations)
    }

    // MARK: Leaving

    package func removeBatch(_ batch: QueuedBatch) throws(StoreError) {
        try removeBatch(
            batch.batch.id, writingTo: batch.batch.keys, of: batch.user, batch.stored)
    }

    /// Removes a batch by number and documents.
    ///
    /// - Parameter stored: What is known of the batch's row.
    func removeBatch(
        _ id: BatchID, writingTo keys: [DocumentKey], of user: UserID, _ stored: StoredBatch?
    ) throws(StoreError) {
        try logged { () throws(StoreError) in
            guard let queue = try queueID(user), try delete(stored, id, queue) else { return }
            for key in keys {
                try noteRemoval(of: id.rawValue, to: key, in: queue, withEffect: true)
            }
        } as: {
            $0.batchLeft(id, writingTo: keys, of: user)
        }
    }

}

extension QueuedBatch {
    /// What is known of the batch's row, if it was read from there.
    fileprivate var stored: StoredBatch? {
        storedByteCount.map {
            StoredBatch(uid: writer.uid, byteCount: $0, isHeld: state == .held)
        }
    }
}
