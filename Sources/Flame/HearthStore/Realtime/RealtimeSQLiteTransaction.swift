package import HearthEngine
import HearthModel
package import HearthRealtime
package import HearthSQLite

/// One transaction on a connection, as engines and readers of a Realtime Database see it.
///
/// The tables' files extend it, here and in `Queue`.
package final class RealtimeSQLiteTransaction: RealtimeTransaction, QueueTransaction {
    /// What becomes of a write.
    package typealias Outcome = RealtimeOutcome

    /// What the transaction knows of the file without reading.
    ///
    /// The memory is undone with the turn that changed the memory, so each turn keeps a copy.
    package struct Memory: QueueTransactionMemory {
        /// What the group did.
        package var group = GroupAccount()
        var globals: RealtimeGlobals?
        var tallies: RealtimeTallies?
        /// How many tracked queries nobody listens to; `nil` until somebody asks.
        var inactiveQueryCount: Int?
        /// The tracked queries with hashes; `nil` until a change asks.
        var hashed: HashedQueries?
        package var queues = QueueMemory()
        package var loads = QueueLoadMemory()
        package var batches = BatchMemory()
        package var records = RecordMemory()

        /// Knows nothing.
        package init() {}
    }

    /// The connection that the transaction works on.
    package let connection: Connection
    var failing: Set<RealtimeStep> = []
    /// What is known now.
    package var memory = Memory()
    /// How far the forgetting of answered writes has come. Not undone: it looks for rows anew.
    package var forgetting = Forgetting()

    init(_ connection: Connection) {
        self.connection = connection
    }

    package func beginGroup() {
        memory.group = GroupAccount()
    }

    package func finishGroup() {}

    package func store(version: StoreVersion) throws(StoreError) {
        try storeGlobals(version: version)
        try storeSent()
    }

    package func enter(_ step: RealtimeStep) throws(StoreError) {
        if failing.contains(step) { throw .injected(step) }
    }
}
