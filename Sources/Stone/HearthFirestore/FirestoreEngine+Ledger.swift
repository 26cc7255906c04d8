import HashTreeCollections
import HearthEngine
import HearthModel

/// The ledger of reads: the engine tells the ledger what the engine learns anyway, and saves the
/// ledger's rows.
extension FirestoreEngine {
    /// Takes up the rows of the present day.
    mutating func startLedger(_ turn: inout Turn) throws(StoreError) {
        let today = LedgerDay(of: turn.now)
        var rows: [LedgerRow] = []
        try turn.store.ledgerRows(from: today, before: today.before(-1), ofUser: nil) {
            rows.append($0)
        }
        ledger.restore(rows, at: turn.now)
    }

    /// A session's program is known from now on.
    mutating func introduce(_ session: UInt64, as program: LedgerProgram) {
        ledger.introduce(session, as: program)
    }

    /// A session answers for a part of a target, if it needs the backend for the query.
    mutating func joinLedger(_ recipient: Recipient, _ query: Query, _ effects: Effects) {
        guard listeners.needsBackend(recipient), let id = views[query]?.targetID else { return }
        let isTold = versionReached(of: id) != nil
        ledger.joined(
            recipient.session, id, query.target,
            resultCount: isTold ? views[query]?.view.syncedKeyCount : nil, at: effects.now)
    }

    /// A session answers no more for its part of a target. Before the listeners' table forgets.
    mutating func leaveLedger(_ recipient: Recipient, _ query: Query, _ effects: Effects) {
        guard listeners.needsBackend(recipient), let id = views[query]?.targetID else { return }
        ledger.left(recipient.session, id, at: effects.now)
    }

    /// Counts what a document's message costs.
    mutating func bill(_ change: DocumentWatchChange, _ now: Timestamp) {
        let (entering, leaving) = (ReadBill.entering(change), ReadBill.leaving(change))
        for wire in change.updated { bill(entering, wire, now) }
        for wire in change.removed { bill(leaving, wire, now) }
    }

    /// Counts what the backend has sent for a listen, over or not.
    mutating func bill(_ reads: UInt64, _ wire: WireTargetID, _ now: Timestamp) {
        if let id = aggregator.target(of: wire) {
            ledger.counted(reads, id, at: now)
        } else {
            ledger.counted(reads, late: wire, at: now)
        }
    }

    /// Counts the first answers of an event, whose changes are not in the views yet.
    mutating func billCurrent(_ event: RemoteEvent, _ now: Timestamp) {
        for (id, change) in event.targetChanges where change.isCurrent && ledger.awaitsCurrent(id) {
            let known = views.rows.first(of: id)?.view.syncedKeyCount ?? 0
            ledger.becameCurrent(
                id, resultCount: known + change.added.count - change.removed.count, at: now)
        }
    }

    /// Counts what the backend has answered outside the streams.
    mutating func bill(
        _ answer: BackendAnswer, to pending: PendingCall, _ id: RequestID, _ now: Timestamp
    ) {
        switch (pending, answer) {
        case (.read, .read(let documents)), (.documents, .read(let documents)),
            (.late, .read(let documents)):
            guard let first = documents.first else { return }
            ledger.read(
                ReadBill.documents(documents.count), QueryShape(of: first.key), by: id.session,
                at: now)
        case (.aggregate(let request), .aggregated(let values)):
            ledger.read(
                ReadBill.aggregation(entryCount: request.entryCount(in: values)),
                QueryShape(of: request.query.aggregateTarget).asAggregation, by: id.session,
                at: now)
        case (.markers, .read(let documents)):
            ledger.read(
                ReadBill.query(foundCount: documents.count), .markers, by: id.session, at: now)
        case (.read, _), (.documents, _), (.commit, _), (.aggregate, _), (.late, _),
            (.markers, _):
            break
        }
    }

    // MARK: Budgets

    /// Whether a session is kept from the backend: by its own wish, or by a budget of its program.
    func isKeptFromBackend(_ session: UInt64) -> Bool {
        withheld.contains(session) || stopped.contains(session)
    }

    /// Why a session may read nothing from the backend; `nil` if its program's budgets let it.
    func budgetRefusal(of session: UInt64) -> HearthError? {
        let program = ledger.program(of: session)
        guard stopped.contains(session), let budget = ledger.stoppingBudget(of: program) else {
            return nil
        }
        return HearthError(
            code: .resourceExhausted,
            message:
                "\(budget.holder) has read the \(budget.limit) documents of its budget for this day, "
                + "so \(program) reads from the cache alone until midnight UTC. Writes go on. Raise "
                + "\(ledger.terms.key(of: budget.holder)), or set ledger.onBudget to \"warn\".")
    }

