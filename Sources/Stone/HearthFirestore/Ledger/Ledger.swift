import HashTreeCollections
package import HearthEngine
package import HearthModel

/// Who has read how many documents from the backend, and what the reads would have cost alone.
///
///     reads(target)          = what the backend bills for the target, once
///     reads(session, target) = reads(target) / sessions that have the target
///     alone(session, target) = its first answer as a new query + each later change
///
/// An event costs an addition in memory. The sums go to programs when a target's sessions change, after
/// so many reads (`LedgerLimits`), and before the rows are saved. The ledger knows no clock and no disk.
package struct Ledger: Sendable {
    /// What operators are told.
    package enum News: Hashable, Sendable {
        /// Most of a budget of the day is used up.
        case warned(LedgerBudget)
        /// A budget of the day is used up.
        case reached(LedgerBudget)
    }

    /// What counts of budget and retention.
    package private(set) var terms: LedgerTerms
    /// The programs of the sessions.
    private var programs: TreeDictionary<UInt64, LedgerProgram> = [:]
    private var accounts: TreeDictionary<TargetID, LedgerAccount> = [:]
    /// What the open stream may still send for listens that are over.
    private var endingListens = EndingListens()
    /// The targets whose sessions are to be charged.
    private var unsettled: TreeSet<TargetID> = []
    /// The rows of the present day, and of earlier days until they are saved.
    private var rows: TreeDictionary<LedgerRow.Name, LedgerSums> = [:]
    private var unsaved: TreeSet<LedgerRow.Name> = []
    /// The first day whose rows are all in memory.
    package private(set) var firstDay: LedgerDay
    /// What was read in the present day, by whom.
    private var use = LedgerUse()
    /// Chooses the session that bears the remainder of a cost that cannot be shared equally.
    private var turn: UInt64 = 0
    private var news: [News] = []

    /// The present day.
    package private(set) var day: LedgerDay
    /// Since when something waits to be saved; `nil` if nothing does.
    package private(set) var unsavedSince: Timestamp?
    /// All that was booked since the start.
    package private(set) var total = LedgerSums()
    /// Rises whenever a program may have been stopped, or may go on.
    package private(set) var stopNumber: UInt64 = 0

    /// An empty ledger.
    package init(_ terms: LedgerTerms = LedgerTerms(), day: LedgerDay = LedgerDay(0)) {
        self.terms = terms
        self.day = day
        firstDay = day
    }

    // MARK: Sessions

    /// Names the program of a session.
    package mutating func introduce(_ session: UInt64, as program: LedgerProgram) {
        programs[session] = program
        stopNumber &+= 1
    }

    /// A session is gone. Its listeners have left.
    package mutating func forget(_ session: UInt64) { programs[session] = nil }

    /// The program of a session. The daemon asks as session 0, and for its markers as the last.
    package func program(of session: UInt64) -> LedgerProgram {
        programs[session] ?? (session == 0 || session == .max ? .daemon : .unknown)
    }

    // MARK: Targets

    /// The engine asks the backend to watch `target`, whose number is `id`. `start` says how much
    /// the backend bills. What the target has cost so far is booked at `now`.
    package mutating func listened(
        _ id: TargetID, _ target: Target, _ start: ListenStart, at now: Timestamp
    ) {
        settle(id, at: now)
        var account = accounts[id] ?? LedgerAccount(QueryShape(of: target))
        account.isWatched = true
        account.bill = ListenBill(start)
        if start == .late {
            for session in account.stakes.keys { account.stakes[session]?.owesFirst = true }
        }
        accounts[id] = account
    }

    /// The engine looks up the document `key`, which is in limbo, by the target `id`. The sessions
    /// of the targets `holders` share the cost from `now` on.
    package mutating func lookedUp(
        _ id: TargetID, _ key: DocumentKey, for holders: Set<TargetID>, at now: Timestamp
    ) {
        var account = LedgerAccount(QueryShape(of: key).asLookup, isLookup: true)
        for holder in holders {
            guard let stakes = accounts[holder]?.stakes else { continue }
            for session in stakes.keys { account.stakes[session] = LedgerAccount.Stake(since: now) }
        }
        accounts[id] = account
    }

    /// The engine asks the backend no more to watch a target.
    package mutating func unwatched(_ id: TargetID, at now: Timestamp) {
        guard accounts[id] != nil else { return }
        settle(id, at: now)
        accounts[id]?.isWatched = false
        if accounts[id]?.isOver ?? false { accounts[id] = nil }
    }

    /// The engine asks the backend to end the listen `wire` on `target`, whose number is `id`;
    /// before `unwatched`, if the target is over too.
    package mutating func ending(_ wire: WireTargetID, _ id: TargetID, _ target: Target) {
        let isRemembered = endingListens.asked(wire, id, target)
        if isRemembered, accounts[id]?.isLookup ?? false { accounts[id]?.isEnding = true }
    }

    /// The backend has ended listens.
    package mutating func ended(_ wires: [WireTargetID], at now: Timestamp) {
        for wire in wires {
            guard let id = endingListens.ended(wire), accounts[id]?.isEnding ?? false else {
                continue
            }
            closed(id, at: now)
        }
    }

    /// The stream is gone, and can send nothing more for listens that were over.
    package mutating func endedAll(at now: Timestamp) { ended(endingListens.wires, at: now) }

    /// The backend has sent something that costs `reads` for the listen `wire`, which the engine
    /// has asked the backend to end. The ledger books the reads at `now`.
    ///
    /// The sessions pay that have the target again, or had the document looked up. If there are
    /// none, the daemon pays.
    package mutating func counted(_ reads: UInt64, late wire: WireTargetID, at now: Timestamp) {
        guard reads > 0, let (id, target) = endingListens.target(of: wire) else { return }
        guard let account = accounts[id], !account.stakes.isEmpty else {
            book(LedgerSums(reads: reads, aloneReads: 0), 0, QueryShape(of: target), at: now)
            return
        }
        // The bill of the present listen knows nothing of the read.
        accounts[id]?.unsettled = account.unsettled.added(reads)
        settle(id, at: now)
    }

    /// A session needs the target `id` from `now` on, for one more listener or read.
    ///
    /// - Parameter resultCount: The results, if the backend's last word on them holds still; `nil`
    ///   if the backend's word is to come.
    package mutating func joined(
        _ session: UInt64, _ id: TargetID, _ target: Target, resultCount: Int?, at now: Timestamp
    ) {
        settle(id, at: now)
        var account = accounts[id] ?? LedgerAccount(QueryShape(of: target))
        if account.stakes[session] != nil {
            account.stakes[session]?.listenerCount += 1
            accounts[id] = account
            return
        }
        var stake = LedgerAccount.Stake(since: now)
        if let resultCount {
            stake.owesFirst = false
            stake.sums.aloneReads = ReadBill.query(foundCount: resultCount)
            book(stake.sums, session, account.shape, at: now)
        }
        account.stakes[session] = stake
        accounts[id] = account
    }

    /// A session needs the target `id` for one listener or read less from `now` on.
    package mutating func left(_ session: UInt64, _ id: TargetID, at now: Timestamp) {
        guard accounts[id]?.stakes[session] != nil else { return }
        settle(id, at: now)
        guard var account = accounts[id], var stake = account.stakes[session] else { return }
        stake.listenerCount -= 1
        account.stakes[session] = stake.listenerCount > 0 ? stake : nil
        accounts[id] = account.isOver ? nil : account
    }

    /// Nobody needs a target any more.
    package mutating func closed(_ id: TargetID, at now: Timestamp) {
        settle(id, at: now)
        accounts[id] = nil
    }

    /// The backend has sent something for the target `id` that costs `reads`, at `now`. O(1),
    /// mostly.
    package mutating func counted(_ reads: UInt64, _ id: TargetID, at now: Timestamp) {
        guard reads > 0, var account = accounts[id] else { return }
        account.unsettled = account.unsettled.added(reads)
        account.bill?.count(reads)
        let isMuch = account.unsettled >= LedgerLimits.unsettledCountMax
        accounts[id] = account
        unsettled.insert(id)
        if unsavedSince == nil { unsavedSince = now }
        if isMuch { settle(id, at: now) }
    }

    /// Whether the backend is still to say all of a target.
    package func awaitsCurrent(_ id: TargetID) -> Bool {
        accounts[id]?.bill.map { !$0.isCurrent } ?? false
    }

    /// The backend has said all of the target `id`, which has `resultCount` results, at `now`.
    package mutating func becameCurrent(_ id: TargetID, resultCount: Int, at now: Timestamp) {
        guard awaitsCurrent(id) else { return }
        settle(id, at: now)
        guard var account = accounts[id] else { return }
        let charged = account.becameCurrent(resultCount: resultCount, &turn)
        accounts[id] = account
        for (session, sums) in charged { book(sums, session, account.shape, at: now) }
    }

    /// The backend has answered a query of `shape` besides all targets. A session pays `reads` at
    /// `now`, as if the session were alone.
    package mutating func read(
        _ reads: UInt64, _ shape: QueryShape, by session: UInt64, at now: Timestamp
    ) {
        book(LedgerSums(reads: reads, aloneReads: reads), session, shape, at: now)
    }

    // MARK: Booking

    /// Charges all sessions for what was sent.
    package mutating func settleAll(at now: Timestamp) {
        advance(to: now)
        for id in unsettled { settle(id, at: now) }
    }

    private mutating func settle(_ id: TargetID, at now: Timestamp) {
        unsettled.remove(id)
        guard var account = accounts[id], account.unsettled > 0 else { return }
        let charged = account.settle(&turn)
        accounts[id] = account
        for (session, sums) in charged { book(sums, session, account.shape, at: now) }
    }

    private mutating func book(
        _ sums: LedgerSums, _ session: UInt64, _ shape: QueryShape, at now: Timestamp
    ) {
        guard sums != LedgerSums() else { return }
        advance(to: now)
        let program = use.booked(program(of: session), terms)
        spend(sums.reads, program)
        let name = bounded(LedgerRow.Name(day: day, program: program, shape: shape.text))
        if rows[name] == nil { use.addRow(of: program) }
        rows[name, default: LedgerSums()].add(sums)
        unsaved.insert(name)
        total.add(sums)
        if unsavedSince == nil { unsavedSince = now }
    }

    private func bounded(_ name: LedgerRow.Name) -> LedgerRow.Name {
        if rows[name] != nil || use.hasRoom(for: name.program) { return name }
        return LedgerRow.Name(
            day: name.day, program: name.program, shape: QueryShape.others.text)
    }

    /// Another day may have begun. A clock that went back changes nothing.
    package mutating func advance(to now: Timestamp) {
        let today = LedgerDay(of: now)
        guard today > day else { return }
        day = today
        use = LedgerUse()
        stopNumber &+= 1
    }

    // MARK: Budgets

    /// The budget that keeps a program from the backend; `nil` if none does.
    package func stoppingBudget(of program: LedgerProgram) -> LedgerBudget? {
        guard terms.stopsAtBudget else { return nil }
        return use.budgets(of: program, terms).first(where: \.isUsedUp)
    }

    /// The budget that lets a program read least; `nil` if it may read any number.
    package func nearestBudget(of program: LedgerProgram) -> LedgerBudget? {
        use.budgets(of: program, terms).max { $0.usedPercent < $1.usedPercent }
    }

    /// Whether a budget keeps a program from the backend.
    package func isStopped(_ program: LedgerProgram) -> Bool {
        stoppingBudget(of: program) != nil
    }

    /// Whether a budget keeps a session from the backend.
    package func isStopped(_ session: UInt64) -> Bool { isStopped(program(of: session)) }

    /// The sessions whose programs are kept from the backend.
    package var stoppedSessions: [UInt64] {
        guard terms.stopsAtBudget else { return [] }
        return programs.filter { isStopped($0.value) }.map(\.key).sorted()
    }

    /// Other terms count from now on.
    package mutating func setTerms(_ terms: LedgerTerms) {
        guard terms != self.terms else { return }
        self.terms = terms
        stopNumber &+= 1
    }

    /// Counts reads for the budgets of a program that has a row.
    private mutating func spend(_ reads: UInt64, _ program: LedgerProgram) {
        let before = use.budgets(of: program, terms)
        // A program with a row of its own leaves less room for the user's other programs.
        if use.add(reads, program) { stopNumber &+= 1 }
        for budget in before {
            let after = LedgerBudget(
                budget.holder, readCount: budget.readCount.added(reads), limit: budget.limit)
            let warning = LedgerTerms.warningCount(of: budget.limit)
            if !budget.isUsedUp, after.isUsedUp {
                news.append(.reached(after))
                stopNumber &+= 1
            } else if budget.readCount < warning, after.readCount >= warning {
                news.append(.warned(after))
            }
        }
    }

    /// What is new to operators since this was last asked.
    package mutating func takeNews() -> [News] {
        if news.isEmpty { return [] }
        defer { news = [] }
        return news
    }

    // MARK: Rows

    /// Takes up the rows of the present day that a store has.
    ///
    /// Nothing may have been booked before.
    package mutating func restore(_ stored: [LedgerRow], at now: Timestamp) {
        advance(to: now)
        firstDay = day
        for row in stored where row.name.day == day {
            _ = use.add(row.sums.reads, row.name.program)
            if rows[row.name] == nil { use.addRow(of: row.name.program) }
            rows[row.name, default: LedgerSums()].add(row.sums)
        }
        stopNumber &+= 1
    }

    /// The rows that have changed since they were last saved, with the sums of their whole days.
    package var unsavedRows: [LedgerRow] {
        unsaved.compactMap { name in rows[name].map { LedgerRow(name, sums: $0) } }
    }

    /// The rows are saved: earlier days leave the memory.
    package mutating func saved() {
        unsavedSince = nil
        unsaved = []
        guard firstDay < day else { return }
        firstDay = day
        rows = rows.filter { $0.key.day == day }
    }

    /// The rows in memory: all from `firstDay` on.
    package var rowsInMemory: [LedgerRow] {
        rows.map { LedgerRow($0.key, sums: $0.value) }
    }

    /// A row for each target that a session has now.
    package func listenerRows(ofUser uid: UInt32?) -> [LedgerReport.Row] {
        var found: [LedgerReport.Row] = []
        for account in accounts.values where !account.isLookup {
            for (session, stake) in account.stakes {
                let program = program(of: session)
                if let uid, program.uid != uid { continue }
                var row = LedgerReport.Row(
                    program: program, query: account.shape.text, sums: stake.sums)
                row.session = session
                row.since = stake.since
                row.isStopped = isStopped(program)
                row.budget = nearestBudget(of: program)
                found.append(row)
            }
        }
        return found
    }
}
