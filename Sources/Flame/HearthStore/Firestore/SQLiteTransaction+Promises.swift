package import HearthEngine
package import HearthFirestore
package import HearthModel
import HearthSQLite

/// The table `promises`: what became of the times that batches had promised.
extension SQLiteTransaction {
    package func promise(_ promisedAt: Timestamp) throws(StoreError) -> SettledPromise? {
        let statement = try connection.statement(
            "SELECT batch, outcome FROM promises WHERE promised_at = ?")
        let microseconds = promisedAt.microseconds
        return try statement.bind(microseconds).first { row throws(StoreError) in
            SettledPromise(
                promisedAt: Timestamp(promising: microseconds), batch: BatchID(row.int(0)),
                outcome: try PromiseBytes.outcome(from: row.isNull(1) ? nil : row.bytes(1)))
        }
    }

    package func setPromise(_ promise: SettledPromise) throws(StoreError) {
        let outcome = PromiseBytes.bytes(of: promise.outcome)
        let notedAt = try lastWrittenAt()
        try logged { () throws(StoreError) in
            try connection.statement("INSERT OR REPLACE INTO promises VALUES (?, ?, ?, ?)").bind(
                promise.promisedAt.microseconds, promise.batch.rawValue,
                TimeBytes.bytes(of: notedAt), outcome
            ).run()
        } as: {
            $0.promiseSettled(promise, outcome: outcome, notedAt: notedAt)
        }
    }

    /// Forgets promises, the oldest first, as `RecordBounds` says of answered writes; then told
    /// letters.
    ///
    /// While anything waits, a batch may name an old promise, so that only age counts.
    ///
    /// - Returns: Whether there are more.
    package func forgetMore(_ bounds: RecordBounds) throws(StoreError) -> Bool {
        let last = try globals().lastBatchID.rawValue
        let isWaiting = try queueTallies().batchCount > 0
        let lastForgotten = isWaiting ? 0 : last - Int64(bounds.countMax)
        let statement = try connection.statement(
            "SELECT promised_at, batch, noted_at FROM promises ORDER BY promised_at LIMIT ?")
        let old = try statement.bind(MaintenanceLimits.recordCount).map { row throws(StoreError) in
            (promise: row.int(0), batch: row.int(1), notedAt: try row.time(2))
        }.prefix { $0.batch <= lastForgotten || $0.notedAt < bounds.notedBefore }
        guard let newest = old.last else {
            return try forgetToldLetters(before: bounds.toldBefore)
        }
        try connection.statement("DELETE FROM promises WHERE promised_at <= ?")
            .bind(newest.promise).run()
        return true
    }
}