    /// Refuses a read from the server that a budget does not let; whether it did.
    func isRefusedByBudget(_ id: RequestID, _ effects: inout Effects) -> Bool {
        guard let refusal = budgetRefusal(of: id.session) else { return false }
        effects.actions.append(.refuse(id, refusal))
        return true
    }

    /// Why a one-time read gets no answer from the cache: the budget, if nothing else.
    func budgetRefusal(
        of id: RequestID, _ source: ReadSource, _ snapshot: ViewSnapshot
    ) -> HearthError? {
        let isMissing = snapshot.query.documentKey != nil && snapshot.documents.isEmpty
        return source == .server || isMissing ? budgetRefusal(of: id.session) : nil
    }

    /// Tells a session whether its program's budget lets it read past the engine.
    func checkBudget(_ id: RequestID, _ effects: inout Effects) {
        effects.actions.append(
            budgetRefusal(of: id.session).map { .refuse(id, $0) } ?? .complete(id))
    }

    /// Tells operators of budgets, and has sessions follow what their budgets allow.
    mutating func tendLedger(_ effects: inout Effects) {
        for news in ledger.takeNews() {
            effects.actions.append(.note(.budget(news, ledger.terms)))
        }
        if ledger.unsavedSince != nil || !stopped.isEmpty, !isLedgerTimerSet {
            isLedgerTimerSet = true
            effects.actions.append(.schedule(.ledger, after: LedgerLimits.unsavedTimeMax))
        }
        guard ledger.stopNumber != heededStopNumber else { return }
        heededStopNumber = ledger.stopNumber
        let now = Set(ledger.stoppedSessions)
        for session in stopped.filter({ !now.contains($0) }).sorted() {
            stopped.remove(session)
            if !withheld.contains(session) {
                setListeners(of: session, isWithheld: false, &effects)
            }
        }
        for session in now.filter({ !stopped.contains($0) }).sorted() {
            let wasWithheld = isKeptFromBackend(session)
            stopped.insert(session)
            if !wasWithheld { setListeners(of: session, isWithheld: true, &effects) }
        }
    }

    // MARK: Rows

    /// Saves the rows that have changed. At most once a minute, and at the end.
    mutating func saveLedger(_ turn: inout Turn) throws(StoreError) {
        isLedgerTimerSet = false
        ledger.settleAll(at: turn.now)
        tellTotal(&turn.effects)
        guard ledger.unsavedSince != nil else { return }
        let rows = ledger.unsavedRows
        let isFirstOfDay = ledger.firstDay < ledger.day
        if !rows.isEmpty { try turn.store.setLedgerRows(rows) }
        if isFirstOfDay || !hasTidiedLedger {
            hasTidiedLedger = true
            try turn.store.removeLedgerRows(
                before: ledger.day.before(ledger.terms.retentionDayCount))
        }
        ledger.saved()
    }

    /// Tells the host what was booked since it was last told.
    private mutating func tellTotal(_ effects: inout Effects) {
        let (before, after) = (toldTotal, ledger.total)
        guard before != after else { return }
        toldTotal = after
        effects.actions.append(
            .note(
                .documentsRead(
                    LedgerSums(
                        reads: after.reads - before.reads,
                        aloneReads: after.aloneReads - before.aloneReads))))
    }

    /// Answers what the ledger says, of the programs that the asker may see.
    mutating func readLedger(
        _ id: RequestID, _ question: LedgerQuestion, ofUser uid: UInt32?, _ turn: inout Turn
    ) throws(StoreError) {
        ledger.settleAll(at: turn.now)
        let first = question.since.map { LedgerDay(of: $0) } ?? ledger.day
        var tally = LedgerTally(by: question.grouping, ofUser: uid)
        try turn.store.ledgerRows(from: first, before: ledger.firstDay, ofUser: uid) {
            tally.add($0)
        }
        for row in ledger.rowsInMemory where row.name.day >= first { tally.add(row) }
        var rows = question.grouping == .listener ? ledger.listenerRows(ofUser: uid) : tally.rows
        for place in rows.indices {
            guard let program = rows[place].program else { continue }
            rows[place].isStopped = ledger.isStopped(program)
            rows[place].budget = ledger.nearestBudget(of: program)
        }
        let report = LedgerReport(
            since: first.start, rows: rows, total: tally.total,
            readBudget: ledger.terms.readBudget, uidReadBudget: ledger.terms.uidReadBudget,
            stopsAtBudget: ledger.terms.onBudget == .stop)
        turn.effects.actions.append(.result(id, .ledger(report)))
    }
}

extension AggregateRequest {
    /// The index entries of an answer that has counted them; `nil` if it has not.
    fileprivate func entryCount(in values: MapValue) -> Int64? {
        for aggregation in aggregations {
            guard case .count = aggregation.operation,
                case .integer(let count)? = values[aggregation.alias]
            else { continue }
            return count
        }
        return nil
    }
}
