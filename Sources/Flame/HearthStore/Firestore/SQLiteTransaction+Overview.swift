import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite

/// What there is in a store of documents, for people; no engine asks these.
extension SQLiteTransaction {
    /// Whether no batch ever had a number, and no document, bundle or index is here. Targets may be:
    /// whoever asks again has lost nothing.
    func isBlank() throws(StoreError) -> Bool {
        let globals = try globals()
        guard globals.lastBatchID == .none, globals.createsIndexes == StoreGlobals().createsIndexes,
            try tallies().documentCount == 0
        else { return false }
        let statement = try connection.statement(
            """
            SELECT EXISTS (SELECT 1 FROM write_records) OR EXISTS (SELECT 1 FROM dead_letters)
                OR EXISTS (SELECT 1 FROM bundles) OR EXISTS (SELECT 1 FROM named_queries)
                OR EXISTS (SELECT 1 FROM indexes)
            """)
        return try statement.first { $0.int(0) } == 0
    }

    /// How much of everything there is.
    func counts() throws(StoreError) -> StoreCounts {
        let tallies = try tallies()
        return StoreCounts(
            batchCount: tallies.queue.batchCount, heldBatchCount: tallies.queue.heldBatchCount,
            batchByteCount: tallies.queue.batchByteCount, oldestWrittenAt: try oldestWrittenAt(),
            documentCount: tallies.documentCount, targetCount: tallies.targetCount,
            deadLetterCount: tallies.queue.deadLetterCount, cacheByteCount: try cacheByteCount(),
            history: try historyFigures())
    }
}
