package import HearthEngine
package import HearthModel
package import HearthRealtime
import HearthSQLite

/// The table `dead_letters`.
extension RealtimeSQLiteTransaction {
    package func appendDeadLetter(_ letter: RealtimeDeadLetter) throws(StoreError) {
        let change = ChangeBytes.bytes(of: letter.write.change)
        try logged { () throws(StoreError) in
            try deleteDeadLetter(letter.write.id)
            try insert(letter, change)
            try tallyQueue { $0.deadLetterCount += 1 }
        } as: {
            $0.deadLetter(letter, change: change)
        }
    }

    private func insert(_ letter: RealtimeDeadLetter, _ change: [UInt8]) throws(StoreError) {
        let write = letter.write
        let statement = try connection.statement(
            "INSERT INTO dead_letters VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        try statement.bind(
            write.id.rawValue, write.user.rawValue, write.state.stored,
            TimeBytes.bytes(of: write.writtenAt), Int64(write.writer.uid),
            Int64(write.writer.gid), Int64(write.writer.pid), write.writer.unit,
            write.writer.program, change.count, change, Int64(letter.error.code.rawValue),
            letter.error.message, TimeBytes.bytes(of: letter.rejectedAt),
            letter.mayHaveBeenApplied
        ).run()
    }

    package func deadLetter(_ write: BatchID) throws(StoreError) -> RealtimeDeadLetter? {
        let statement = try connection.statement(
            """
            SELECT batch, state, written_at, uid, gid, pid, unit, program, change, user, code,
                message, rejected_at, may_have_been_applied
            FROM dead_letters WHERE batch = ?
            """)
        return try statement.bind(write.rawValue).first { row throws(StoreError) in
            try deadLetter(from: row)
        }
    }

    /// Dead letters behind a write, in the order of their numbers.
    func deadLetters(after write: BatchID, count: Int) throws(StoreError) -> [RealtimeDeadLetter] {
        let statement = try connection.statement(
            """
            SELECT batch, state, written_at, uid, gid, pid, unit, program, change, user, code,
                message, rejected_at, may_have_been_applied
            FROM dead_letters WHERE batch > ? ORDER BY batch LIMIT ?
            """)
        return try statement.bind(write.rawValue, count).map { row throws(StoreError) in
            try deadLetter(from: row)
        }
    }

    private func deadLetter(from row: borrowing Row) throws(StoreError) -> RealtimeDeadLetter {
        guard let state = BatchState(stored: row.int(1)) else {
            throw .damaged("the state of write \(row.int(0))")
        }
        let write = QueuedWrite(
            id: BatchID(row.int(0)), change: try Self.change(from: row, at: 8),
            writtenAt: try row.time(2), user: UserID(row.text(9) ?? ""), state: state,
            writer: writer(from: row, at: 3))
        return RealtimeDeadLetter(
            write: write, error: try Self.refusal(from: row, at: 10),
            rejectedAt: try row.time(12), mayHaveBeenApplied: row.bool(13))
    }
}
