import HearthEngine
import HearthModel
import HearthRealtime
import HearthWire

/// Turns requests to an instance of the Realtime Database into inputs of the engine, and the engine's news
/// into answers.
///
/// `SessionMachine` has checked rights, numbers and quotas before, and lends the dialogue the table of
/// owed answers.
struct RealtimeDialogue: Sendable {
    typealias Action = SessionMachine.Action

    /// A listener of the client.
    struct Listen: Sendable {
        /// What it listens to.
        let target: ListenTarget
        /// What it wants to hear.
        let kind: ListenerKind
        /// Whether news was dropped, so that only the whole can follow.
        var isBehind = false
    }

    /// Who speaks.
    let identity: SessionIdentity
    /// The listeners by their numbers.
    var listens: [UInt64: Listen] = [:]
    /// The rounds in which the engine waits for proposals, by the numbers of the transactions.
    var rounds: [UInt64: Int] = [:]
    /// The transactions that the rules allow no more, and that have not ended yet.
    var denied: Set<UInt64> = []
    /// The writes and transactions that have entered.
    private(set) var writeCount = 0
    /// Where something is written when the session is gone.
    private struct OrderedPlace: Hashable, Sendable {
        let place: WritePath
        let scope: OnDisconnectScope
    }

    /// How many places a session may have with writes ordered for its end.
    private static let orderCountMax = 10_000

    /// About how many bytes are written at each place when the session is gone.
    private var orders: [OrderedPlace: Int] = [:]
    /// The sum of `orders`, with what each takes besides.
    private(set) var ordersByteCount = 0

    /// A dialogue in which nothing has been asked.
    init(_ configuration: SessionMachine.Configuration, _ greeting: Hello) {
        identity = SessionIdentity(configuration, greeting)
    }

    /// A program's request that may enter.
    mutating func admitted(
        _ request: InstanceRequest, _ number: UInt64, _ owed: inout OwedAnswers
    ) -> [Action] {
        let id = identity.request(number)
        switch request {
        case .listen(let target, let kind):
            owed[number] = .listener(target.path.isInfo ? .anything : .subtree(target.path))
            listens[number] = Listen(target: target, kind: kind)
            return [.submit(.realtime(.listen(identity.listener(number), target, kind)))]
        case .write(let write):
            writeCount += 1
            owed[number] = .write(sequence: write.sequence)
            return [.submit(.realtime(.write(writeRequest(write, id))))]
        case .runTransaction(let path, let showsEstimate):
            writeCount += 1
            owed[number] = .transaction(path)
            return [
                .submit(
                    .realtime(
                        .runTransaction(
                            id, path, showsEstimate: showsEstimate, identity.writer)))
            ]
        case .propose(let node, let round):
            // A race: the transaction ended, or runs again, while the proposal was on the way.
            guard case .transaction? = owed[number], rounds[number] == round else { return [] }
            rounds[number] = nil
            return [.submit(.realtime(.propose(id, node, round: round)))]
        case .onDisconnect(let order, let scope):
            guard hasRoom(for: order) else {
                return [.reply(.failed(.tooManyOrders(Self.orderCountMax)), number)]
            }
            note(order, scope)
            return ask(.onDisconnect(id, order, scope, identity.writer), number, &owed)
        case .purgeOwnWrites:
            guard let client = identity.client else {
                return [.reply(.failed(.noClient), number)]
            }
            return ask(.purge(id, client, uid: identity.peer.uid), number, &owed)
        case .get(let target, let source): return ask(.get(id, target, source), number, &owed)
        case .waitForPendingWrites: return ask(.waitForPendingWrites(id, .all), number, &owed)
        case .waitForOwnWrites(let last):
            return ask(.waitForPendingWrites(id, .own(last: last)), number, &owed)
        case .withhold(let isWithheld):
            return ask(.withhold(id, isWithheld: isWithheld), number, &owed)
        case .keep(let order):
            owed[number] = .reply
            return [.ask(.keep(order), number)]
        }
    }

    /// Notes where something is written when the session is gone.
    private mutating func note(_ order: OnDisconnectOrder, _ scope: OnDisconnectScope) {
        switch order {
        case .write(let change):
            for part in change.parts {
                setOrder(
                    at: OrderedPlace(place: part.place, scope: scope),
                    to: ClientMemory.requestByteCount
                        + RealtimeChange.set(part.place, part.node).byteCount)
            }
        case .cancel(let path):
            // The engine takes back the orders of every scope.
            for order in orders.keys where path.contains(order.place.path) {
                setOrder(at: order, to: nil)
            }
        }
    }

