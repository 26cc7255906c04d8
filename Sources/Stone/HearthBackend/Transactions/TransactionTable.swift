import HashTreeCollections
import HearthModel

/// The open transactions of all databases, with their locks and the waiting commits.
struct TransactionTable: Sendable {
    /// When a transaction must be given up.
    private struct Deadline: Sendable {
        let moment: Timestamp
        let id: TransactionID

        static func order(_ left: Deadline, _ right: Deadline) -> Int {
            if left.moment != right.moment { return left.moment < right.moment ? -1 : 1 }
            return left.id.number < right.id.number
                ? -1 : (left.id.number == right.id.number ? 0 : 1)
        }
    }

    private var open: TreeDictionary<TransactionID, Transaction> = [:]
    private var locks: TreeDictionary<DatabaseID, LockTable> = [:]
    private var deadlines = OrderedTree<Deadline>()
    private(set) var waiting = WaitingTable()
    /// The number of the newest transaction.
    private(set) var issued: UInt64 = 0
    private var waiters: UInt64 = 0
    private let ageMax: Duration
    private let idleMax: Duration

    /// No transactions.
    init(_ settings: BackendSettings) {
        ageMax = settings.transactionAgeMax
        idleMax = settings.transactionIdleMax
    }

    /// How many are open.
    var count: Int { open.count }

    subscript(id: TransactionID) -> Transaction? { open[id] }

    /// Opens a transaction with the next number.
    mutating func begin(
        run: UInt64, in database: DatabaseID, _ options: TransactionOptions, at now: Timestamp
    ) -> TransactionID {
        issued += 1
        var priority = issued
        if let retried = options.retried, retried.run == run { priority = retried.priority }
        let id = TransactionID(run: run, number: issued, priority: min(priority, issued))
        let transaction = Transaction(
            id: id, database: database, mode: options.mode, begunAt: now, usedAt: now)
        open[id] = transaction
        deadlines.insert(deadline(of: transaction), by: Deadline.order)
        return id
    }

    /// Notes that a transaction is in use.
    mutating func use(_ id: TransactionID, at now: Timestamp) {
        guard let transaction = open[id] else { return }
        deadlines.remove(deadline(of: transaction), by: Deadline.order)
        open[id]?.usedAt = now
        guard let used = open[id] else { return }
        deadlines.insert(deadline(of: used), by: Deadline.order)
    }

    /// Notes the subject of a transaction's read, and locks the subject for a pessimistic
    /// transaction.
    mutating func read(
        _ subject: ReadSubject, in id: TransactionID, at snapshot: SnapshotVersion
    ) {
        guard var transaction = open[id] else { return }
        open[id] = nil
        defer { open[id] = transaction }
        transaction.snapshot = snapshot
        if transaction.isReadOnly { return }
        let isLocking = transaction.mode == .pessimistic
        var table = isLocking ? locks[transaction.database] ?? LockTable() : LockTable()
        switch subject {
        case .documents(let keys):
            transaction.readKeys.formUnion(keys)
            for key in keys { table.lock(key, by: id) }
        case .query(let plan), .nearest(let plan, _):
            if transaction.readQueries.contains(where: { $0.query == plan.query }) { return }
            let range = LockTable.Range(holder: id, place: transaction.readQueries.count)
            transaction.readQueries.append(plan)
            table.lock(plan, range)
        case .nothing:
            return
        }
        if isLocking { locks[transaction.database] = table }
    }

    /// Closes a transaction, if it is open, and opens its locks.
    mutating func end(_ id: TransactionID) {
        guard let transaction = open.removeValue(forKey: id) else { return }
        deadlines.remove(deadline(of: transaction), by: Deadline.order)
        release(transaction)
    }

    /// Opens a transaction's locks for an older transaction; the aborted transaction stays, to tell
    /// its client.
    mutating func abort(_ id: TransactionID) {
        guard let transaction = open[id] else { return }
        release(transaction)
        open[id]?.isAborted = true
        open[id]?.readKeys = []
        open[id]?.readQueries = []
    }

    private mutating func release(_ transaction: Transaction) {
        guard transaction.mode == .pessimistic else { return }
        waiting.released(transaction.id)
        locks[transaction.database]?.release(transaction)
        if locks[transaction.database]?.isEmpty ?? false { locks[transaction.database] = nil }
    }

    private func deadline(of transaction: Transaction) -> Deadline {
        let moment = min(
            transaction.begunAt.advanced(by: ageMax), transaction.usedAt.advanced(by: idleMax))
        return Deadline(moment: moment, id: transaction.id)
    }
}

/// Commits that wait.
extension TransactionTable {
    /// Lets a commit wait for a transaction that stands in its way.
    mutating func wait(
        _ writes: [Mutation], in database: DatabaseID, _ transaction: TransactionID?,
        by caller: Caller, behind obstacle: TransactionID, until deadline: Timestamp
    ) -> WaiterID {
        waiters += 1
        let waiter = WaitingCommit(
            id: WaiterID(rawValue: waiters), writes: writes, database: database,
            transaction: transaction, caller: caller, deadline: deadline)
        waiting.insert(waiter, behind: obstacle)
        return waiter.id
    }

    /// Lets a commit wait no longer.
    mutating func stopWaiting(_ id: WaiterID) {
        waiting.remove(id)
    }

    /// The next commit to look at again; see `WaitingTable.nextDue`.
    mutating func nextDue() -> WaitingCommit? {
        waiting.nextDue()
    }

    /// Lets a commit that was looked at wait again.
    mutating func waitOn(_ id: WaiterID, behind obstacle: TransactionID) {
        waiting.wait(id, behind: obstacle)
    }

    /// Documents have changed.
    mutating func changed(_ changes: [DocumentChange], in database: DatabaseID) {
        waiting.changed(changes, in: database)
    }

    /// The commit of a transaction, if it waits.
    func waiter(of id: TransactionID) -> WaitingCommit? {
        waiting.commit(of: id)
    }

    /// Whether anything in a database is locked.
    func hasLocks(in database: DatabaseID) -> Bool { locks[database] != nil }

    /// Whose locks stand against changes in a database, but for one transaction's own.
    func blockers(
        of changes: [DocumentChange], in database: DatabaseID, except own: TransactionID?
    ) -> [TransactionID] {
        guard let table = locks[database] else { return [] }
        var result: Set<TransactionID> = []
        for change in changes {
            for holder in table.holders(of: change.key) where holder != own {
                result.insert(holder)
            }
            for range in table.ranges(concernedBy: change)
            where range.holder != own && !result.contains(range.holder) {
                guard let plan = open[range.holder]?.readQueries[range.place] else { continue }
                if plan.matches(change.old) || plan.matches(change.new) {
                    result.insert(range.holder)
                }
            }
        }
        return result.sorted()
    }

    /// The transactions that have lived or idled too long. A transaction that waits to commit is
    /// not idle.
    func expired(at now: Timestamp) -> [TransactionID] {
        var result: [TransactionID] = []
        deadlines.walk { deadline in
            guard deadline.moment <= now else { return false }
            if waiter(of: deadline.id) == nil { result.append(deadline.id) }
            return true
        }
        return result
    }

    /// When something must next be given up.
    var nextDeadline: Timestamp? {
        guard let first = deadlines.first?.moment else { return waiting.nextDeadline }
        return waiting.nextDeadline.map { min($0, first) } ?? first
    }
}
