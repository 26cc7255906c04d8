package import HearthFirestore
import HearthModel
import HearthProtocol

/// One transaction on a connection, as engines and readers see it. The tables' files extend it.
package final class SQLiteTransaction: FirestoreTransaction {
    /// What is known of the file without reading it. It is undone with the turn that changed it, so each
    /// turn keeps a copy of it: what can grow is a tree, or is dropped with the group.
    ///
    /// Each part is declared by the file of the table that it is about.
    struct Memory {
        var group = GroupAccount()
        var globals: StoreGlobals?
        var tallies: Tallies?
        var collections = CollectionMemory()
        var lastName: DocumentName?
        var queues = QueueMemory()
        var loads = QueueLoadMemory()
        var batches = BatchMemory()
        var records = RecordMemory()
        var documents = DocumentMemory()
        var written = WrittenMemory()
        var uses = UseMemory()
        var indexes: IndexTable?

        /// Forgets what is known for one group only.
        mutating func beginGroup() {
            group = GroupAccount()
            documents = DocumentMemory()
            written = WrittenMemory()
        }
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
