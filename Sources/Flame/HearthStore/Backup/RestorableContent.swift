import HearthSQLite

/// A content whose copies can be put in the place of a store.
package protocol RestorableContent: SalvagedContent {
    /// The tables of waiting writes and of their effects. The tables go with the queue.
    static var queueTables: [String] { get }
    /// The column of `store` that has the last number of a batch.
    static var lastNumber: String { get }
    /// Statements that forget what sendings of the queue left at the backend.
    static var forgetsSendings: String { get }
    /// Statements that settle the records of batches in other tables, before the batches go.
    static var settlesDropped: String { get }
}

extension FirestoreContent: RestorableContent {
    /// The batches, the pending effects of batches with their entries in indexes, and the letters.
    package static var queueTables: [String] {
        [
            "mutations", "document_mutations", "document_overlays", "written_documents",
            "overlay_entries", "dead_letters", "told_letters",
        ]
    }
    /// The last batch that was accepted.
    package static var lastNumber: String { "last_batch" }
    /// Markers bear the store's name, and the store gets another name.
    package static var forgetsSendings: String {
        "UPDATE mutation_queues SET sent = 0, marker_eras = ''"
    }
    /// Promised times of batches that go are answered like the times of refused batches.
    package static var settlesDropped: String {
        """
        INSERT OR IGNORE INTO promises
            SELECT promised_at, id & \(BatchRow.numberMax), written_at, NULL FROM mutations
            WHERE promised_at IS NOT NULL
        """
    }
}

extension RealtimeContent: RestorableContent {
    /// The writes, and the letters.
    package static var queueTables: [String] { ["mutations", "dead_letters"] }
    /// The last write that was accepted.
    package static var lastNumber: String { "last_write" }
    /// The fence lies under the store's name, and the store gets another name.
    package static var forgetsSendings: String { "UPDATE mutation_queues SET sent = 0" }
    /// Nothing else remembers a write.
    package static var settlesDropped: String { "" }
}
