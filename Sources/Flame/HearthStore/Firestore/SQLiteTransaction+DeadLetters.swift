package import HearthEngine
package import HearthFirestore
package import HearthModel
import HearthSQLite

/// The table `dead_letters`.
extension SQLiteTransaction {
    package func appendDeadLetter(_ letter: DeadLetter) throws(StoreError) {
        let baseWrites = try BatchBytes.bytes(of: letter.batch.batch.baseMutations, codec)
        let writes = try BatchBytes.bytes(of: letter.batch.batch.mutations, codec)
        try logged { () throws(StoreError) in
            try store(letter, baseWrites, writes)
        } as: {
            $0.deadLetter(letter, baseWrites: baseWrites, writes: writes)
        }
    }

    private func store(_ letter: DeadLetter, _ baseWrites: [UInt8], _ writes: [UInt8])
        throws(StoreError)
    {
        let batch = letter.batch.batch
        let writer = letter.batch.writer
        try deleteDeadLetter(batch.id)
        let statement = try connection.statement(
            """
            INSERT INTO dead_letters
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        try statement.bind(
            batch.id.rawValue, letter.batch.user.rawValue, letter.batch.state.stored,
            TimeBytes.bytes(of: batch.writtenAt), Int64(writer.uid), Int64(writer.gid),
            Int64(writer.pid), writer.unit, writer.program, baseWrites.count + writes.count,
            baseWrites, writes, Int64(letter.error.code.rawValue), letter.error.message,
            TimeBytes.bytes(of: letter.rejectedAt), letter.mayHaveBeenApplied
        ).run()
        try tallyQueue { $0.deadLetterCount += 1 }
    }

    package func deadLetter(_ batch: BatchID) throws(StoreError) -> DeadLetter? {
        let statement = try connection.statement(
            """
            SELECT batch, state, written_at, uid, gid, pid, unit, program, base_writes, writes,
                user, code, message, rejected_at, may_have_been_applied
            FROM dead_letters WHERE batch = ?
            """)
        return try statement.bind(batch.rawValue).first { row throws(StoreError) in
            try deadLetter(from: row)
        }
    }

    /// Dead letters behind a batch, in the order of their numbers.
    func deadLetters(after batch: BatchID, count: Int) throws(StoreError) -> [DeadLetter] {
        let statement = try connection.statement(
            """
            SELECT batch, state, written_at, uid, gid, pid, unit, program, base_writes, writes,
                user, code, message, rejected_at, may_have_been_applied
            FROM dead_letters WHERE batch > ? ORDER BY batch LIMIT ?
            """)
        return try statement.bind(batch.rawValue, count).map { row throws(StoreError) in
            try deadLetter(from: row)
        }
    }

    private func deadLetter(from row: borrowing Row) throws(StoreError) -> DeadLetter {
        return DeadLetter(
            batch: try wholeBatch(from: row, of: UserID(row.text(10) ?? "")),
            error: try Self.refusal(from: row, at: 11), rejectedAt: try row.time(13),
            mayHaveBeenApplied: row.bool(14))
    }

    /// Reads batch, state, written_at, uid, gid, pid, unit, program, base_writes and writes.
    func wholeBatch(from row: borrowing Row, of user: UserID) throws(StoreError) -> QueuedBatch {
        guard let state = BatchState(stored: row.int(1)) else {
            throw .damaged("the state of batch \(row.int(0))")
        }
        return QueuedBatch(
            batch: try mutationBatch(BatchID(row.int(0)), from: row, writtenAt: 2, writes: 8),
            user: user, state: state, writer: writer(from: row, at: 3))
    }
}
