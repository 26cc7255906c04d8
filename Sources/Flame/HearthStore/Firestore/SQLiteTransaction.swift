package import HearthEngine
package import HearthFirestore
import HearthModel
import HearthProtocol
package import HearthSQLite

/// One transaction on a connection, as engines and readers see it. The tables' files extend it.
package final class SQLiteTransaction: FirestoreTransaction, QueueTransaction {
    /// What the transaction knows of the file without reading.
    ///
    /// The memory is undone with the turn that changed the memory, so each turn keeps a copy. A
    /// part that can grow is a tree, or is dropped with the group.
    ///
    /// The file of each table declares the table's part of the memory.
    package struct Memory: QueueTransactionMemory {
        /// What the group did.
        package var group = GroupAccount()
        var globals: StoreGlobals?
        var tallies: Tallies?
        var collections = CollectionMemory()
        var lastName: DocumentName?
        package var queues = QueueMemory()
        package var loads = QueueLoadMemory()
        package var batches = BatchMemory()
        package var records = RecordMemory()
        var documents = DocumentMemory()
        var written = WrittenMemory()
        var uses = UseMemory()
        var indexes: IndexTable?
        var history: HistoryEnds?

        /// Knows nothing.
        package init() {}
    }

    /// What becomes of a write.
    package typealias Outcome = WriteOutcome

    /// The connection that the transaction works on.
    package let connection: Connection
    let codec: FirestoreCodec
    let reader: DocumentReader
    var failing: Set<StoreOperation> = []
    /// What is known now.
    package var memory = Memory()
    /// The documents that the group may have changed. Not undone: a document too many does no harm.
    package internal(set) var changes = DocumentChanges()
    /// How far the merge of an index's runs has come.
    ///
    /// Not undone: the merge knows its place, and is dropped if the table names another place.
    var merge: IndexMerge?
    /// How far the forgetting of answered writes has come. Not undone, for the same reason.
    package var forgetting = Forgetting()
    /// How far the forgetting of empty collections has come. Not undone, for the same reason.
    var pruning = CollectionPruning()

    init(_ connection: Connection, database: DatabaseID) {
        self.connection = connection
        codec = FirestoreCodec(database: database, mode: .local)
        reader = DocumentReader(database: database)
    }

    package func beginGroup() {
        memory.group = GroupAccount()
        memory.documents = DocumentMemory()
        memory.written = WrittenMemory()
        changes = DocumentChanges(after: changes)
    }

    package var changeNumber: UInt64 { changes.number }

    package func finishGroup() throws(StoreError) {
        try noteNewUses()
    }

    package func store(version: StoreVersion) throws(StoreError) {
        try storeGlobals(version: version)
        try storeSent()
    }

    package func enter(_ operation: StoreOperation) throws(StoreError) {
        if failing.contains(operation) { throw .injected(operation) }
    }
}
