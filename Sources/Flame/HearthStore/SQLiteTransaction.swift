import HashTreeCollections
package import HearthEngine
package import HearthFirestore
import HearthModel
import HearthProtocol

/// One transaction on a connection, as engines and readers see it. The tables' files extend it.
package final class SQLiteTransaction: FirestoreTransaction {
    /// What is known of the file without reading it. It is undone with the turn that changed it.
    struct Memory {
        var globals: StoreGlobals?
        var hasChanges = false
        /// The latest use that was noted; a document that comes without one was used then.
        var latestUse: ListenSequenceNumber = 0
        /// When the last batch was written, which is the time we know.
        var lastWrittenAt: Timestamp?
        // Trees, because each turn keeps a copy of all this.
        var collectionIDs: TreeDictionary<ResourcePath, Int64> = [:]
        var collectionPaths: TreeDictionary<Int64, ResourcePath> = [:]
        var queueIDs: [UTF8Text: Int64] = [:]
        /// The batch that was appended last to each queue.
        var lastBatches: [Int64: BatchID] = [:]
        /// The last batch of each queue that was sent.
        var sentThrough: [Int64: BatchID] = [:]
        /// Whether `mutation_queues` lacks some of that.
        var hasUnstoredSent = false
        /// Below which of its numbers a client needs no record, and answered writes have none.
        var forgottenBelow: TreeDictionary<WriteClient, UInt64> = [:]
        /// What `forgotten_writes` says of clients that wrote lately.
        var prunedBelow: TreeDictionary<WriteClient, UInt64> = [:]
        var tallies: Tallies?
        /// What each Unix user has in the queues; `nil` until somebody asks.
        var loads: [UInt32: QueueLoad]?
        /// The rows of documents that the group has looked up or made.
        var rows: [DocumentKey: DocumentRow] = [:]
        /// What the group has looked up or changed of documents that queues write to.
        var writtenRows: [WrittenName: WrittenRow] = [:]
        /// The documents that the group read last, unless they were many.
        var documents: [DocumentKey: Document] = [:]
        var lastName: DocumentName?
        /// Of all users; `nil` until somebody asks.
        var allQueueIDs: [Int64]?
        /// When documents were used whose rows are new and have none in `document_use` yet. A target
        /// mostly takes them before anybody asks, and then one row is written once.
        var newUses: [Int64: ListenSequenceNumber] = [:]
        var indexes: IndexTable?
        /// What the group did, for the intake log.
        var intake = IntakeWriter()
        /// What the group stored in rows that are large.
        var bulkByteCount = 0
    }

    let connection: Connection
    let codec: FirestoreCodec
    let reader: DocumentReader
    var failing: Set<StoreOperation> = []
    var memory = Memory()
    /// The documents that the group may have changed. Not undone: one too many does no harm.
    var changes = DocumentChanges()
    /// Where putting an index together stands. Not undone: it knows its place, and is left if the
    /// table says another.
    var merge: IndexMerge?
    /// How far the forgetting of answered writes has come. Not undone, for the same reason.
    var forgetting = Forgetting()
    /// How far the forgetting of empty collections has come. Not undone, for the same reason.
    var pruning = CollectionPruning()

    init(_ connection: Connection, database: DatabaseID) {
        self.connection = connection
        codec = FirestoreCodec(database: database, mode: .local)
        reader = DocumentReader(database: database)
    }

    /// Drops all that is known, because a rollback may have made it wrong.
    func forget() {
        memory = Memory()
    }

    package func enter(_ operation: StoreOperation) throws(StoreError) {
        if failing.contains(operation) { throw .injected(operation) }
    }
}
