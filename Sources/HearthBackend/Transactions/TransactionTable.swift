import HashTreeCollections
import HearthModel

/// The open transactions of all databases, and the commits that wait for their locks.
struct TransactionTable: Sendable {
    private var open: TreeDictionary<TransactionID, Transaction> = [:]
    private var holders: TreeSet<TransactionID> = []
    /// In the order in which they began to wait.
    private(set) var waiting: [WaitingCommit] = []
    /// The number of the newest transaction.
    private(set) var issued: UInt64 = 0
    private var waiters: UInt64 = 0

    /// How many are open.
    var count: Int { open.count }

    subscript(id: TransactionID) -> Transaction? { open[id] }

    /// Opens a transaction with the next number.
    mutating func begin(
        run: UInt64, in database: DatabaseID, _ options: TransactionOptions, at now: Timestamp
    ) -> TransactionID {
        issued += 1
        let id = TransactionID(run: run, number: issued)
        open[id] = Transaction(
            id: id, database: database, options: options, begunAt: now, usedAt: now)
        return id
    }

    /// Changes an open transaction.
    mutating func update(_ id: TransactionID, _ body: (inout Transaction) -> Void) {
        guard var transaction = open[id] else { return }
        body(&transaction)
        open[id] = transaction
        if transaction.hasLocks { holders.insert(id) }
    }

    /// Closes a transaction, if it is open.
    mutating func end(_ id: TransactionID) {
        open[id] = nil
        holders.remove(id)
    }

    /// Lets a commit wait.
    mutating func wait(
        _ writes: [Mutation], in database: DatabaseID, _ transaction: TransactionID?,
        until deadline: Timestamp
    ) -> WaiterID {
        waiters += 1
        let id = WaiterID(rawValue: waiters)
        waiting.append(
            WaitingCommit(
                id: id, writes: writes, database: database, transaction: transaction,
                deadline: deadline))
        return id
    }

    /// Lets a commit wait no longer.
    mutating func stopWaiting(_ id: WaiterID) {
        waiting.removeAll { $0.id == id }
    }

    /// Whose locks stand against changes in a database, but for one transaction's own.
    func blockers(
        of changes: [DocumentChange], in database: DatabaseID, except own: TransactionID?
    ) -> [TransactionID] {
        holders.filter { id in
            guard id != own, let holder = open[id], holder.database == database else {
                return false
            }
            return changes.contains { holder.hasRead($0.key, [$0.old, $0.new]) }
        }.sorted()
    }

    /// Whether any transaction holds any lock.
    var hasLocks: Bool { !holders.isEmpty }

    /// The transactions that have lived or idled too long. One that waits to commit is not idle.
    func expired(at now: Timestamp, _ settings: BackendSettings) -> [TransactionID] {
        let committing = Set(waiting.compactMap(\.transaction))
        return open.values.filter {
            !committing.contains($0.id) && Self.deadline(of: $0, settings) <= now
        }.map(\.id).sorted()
    }

    /// When something must next be given up.
    func nextDeadline(_ settings: BackendSettings) -> Timestamp? {
        let transactions = open.values.lazy.map { Self.deadline(of: $0, settings) }.min()
        let waits = waiting.lazy.map(\.deadline).min()
        return [transactions, waits].compactMap(\.self).min()
    }

    private static func deadline(
        of transaction: Transaction, _ settings: BackendSettings
    ) -> Timestamp {
        min(
            transaction.begunAt.advanced(by: settings.transactionAgeMax),
            transaction.usedAt.advanced(by: settings.transactionIdleMax))
    }
}
