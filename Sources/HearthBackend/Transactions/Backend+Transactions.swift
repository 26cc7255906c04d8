import HashTreeCollections
package import HearthModel

/// Transactions and the locks of their reads.
///
/// A pessimistic transaction reads the newest versions and locks them; a write to anything locked by
/// another waits, at most `lockWaitMax`. If the holder of a lock waits for the writer itself, the
/// one that waited is aborted: of two transactions that read the same and want to write it, the
/// second to commit wins. An optimistic one holds no locks, and its commit fails if what it read
/// has changed.
extension Backend {
    /// Opens a transaction.
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
        if case .readOnly(let moment?) = options {
            _ = try checkedMoment(moment, in: database, at: now)
        }
        return transactions.begin(run: run, in: database, options, at: now)
    }

    /// Ends a transaction without writes. One that has ended already is no error.
    package mutating func rollback(
        _ id: TransactionID, in database: DatabaseID, at now: Timestamp
    ) throws(HearthError) {
        guard id.run == run, id.number <= transactions.issued else { throw Self.unknown }
        end(id, at: now)
    }

    /// Takes a picture to read from, and locks what will be read if a transaction asks for it.
    ///
    /// - Throws: `HearthError` for a transaction that is not open, or a moment that is too old or
    ///   yet to come.
    package mutating func read(
        _ subject: ReadSubject, in database: DatabaseID, _ consistency: ReadConsistency,
        at now: Timestamp
    ) throws(HearthError) -> ReadView {
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
        return ReadView(
            database: database, documents: documents(of: database), moment: moment,
            newTransaction: newTransaction)
    }

    /// Gives up what has waited, lived or idled too long.
    package mutating func expire(at now: Timestamp) {
        for waiter in transactions.waiting where waiter.deadline <= now {
            abort(waiter, "Transaction lock timeout.", at: now)
        }
        for id in transactions.expired(at: now, settings) { end(id, at: now) }
    }

    /// When `expire` is next worth calling; `nil` if nothing can expire.
    package var nextDeadline: Timestamp? { transactions.nextDeadline(settings) }
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
        transactions.update(id) { $0.usedAt = now }
    }

    /// Closes a transaction and makes the commits that waited for it alone.
    mutating func end(_ id: TransactionID, at now: Timestamp) {
        let held = transactions[id]?.hasLocks ?? false
        transactions.end(id)
        guard held else { return }
        for waiter in transactions.waiting {
            guard blockers(of: waiter.writes, in: waiter.database, waiter.transaction).isEmpty
            else { continue }
            transactions.stopWaiting(waiter.id)
            answer(waiter, at: now)
            // What that commit released is tried again by its own end.
        }
    }

    /// Lets a commit wait if locks of others stand against it; `nil` if it may go on.
    mutating func waitForLocks(
        of writes: [Mutation], in database: DatabaseID, _ own: TransactionID?, at now: Timestamp
    ) -> WaiterID? {
        let blockers = blockers(of: writes, in: database, own)
        for blocker in blockers {
            guard let own,
                let waiter = transactions.waiting.first(where: {
                    $0.transaction == blocker
                })
            else { continue }
            let waitsForUs = self.blockers(of: waiter.writes, in: database, blocker).contains(own)
            if waitsForUs { abort(waiter, "Transaction lock timeout.", at: now) }
        }
        guard blockers.contains(where: { transactions[$0] != nil }) else { return nil }
        return transactions.wait(
            writes, in: database, own, until: now.advanced(by: settings.lockWaitMax))
    }

    /// Refuses the commit of an optimistic transaction whose reads are no longer true.
    func checkUnchanged(_ id: TransactionID, in database: DatabaseID) throws(HearthError) {
        guard let transaction = transactions[id], transaction.options == .optimistic,
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

    private func blockers(
        of writes: [Mutation], in database: DatabaseID, _ own: TransactionID?
    ) -> [TransactionID] {
        guard transactions.hasLocks else { return [] }
        // Any version that no document has shows what would change.
        let next = Timestamp(microseconds: clock.timestamp.microseconds + 1)
        var application = WriteApplication(
            database: database, version: SnapshotVersion(next),
            documents: documents(of: database))
        for write in writes {
            // A commit that will be refused changes nothing, so it need not wait.
            guard (try? application.apply(write)) != nil else { return [] }
        }
        return transactions.blockers(of: application.changes, in: database, except: own)
    }

    private mutating func read(
        _ subject: ReadSubject, in id: TransactionID, at now: Timestamp
    ) throws(HearthError) -> SnapshotVersion {
        guard let transaction = transactions[id] else { throw Self.unknown }
        var moment = transaction.snapshot ?? readMoment(now)
        switch transaction.options {
        case .pessimistic: moment = readMoment(now)
        case .readOnly(let time?): moment = SnapshotVersion(time)
        case .readOnly(nil), .optimistic: break
        }
        guard historyStart(of: transaction.database) <= moment else {
            throw HearthError(
                code: .aborted, message: "The transaction's snapshot is forgotten. Try it again.")
        }
        transactions.update(id) {
            $0.snapshot = moment
            if $0.isReadOnly { return }
            switch subject {
            case .documents(let keys): $0.readKeys.formUnion(keys)
            case .query(let plan): $0.readQueries.append(plan)
            case .nothing: break
            }
        }
        return moment
    }

    private mutating func answer(_ waiter: WaitingCommit, at now: Timestamp) {
        do throws(HearthError) {
            let outcome = try make(waiter.writes, in: waiter.database, at: now)
            act(.answer(waiter.id, .committed(outcome)))
        } catch {
            act(.answer(waiter.id, .failed(error)))
        }
        if let id = waiter.transaction { end(id, at: now) }
    }

    private mutating func abort(_ waiter: WaitingCommit, _ reason: String, at now: Timestamp) {
        transactions.stopWaiting(waiter.id)
        act(.answer(waiter.id, .failed(HearthError(code: .aborted, message: reason))))
        if let id = waiter.transaction { end(id, at: now) }
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
