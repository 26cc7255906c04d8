import HashTreeCollections
package import HearthModel

/// Transactions and the locks of their reads.
///
/// A pessimistic transaction reads the newest versions and locks them. A write to anything that
/// another transaction has locked waits, at most `lockWaitMax`. If commits would wait for each
/// other for ever, the backend at once aborts the commit that has waited longest. Of two
/// transactions that read the same documents, the second to commit therefore wins.
///
/// A transaction that retries an aborted transaction keeps the age of the first try. If a retry is
/// among the commits that would wait for each other, the backend aborts the youngest transaction
/// instead. When a retry has waited `lockWaitMax` for younger transactions, the younger
/// transactions give way. An optimistic transaction holds no locks, and fails to commit if the
/// results of its reads have changed.
extension Backend {
    /// Opens a transaction.
    ///
    /// - Parameters:
    ///   - options: Whether the transaction may write, and the transaction that it retries.
    ///   - database: The database.
    ///   - now: The time, from which the transaction's life counts.
    /// - Throws: `HearthError` if too many transactions are open, the retried transaction is
    ///   unknown, or the read time is too old or yet to come.
    package mutating func begin(
        _ options: TransactionOptions, in database: DatabaseID, at now: Timestamp
    ) throws(HearthError) -> TransactionID {
        expire(at: now)
        guard transactions.count < settings.transactionCountMax else {
            throw HearthError(
                code: .resourceExhausted,
                message: "\(transactions.count) transactions are open, the most that may be. "
                    + "Commit or roll back each that you begin.")
        }
        if let retried = options.retried {
            guard retried.run != run || retried.number <= transactions.issued else {
                throw Self.unknown
            }
            end(retried, at: now)
        }
        if case .readOnly(let moment?) = options.mode {
            _ = try checkedMoment(moment, in: database, at: now)
        }
        return transactions.begin(run: run, in: database, options, at: now)
    }

    /// Ends a transaction without writes. A transaction that has ended already is no error.
    ///
    /// - Parameters:
    ///   - id: The transaction.
    ///   - database: The database that the call names.
    ///   - now: The time of the call.
    /// - Throws: `HearthError` for a transaction that this run has not issued.
    package mutating func rollback(
        _ id: TransactionID, in database: DatabaseID, at now: Timestamp
    ) throws(HearthError) {
        guard id.run == run, id.number <= transactions.issued else { throw Self.unknown }
        end(id, at: now)
    }

    /// Takes a picture to read from, and locks what will be read if a transaction asks for it.
    ///
    /// - Parameters:
    ///   - subject: What will be read.
    ///   - database: The database.
    ///   - consistency: The moment of the picture, or the transaction that reads.
    ///   - caller: Who reads; rules apply to all but the admin.
    ///   - now: The time of the call.
    /// - Throws: `HearthError` for a transaction that is not open, a moment that is too old or yet
    ///   to come, a missing index, or a read that the rules refuse.
    package mutating func read(
        _ subject: ReadSubject, in database: DatabaseID, _ consistency: ReadConsistency,
        by caller: Caller = .admin, at now: Timestamp
    ) throws(HearthError) -> ReadView {
        try prepare(subject, in: database)
        let moment: SnapshotVersion
        var newTransaction: TransactionID?
        switch consistency {
        case .latest:
            moment = readMoment(now)
        case .readTime(let time):
            moment = try checkedMoment(time, in: database, at: now)
        case .transaction(let id):
            try checkOpen(id, in: database, at: now)
            moment = try read(subject, in: id, at: now)
        case .newTransaction(let options):
            let id = try begin(options, in: database, at: now)
            newTransaction = id
            moment = try read(subject, in: id, at: now)
        }
        let state = databases[database] ?? Database()
        let view = ReadView(
            database: database, documents: state.documents, log: state.log, moment: moment,
            newTransaction: newTransaction)
        do throws(HearthError) {
            try checkRead(subject, view, by: caller, at: now)
        } catch {
            // Nobody will ever hear of a transaction that began with a refusal.
            if let newTransaction { end(newTransaction, at: now) }
            throw error
        }
        return view
    }

    /// Gives up what has waited, lived or idled too long.
    package mutating func expire(at now: Timestamp) {
        while let waiter = transactions.waiting.expired(at: now) {
            giveUp(waiter, at: now)
        }
        for id in transactions.expired(at: now) { end(id, at: now) }
    }

