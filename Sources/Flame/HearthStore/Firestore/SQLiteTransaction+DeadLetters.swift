package import HearthEngine
package import HearthFirestore
package import HearthModel
import HearthSQLite

/// The tables `dead_letters` and `told_letters`.
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
        try deleteAnyLetter(batch.id)
        let statement = try connection.statement(
            letter.wasTold
                ? "INSERT INTO told_letters VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                : "INSERT INTO dead_letters VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        try statement.bind(
            batch.id.rawValue, letter.batch.user.rawValue, letter.batch.state.stored,
            TimeBytes.bytes(of: batch.writtenAt), Int64(writer.uid), Int64(writer.gid),
            Int64(writer.pid), writer.unit, writer.program, baseWrites.count + writes.count,
            baseWrites, writes, Int64(letter.error.code.rawValue), letter.error.message,
            TimeBytes.bytes(of: letter.rejectedAt), letter.mayHaveBeenApplied
        ).run()
        if !letter.wasTold { try tallyQueue { $0.deadLetterCount += 1 } }
    }

    private func deleteAnyLetter(_ batch: BatchID) throws(StoreError) {
        try connection.statement("DELETE FROM told_letters WHERE batch = ?")
            .bind(batch.rawValue).run()
        try deleteDeadLetter(batch)
    }

    package func removeDeadLetter(_ batch: BatchID) throws(StoreError) {
        try logged { () throws(StoreError) in
            try deleteAnyLetter(batch)
        } as: {
            $0.deadLetterRemoved(batch)
        }
    }

    package func deadLetter(_ batch: BatchID) throws(StoreError) -> DeadLetter? {
        let statement = try connection.statement(
            """
            SELECT batch, state, written_at, uid, gid, pid, unit, program, base_writes, writes,
                user, code, message, rejected_at, may_have_been_applied, 0
            FROM dead_letters WHERE batch = ?1
            UNION ALL
            SELECT batch, state, written_at, uid, gid, pid, unit, program, base_writes, writes,
                user, code, message, rejected_at, may_have_been_applied, 1
            FROM told_letters WHERE batch = ?1
            """)
        return try statement.bind(batch.rawValue).first { row throws(StoreError) in
            try deadLetter(from: row, wasTold: row.bool(15))
        }
    }

    package func toldLetters(ofLast time: Duration) throws(StoreError) -> [BatchID] {
        let newest = try connection.statement("SELECT max(rejected_at) FROM told_letters").first {
            row throws(StoreError) in row.isNull(0) ? nil : try row.time(0)
        }
        guard case let newest?? = newest else { return [] }
        let statement = try connection.statement(
            "SELECT batch FROM told_letters WHERE rejected_at >= ? ORDER BY batch")
        return try statement.bind(TimeBytes.bytes(of: newest.advanced(by: .zero - time))).map {
            BatchID($0.int(0))
        }
    }

    package func forgetToldLetter(_ batch: BatchID) throws(StoreError) {
        // The log's entry removes a told letter and a waiting letter alike, so the log must not
        // have the entry for a waiting letter.
        let found = try connection.statement("SELECT 1 FROM told_letters WHERE batch = ?")
            .bind(batch.rawValue).first { _ in true }
        guard found != nil else { return }
        try loggedLater { () throws(StoreError) in
            try connection.statement("DELETE FROM told_letters WHERE batch = ?")
                .bind(batch.rawValue).run()
        } as: {
            $0.deadLetterRemoved(batch)
        }
    }

    /// The intake log cannot tell the change, so the group is committed if there was a letter.
    package func forgetToldLetters() throws(StoreError) {
        // To empty a table that is empty already would write the table's first page.
        let any = try connection.statement("SELECT 1 FROM told_letters LIMIT 1")
        guard try any.first({ _ in true }) != nil else { return }
        try connection.statement("DELETE FROM told_letters").run()
    }

    /// Forgets told letters of before a time, a few at a time.
    ///
    /// - Returns: Whether there were any.
    func forgetToldLetters(before time: Timestamp) throws(StoreError) -> Bool {
        let statement = try connection.statement(
            """
            DELETE FROM told_letters WHERE batch IN
                (SELECT batch FROM told_letters WHERE rejected_at < ? LIMIT ?)
            """)
        try statement.bind(TimeBytes.bytes(of: time), MaintenanceLimits.recordCount).run()
        return connection.changeCount > 0
    }

    /// Dead letters behind a batch, in the order of their numbers, without told ones.
    func deadLetters(after batch: BatchID, count: Int) throws(StoreError) -> [DeadLetter] {
        let statement = try connection.statement(
            """
            SELECT batch, state, written_at, uid, gid, pid, unit, program, base_writes, writes,
                user, code, message, rejected_at, may_have_been_applied
            FROM dead_letters WHERE batch > ? ORDER BY batch LIMIT ?
            """)
        return try statement.bind(batch.rawValue, count).map { row throws(StoreError) in
            try deadLetter(from: row, wasTold: false)
        }
    }

    private func deadLetter(
        from row: borrowing Row, wasTold: Bool
    ) throws(StoreError) -> DeadLetter {
        return DeadLetter(
            batch: try wholeBatch(from: row, of: UserID(row.text(10) ?? "")),
            error: try Self.refusal(from: row, at: 11), rejectedAt: try row.time(13),
            mayHaveBeenApplied: row.bool(14), wasTold: wasTold)
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
