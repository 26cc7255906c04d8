import HashTreeCollections
package import HearthEngine
package import HearthModel

/// The transactions of all programs: who computes next, what stands, and what may be sent.
///
///     state = server + ordinary writes + results that stand, in the order of their coming
///
/// A program computes from the latest state. Its result stands if the state is still the same when
/// the result comes; else the program computes again. Results at and below a place go to the
/// backend together, as one conditional put, when nothing there is on the way. A program that is
/// still computing holds nobody up, since its result will build on the sent results: a stopped
/// program cannot block the others.
///
/// - Source: firebase-js-sdk `core/Repo.ts` for reruns, aborts and sending.
package struct TransactionQueue: Sendable {
    /// What must be done outside.
    package enum Action: Hashable, Sendable {
        /// A session is told.
        case tell(RequestID, TransactionStep)
        /// No transaction needs the data of this place any more.
        case unwatch(RealtimePath)
    }

    /// How many transactions one session may have at a time.
    package static let sessionCountMax = 10_000

    /// All transactions.
    var transactions: TreeDictionary<RequestID, PendingTransaction> = [:]
    /// All transactions by their places.
    var places = PathTree<TreeSet<RequestID>>()
    /// The standing and the sent transactions, by place.
    var results = PathTree<TreeSet<RequestID>>()
    /// The writes of all results.
    private(set) var writes: TreeSet<WriteID> = []
    /// The writes of results that are not sent.
    var unsent: TreeSet<WriteID> = []
    /// The writes among `unsent` whose results no longer count, since their program computes anew.
    var outdated: TreeSet<WriteID> = []
    /// Places at or above which something may be ready to send.
    var candidates: TreeSet<RealtimePath> = []
    /// What is on the way.
    var puts: TreeDictionary<TransactionPut.Number, TransactionPut> = [:]
    private var turns: TreeDictionary<UInt64, TransactionTurns> = [:]
    /// Sessions whose next transaction may begin.
    private var readySessions: TreeSet<UInt64> = []
    private var lastNumber: Int64 = 0
    var lastPut: Int64 = 0
    /// How many places with results were gone through so far: the cost of the queue.
    private(set) var reviewCount = 0

    /// No transaction.
    package init() {}

    /// Whether nothing is to be decided.
    package var isEmpty: Bool { transactions.isEmpty }

    /// How many transactions a session has. O(1).
    package func count(of session: UInt64) -> Int { turns[session]?.count ?? 0 }

    /// The place of a transaction; `nil` for one that is over.
    package func path(of id: RequestID) -> RealtimePath? { transactions[id]?.path }

    // MARK: Beginning

    /// A session wants to change a place.
    ///
    /// The caller then calls `advance`; before that, the caller listens to the place if this is the
    /// first transaction there, so the program gets the data of the disk.
    ///
    /// - Parameters:
    ///   - id: The request. Its number names the transaction from now on.
    ///   - path: The place.
    ///   - showsEstimate: Whether listeners see the result before the backend has it.
    /// - Returns: Whether this is the first transaction at the place.
    package mutating func begin(
        _ id: RequestID, at path: RealtimePath, showsEstimate: Bool
    ) -> Bool {
        precondition(transactions[id] == nil, "The transaction \(id) has begun already")
        lastNumber += 1
        let transaction = PendingTransaction(
            id, at: path, showsEstimate: showsEstimate, number: lastNumber)
        transactions[id] = transaction
        let isFirst = places[path] == nil
        places[path, default: []].insert(id)
        enqueue(transaction)
        return isFirst
    }

    /// Lets the programs compute whose turn it is.
    package mutating func advance(on ground: inout TransactionGround) -> [Action] {
        var actions: [Action] = []
        for session in readySessions.sorted() {
            guard let id = turns[session]?.startNext(), var next = transactions[id] else {
                continue
            }
            actions.append(run(&next, on: ground))
            transactions[id] = next
        }
        readySessions = []
        return actions
    }

    private func run(
        _ transaction: inout PendingTransaction, on ground: TransactionGround
    ) -> Action {
        transaction.state = .running
        transaction.round += 1
        transaction.input = ground.node(at: transaction.path, without: outdated)
        return .tell(transaction.id, .run(transaction.input, round: transaction.round))
    }

    // MARK: Results

    /// A program has computed.
    ///
    /// - Parameters:
    ///   - id: The transaction. A transaction that has ended changes nothing.
    ///   - node: The result; `nil` if the program gives up.
    ///   - round: Which computing the result is of; a result of an earlier round changes nothing.
    ///   - ground: The views, and the pending writes over them.
    package mutating func propose(
        _ id: RequestID, _ node: UnresolvedNode?, round: Int, on ground: inout TransactionGround
    ) -> [Action] {
        // A race: the transaction ended, or must run again, while the result was on the way.
        guard var transaction = transactions[id], transaction.state == .running,
            transaction.round == round
        else { return [] }
        guard ground.node(at: transaction.path, without: outdated) == transaction.input else {
            let action = run(&transaction, on: ground)
            transactions[id] = transaction
            return [action]
        }
        guard let node else {
            let end = end(id, .aborted(transaction.input), on: &ground)
            return end + moved(at: [transaction.path], on: &ground)
        }
        let old = transaction.output
        let output = ground.lay(
            node, over: transaction.input, at: transaction.path,
            isVisible: transaction.showsEstimate)
        transaction.output = output
        transaction.state = .standing
        transactions[id] = transaction
        unsent.insert(output.write)
        writes.insert(output.write)
        results[transaction.path, default: []].insert(id)
        candidates.insert(transaction.path)
        if let old { revert(old, on: &ground) }
        finishTurn(of: id.session)
        return advance(on: &ground)
    }

    /// The data of some places may be other than before: results that were computed from other data
    /// are computed again.
    ///
    /// - Complexity: Results that several of the places touch are gone through once.
    package mutating func moved(
        at paths: some Sequence<RealtimePath>, on ground: inout TransactionGround
    ) -> [Action] {
        let places = Set(paths.flatMap { topResults(touching: $0) })
        for place in places.sorted() { review(at: place, on: ground) }
        return advance(on: &ground)
    }

    /// The topmost places with results at or above a place; if there is none, those below.
    func topResults(touching path: RealtimePath) -> [RealtimePath] {
        var top: RealtimePath?
        results.walk(to: path) { _, depth in
            top = RealtimePath(path.keys[..<depth])
            return false
        }
        if let top { return [top] }
        var below: [RealtimePath] = []
        results.subtree(at: path)?.walkDown { _, rest in
            below.append(path.appending(rest))
            return false
        }
        return below
    }

    /// Goes through the results at and below a place that stand, in the order of their coming.
    ///
    /// - Returns: The state without these results, and the results whose programs had computed from
    ///   the state with all earlier results. The programs of the other transactions compute again.
    @discardableResult
    mutating func review(
        at place: RealtimePath, on ground: TransactionGround
    ) -> (base: Node, valid: [PendingTransaction]) {
        reviewCount += 1
        let base = ground.node(at: place, without: unsent)
        var (state, valid): (Node, [PendingTransaction]) = (base, [])
        for transaction in standing(at: place) {
            guard let output = transaction.output,
                let rest = place.relative(transaction.path)
            else { continue }
            if state.node(at: rest) == transaction.input {
                state = state.setting(rest, to: output.estimate)
                valid.append(transaction)
            } else {
                runAgain(transaction)
            }
        }
        return (base, valid)
    }

    private func standing(at place: RealtimePath) -> [PendingTransaction] {
        var found: [(write: WriteID, transaction: PendingTransaction)] = []
        results.subtree(at: place)?.walkDown { ids, _ in
            for id in ids {
                guard let transaction = transactions[id], transaction.state == .standing,
                    let output = transaction.output
                else { continue }
                found.append((output.write, transaction))
            }
            return true
        }
        return found.sorted { $0.write < $1.write }.map(\.transaction)
    }

    /// Has a program compute again. Until then, listeners see the old result.
    mutating func runAgain(_ transaction: PendingTransaction) {
        var transaction = transaction
        transaction.state = .waiting
        transactions[transaction.id] = transaction
        removeResult(transaction)
        if let output = transaction.output {
            unsent.insert(output.write)
            outdated.insert(output.write)
        }
        enqueue(transaction)
    }

    // MARK: Ending

    /// Ends a transaction that is not sent, and takes its result away.
    mutating func end(
        _ id: RequestID, _ step: TransactionStep, on ground: inout TransactionGround
    ) -> [Action] {
        guard let transaction = transactions[id] else { return [] }
        if let output = transaction.output { revert(output, on: &ground) }
        return forget(transaction, step)
    }

    private mutating func revert(
        _ output: PendingTransaction.Output, on ground: inout TransactionGround
    ) {
        ground.settle(output, isReverted: true)
        writes.remove(output.write)
        unsent.remove(output.write)
        outdated.remove(output.write)
    }

    /// Forgets a transaction with a settled result, and tells its program the outcome.
    mutating func forget(_ transaction: PendingTransaction, _ step: TransactionStep) -> [Action] {
        let (id, path) = (transaction.id, transaction.path)
        transactions[id] = nil
        if let output = transaction.output { writes.remove(output.write) }
        removeResult(transaction)
        places.remove(id, at: path)
        turns[id.session]?.remove(transaction)
        if turns[id.session]?.isEmpty == true { turns[id.session] = nil }
        if turns[id.session] != nil { readySessions.insert(id.session) }
        let end: [Action] = transaction.isOrphan ? [] : [.tell(id, step)]
        return end + (places[path] == nil ? [.unwatch(path)] : [])
    }

    /// Takes a result away. The results that would have gone in the same put go without the
    /// withdrawn result.
    private mutating func removeResult(_ transaction: PendingTransaction) {
        let path = transaction.path
        guard results[path]?.contains(transaction.id) == true else { return }
        results.remove(transaction.id, at: path)
        if hasResults(touching: path) {
            candidates.insert(path)
        } else {
            candidates.remove(path)
        }
    }

    /// Whether a result stands or is sent at, above or below a place. O(depth).
    private func hasResults(touching path: RealtimePath) -> Bool {
        var isFound = results.subtree(at: path) != nil
        results.walk(to: path) { _, _ in
            isFound = true
            return false
        }
        return isFound
    }

    // MARK: Turns

    /// The transactions of a session, in the order of coming.
    func ids(of session: UInt64) -> [RequestID] { turns[session]?.ids ?? [] }

    private mutating func enqueue(_ transaction: PendingTransaction) {
        turns[transaction.id.session, default: TransactionTurns()].enqueue(transaction)
        readySessions.insert(transaction.id.session)
    }

    private mutating func finishTurn(of session: UInt64) {
        turns[session]?.finishRunning()
        readySessions.insert(session)
    }
}

extension PathTree where Content == TreeSet<RequestID> {
    subscript(path: RealtimePath, default content: Content) -> Content {
        get { self[path] ?? content }
        set { self[path] = newValue }
    }

    /// Takes a transaction from its place; a place without transactions is not stored.
    mutating func remove(_ id: RequestID, at path: RealtimePath) {
        guard var ids = self[path], ids.remove(id) != nil else { return }
        self[path] = ids.isEmpty ? nil : ids
    }
}