    /// When `expire` is next worth calling; `nil` if nothing can expire.
    package var nextDeadline: Timestamp? { transactions.nextDeadline }
}

extension Backend {
    static let unknown = HearthError.argument("Invalid transaction.")

    mutating func checkOpen(
        _ id: TransactionID, in database: DatabaseID, at now: Timestamp
    ) throws(HearthError) {
        guard id.run == run, id.number > 0, id.number <= transactions.issued else {
            throw Self.unknown
        }
        expire(at: now)
        guard let transaction = transactions[id] else {
            throw .argument("Transaction is invalid or closed.")
        }
        guard transaction.database == database else { throw Self.unknown }
        if transaction.isAborted {
            end(id, at: now)
            throw Self.lockTimeout
        }
        transactions.use(id, at: now)
    }

    /// Closes a transaction and makes the commits that waited for it alone.
    mutating func end(_ id: TransactionID, at now: Timestamp) {
        transactions.end(id)
        makeWaiting(at: now)
    }

    /// Lets a commit wait if other transactions' locks stand against the commit; `nil` if it may go
    /// on.
    ///
    /// - Throws: `HearthError` `aborted` if the commit would wait for ever and has to give way.
    mutating func waitForLocks(
        of writes: [Mutation], in database: DatabaseID, _ own: TransactionID?, by caller: Caller,
        at now: Timestamp
    ) throws(HearthError) -> WaiterID? {
        while true {
            let blockers = blockers(of: writes, in: database, own)
            if blockers.isEmpty { return nil }
            guard let own, let cycle = cycle(from: own, blockers) else {
                return transactions.wait(
                    writes, in: database, own, by: caller, behind: blockers[0],
                    until: now.advanced(by: settings.lockWaitMax))
            }
            guard let loser = loser(of: cycle) else { throw Self.lockTimeout }
            abort(loser, at: now)
        }
    }

    /// Refuses the commit of an optimistic transaction whose reads are no longer true.
    func checkUnchanged(_ id: TransactionID, in database: DatabaseID) throws(HearthError) {
        guard let transaction = transactions[id], transaction.mode == .optimistic,
            let snapshot = transaction.snapshot, let state = databases[database]
        else { return }
        let isChanged = state.log.keys(after: snapshot).contains { key in
            transaction.hasRead(
                key, [state.documents.document(key, at: snapshot), state.documents.document(key)])
        }
        guard !isChanged, state.log.start <= snapshot else {
            throw HearthError(
                code: .aborted,
                message: "The transaction read documents that have changed since. Try it again.")
        }
    }

    private static let lockTimeout = HearthError(
        code: .aborted, message: "Transaction lock timeout.")

    /// The waiting commit that has to give way; `nil` if the asking commit has to give way.
    private func loser(of cycle: [TransactionID]) -> WaitingCommit? {
        if cycle.contains(where: \.isRetry) {
            return cycle.max().flatMap { transactions.waiter(of: $0) }
        }
        return cycle.compactMap { transactions.waiter(of: $0) }.min { $0.id < $1.id }
    }

    /// The transactions that would wait for each other if `own` waited for the blockers; `nil`
    /// without such a cycle.
    private func cycle(
        from own: TransactionID, _ blockers: [TransactionID]
    ) -> [TransactionID]? {
        var cameFrom: [TransactionID: TransactionID] = [:]
        var open = blockers
        for blocker in blockers { cameFrom[blocker] = own }
        while let next = open.popLast() {
            guard let waiter = transactions.waiter(of: next) else { continue }
            for blocker in self.blockers(of: waiter.writes, in: waiter.database, next) {
                if blocker == own {
                    var cycle = [next]
                    while let last = cycle.last, last != own, let before = cameFrom[last] {
                        cycle.append(before)
                    }
                    return cycle
                }
                guard cameFrom[blocker] == nil else { continue }
                cameFrom[blocker] = next
                open.append(blocker)
            }
        }
        return nil
    }

    /// Makes the commits that no lock blocks any more, older transactions' commits first.
    ///
    /// The backend looks only at the due commits of `WaitingTable`.
    private mutating func makeWaiting(at now: Timestamp) {
        while let waiter = transactions.nextDue() {
            let blockers = blockers(of: waiter.writes, in: waiter.database, waiter.transaction)
            if let obstacle = blockers.first {
                transactions.waitOn(waiter.id, behind: obstacle)
            } else {
                transactions.stopWaiting(waiter.id)
                answer(waiter, at: now)
            }
        }
    }