    private func hasRoom(for order: OnDisconnectOrder) -> Bool {
        guard case .write(let change) = order else { return true }
        return orders.count + change.parts.count <= Self.orderCountMax
    }

    private mutating func setOrder(at place: OrderedPlace, to byteCount: Int?) {
        ordersByteCount += (byteCount ?? 0) - (orders[place] ?? 0)
        orders[place] = byteCount
    }

    // MARK: What every engine does

    /// An administrator steers the queue.
    func steered(
        _ order: QueueOrder<RealtimeChange>, _ number: UInt64, _ owed: inout OwedAnswers
    ) -> [Action] {
        ask(
            .steerQueue(identity.request(number), order, by: identity.peer.uid), number, &owed)
    }

    /// An administrator forgets cache and queue, which only one who is alone may.
    func cleared(_ number: UInt64, _ owed: inout OwedAnswers) -> [Action] {
        owed[number] = .reply
        return [.submitAlone(.realtime(.clearPersistence(identity.request(number))), number)]
    }

    /// An administrator goes online or offline.
    func switched(isOnline: Bool, _ number: UInt64) -> [Action] {
        [.submit(.realtime(.setNetwork(isEnabled: isOnline))), .reply(.done, number)]
    }

    /// The client ends a subscription.
    mutating func unlistened(_ number: UInt64, _ owed: inout OwedAnswers) -> [Action] {
        guard case .listener? = owed[number] else { return [] }  // It failed on the way.
        owed[number] = nil
        listens[number] = nil
        return [.submit(.realtime(.unlisten(identity.listener(number)))), .forgetNews(number)]
    }

    /// News for a listener was dropped, and the client reads again: the engine tells the whole once more.
    mutating func listenAnew(_ number: UInt64, _ owed: OwedAnswers) -> [Action] {
        guard owed.listens(number), let listen = listens[number] else { return [] }
        listens[number]?.isBehind = true
        let id = identity.listener(number)
        return [
            .submit(.realtime(.unlisten(id))),
            .submit(.realtime(.listen(id, listen.target, listen.kind))),
        ]
    }

    /// Other rules count from now on: transactions and orders that they do not allow end.
    ///
    /// What was sent already may be applied all the same, so the engine says how a transaction ends.
    /// An order that was allowed when it was given is judged again here, by itself. A session that
    /// is gone therefore writes nothing against the present rules.
    mutating func reviewed(_ grant: AccessGrant, _ owed: inout OwedAnswers) -> [Action] {
        var actions: [Action] = []
        for (number, path) in owed.transactions {
            let refusal =
                grant.refusal(of: .read, to: .subtree(path))
                ?? grant.refusal(of: .write, to: .subtree(path))
            guard let refusal else { continue }
            denied.insert(number)
            let id = identity.request(number)
            actions.append(.submit(.realtime(.denyTransaction(id, refusal.error))))
        }
        var places: [WritePath] = []
        var error: HearthError?
        for order in orders.keys.sorted(by: { WritePath.compare($0.place, $1.place) < 0 }) {
            guard let refusal = grant.refusal(of: .write, to: .subtree(order.place.path)) else {
                continue
            }
            setOrder(at: order, to: nil)
            if places.last != order.place { places.append(order.place) }
            error = refusal.error
        }
        guard let error else { return actions }
        let session = identity.request(0).session
        return actions + [.submit(.realtime(.denyOrders(session: session, places, error)))]
    }

    /// What the listeners listen to, in the order of their numbers.
    var listenedTo: [ListenerText] {
        listens.sorted { $0.key < $1.key }.map { ListenerText($0.value.target.words) }
    }

    /// The session is over, and nothing is kept for it.
    mutating func release() {
        listens = [:]
        rounds = [:]
        denied = []
        orders = [:]
        ordersByteCount = 0
    }

    // MARK: Inputs

    private func ask(
        _ input: RealtimeEngine.Input, _ number: UInt64, _ owed: inout OwedAnswers
    ) -> [Action] {
        owed[number] = .reply
        return [.submit(.realtime(input))]
    }

    private func writeRequest(
        _ write: InstanceRequest.Write, _ id: RequestID
    ) -> RealtimeWriteRequest {
        RealtimeWriteRequest(
            id: id, identity: identity.identity(ofWrite: write.sequence),
            answeredBelow: write.answeredBelow, writer: identity.writer, change: write.change,
            wasSentElsewhere: identity.isElsewhere(write.sentTo))
    }
}

extension HearthError {
    fileprivate static func tooManyOrders(_ most: Int) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "A program may order writes for its end at \(most) places. Cancel some.")
    }

    fileprivate static let noClient = HearthError(
        code: .failedPrecondition,
        message: "Only a program that named itself in Hello has writes of its own to take back.")
}
