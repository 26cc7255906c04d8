package import HearthEngine
package import HearthModel
import HearthSQLite

/// What all tables `dead_letters` have: a row for each rejected batch, by its number.
extension QueueTransaction {
    /// Forgets a rejected batch.
    package func removeDeadLetter(_ batch: BatchID) throws(StoreError) {
        try logged { () throws(StoreError) in
            try deleteDeadLetter(batch)
        } as: {
            $0.deadLetterRemoved(batch)
        }
    }

    /// Deletes the row of a rejected batch, if there is one.
    func deleteDeadLetter(_ batch: BatchID) throws(StoreError) {
        try connection.statement("DELETE FROM dead_letters WHERE batch = ?")
            .bind(batch.rawValue).run()
        let count = Int(connection.changeCount)
        if count > 0 { try tallyQueue { $0.deadLetterCount -= count } }
    }

    /// Reads code and message.
    static func refusal(from row: borrowing Row, at column: Int32) throws(StoreError)
        -> HearthError
    {
        guard let code = StatusCode(rawValue: Int32(truncatingIfNeeded: row.int(column))) else {
            throw .damaged("the code of a refused batch")
        }
        return HearthError(code: code, message: row.text(column + 1) ?? "")
    }

    /// The size of a dead letter's writes; 0 if there is none of the number.
    func deadLetterByteCount(_ batch: BatchID) throws(StoreError) -> Int {
        let statement = try connection.statement(
            "SELECT byte_count FROM dead_letters WHERE batch = ?")
        return try statement.bind(batch.rawValue).first { Int($0.int(0)) } ?? 0
    }
}