    private func blockers(
        of writes: [Mutation], in database: DatabaseID, _ own: TransactionID?
    ) -> [TransactionID] {
        guard transactions.hasLocks(in: database) else { return [] }
        // With a version that no document has, the application shows which documents would change.
        let next = Timestamp(microseconds: clock.timestamp.microseconds + 1)
        var application = WriteApplication(
            database: database, version: SnapshotVersion(next),
            documents: documents(of: database))
        for write in writes {
            // A commit that will be refused changes nothing and need not wait.
            guard (try? application.apply(write)) != nil else { return [] }
        }
        return transactions.blockers(of: application.changes, in: database, except: own)
    }

    private mutating func read(
        _ subject: ReadSubject, in id: TransactionID, at now: Timestamp
    ) throws(HearthError) -> SnapshotVersion {
        guard let transaction = transactions[id] else { throw Self.unknown }
        var moment = transaction.snapshot ?? readMoment(now)
        switch transaction.mode {
        case .pessimistic: moment = readMoment(now)
        case .readOnly(let time?): moment = SnapshotVersion(time)
        case .readOnly(nil), .optimistic: break
        }
        guard historyStart(of: transaction.database) <= moment else {
            throw HearthError(
                code: .aborted, message: "The transaction's snapshot is forgotten. Try it again.")
        }
        transactions.read(subject, in: id, at: moment)
        return moment
    }

    private mutating func answer(_ waiter: WaitingCommit, at now: Timestamp) {
        do throws(HearthError) {
            let outcome = try withoutVerdicts { backend throws(HearthError) in
                try backend.make(
                    waiter.writes, in: waiter.database, by: waiter.caller, at: now)
            }
            act(.answer(waiter.id, .committed(outcome)))
        } catch {
            act(.answer(waiter.id, .failed(error)))
        }
        // The caller looks next at the commits that wait for this transaction.
        if let id = waiter.transaction { transactions.end(id) }
    }

    /// Ends the wait of a commit whose time is up.
    ///
    /// If the commit is a retry and older than all its blockers, the blockers are aborted; else the
    /// commit.
    private mutating func giveUp(_ waiter: WaitingCommit, at now: Timestamp) {
        let blockers = blockers(of: waiter.writes, in: waiter.database, waiter.transaction)
        guard let own = waiter.transaction, own.isRetry, blockers.allSatisfy({ own < $0 }) else {
            return abort(waiter, at: now)
        }
        for blocker in blockers {
            if let other = transactions.waiter(of: blocker) {
                abort(other, at: now)
            } else {
                transactions.abort(blocker)
            }
        }
        makeWaiting(at: now)
        // The blockers' end has let other commits go on: the commit may now wait for a new blocker.
        if transactions.waiter(of: own)?.id == waiter.id { abort(waiter, at: now) }
    }

    private mutating func abort(_ waiter: WaitingCommit, at now: Timestamp) {
        transactions.stopWaiting(waiter.id)
        act(.answer(waiter.id, .failed(Self.lockTimeout)))
        if let id = waiter.transaction { end(id, at: now) }
    }

    /// Looks at what a read needs beside its documents: indexes, which may be demanded.
    private mutating func prepare(
        _ subject: ReadSubject, in database: DatabaseID
    ) throws(HearthError) {
        guard let plan = subject.plan else { return }
        if let indexes = settings.indexes {
            try indexes.check(plan, nearest: subject.nearest, in: database)
        }
        databases[database]?.documents.prepare(for: plan)
    }

    private mutating func checkedMoment(
        _ time: Timestamp, in database: DatabaseID, at now: Timestamp
    ) throws(HearthError) -> SnapshotVersion {
        let present = readMoment(now)
        let moment = SnapshotVersion(time)
        guard moment <= present else {
            throw .argument("The requested 'read_time' cannot be in the future.")
        }
        let oldest = now.advanced(by: .zero - settings.historyAgeMax)
        guard time >= oldest, moment >= historyStart(of: database) else {
            throw HearthError(
                code: .failedPrecondition, message: "The requested 'read_time' is too old.")
        }
        return moment
    }
}
