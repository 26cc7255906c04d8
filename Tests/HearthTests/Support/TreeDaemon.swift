import HearthEngine
import HearthModel
import HearthWire
import Synchronization

@testable import Hearth

/// A daemon with a small Realtime Database in memory, which answers everything at once.
///
/// The daemon tells listeners the whole view after each change, and counts the requests.
final class TreeDaemon: Sendable {
    private struct Listener: Sendable {
        let session: FakeSession
        let number: UInt64
        let target: ListenTarget
    }

    private struct Transaction: Sendable {
        let path: RealtimePath
        var node: Node
        var round: Int
    }

    private struct State: Sendable {
        var tree = Node.empty
        var lastBatch: Int64 = 0
        var listeners: [Listener] = []
        var transactions: [UInt64: Transaction] = [:]
        var orders: [OnDisconnectOrder] = []
        var withheld: [Bool] = []
        var listenCount = 0
        var sessions: [FakeSession] = []
        /// Why writes are refused; `nil` if they are not.
        var refusal: HearthError?
    }

    /// The time that replaces the server's timestamps.
    static let now: Int64 = 1_700_000_000_000

    let daemon: FakeDaemon
    private let state = Mutex(State())

    init() throws {
        daemon = try FakeDaemon(FakeDaemon.instance)
        let sessions = daemon.sessions
        Task { [weak self] in
            for await session in sessions {
                self?.state.withLock { $0.sessions.append(session) }
                Task { [weak self] in await self?.serve(session) }
            }
        }
    }

    /// What is in the database.
    var tree: Node { state.withLock { $0.tree } }
    /// How often somebody has begun to listen.
    var listenCount: Int { state.withLock { $0.listenCount } }
    /// What somebody listens to.
    var targets: [ListenTarget] { state.withLock { $0.listeners.map(\.target) } }
    /// What is to be done when programs are gone, as it was ordered.
    var orders: [OnDisconnectOrder] { state.withLock { $0.orders } }
    /// What sessions said of going offline.
    var withheld: [Bool] { state.withLock { $0.withheld } }
    /// How many sessions there were.
    var sessionCount: Int { state.withLock { $0.sessions.count } }

    /// Refuses all writes from now on.
    func refuse(_ error: HearthError) { state.withLock { $0.refusal = error } }

    /// Breaks all connections, and forgets what was ordered, as a restart does.
    func restart() {
        let sessions = state.withLock { state in
            state.orders = []
            return state.sessions
        }
        for session in sessions { session.close() }
    }

    /// Another program changes a place.
    func set(_ path: RealtimePath, to node: Node) {
        state.withLock { change(&$0, path, node) }
    }

    private func serve(_ session: FakeSession) async {
        guard (try? await session.greet()) != nil else { return }
        while let asked = await session.next() {
            state.withLock { state in
                do {
                    try answer(asked.request, asked.number, session, &state)
                } catch {
                    session.close()
                }
            }
        }
        state.withLock { $0.listeners.removeAll { $0.session === session } }
    }

    private func answer(
        _ request: Request, _ number: UInt64, _ session: FakeSession, _ state: inout State
    ) throws {
        switch request {
        case .realtime(let request): try answer(request, number, session, &state)
        case .session(.unlisten):
            state.listeners.removeAll { $0.session === session && $0.number == number }
        case .administration(.authenticate(.tell)):
            let report = SignInReport(user: UserID("ada"), source: "a test", isChangeable: false)
            try session.send(.signIn(report), number)
        default: try session.send(.done, number)
        }
    }

    private func answer(
        _ request: InstanceRequest, _ number: UInt64, _ session: FakeSession,
        _ state: inout State
    ) throws {
        switch request {
        case .listen(let target, let kind):
            state.listenCount += 1
            let listener = Listener(session: session, number: number, target: target)
            state.listeners.append(listener)
            if kind == .observer { try tell(listener, state.tree) }
        case .get(let target, _):
            let node = Self.view(of: target, in: state.tree)
            try session.send(NodeParts(of: node, isFromCache: false), number)
        case .write(let write):
            state.lastBatch += 1
            let batch = BatchID(state.lastBatch)
            let accepted = Event.WriteAccepted(sequence: write.sequence, batch: batch)
            try session.send(.writeAccepted(accepted), number)
            if let error = state.refusal {
                let rejected = Event.WriteRejected(
                    sequence: write.sequence, batch: batch, error: error)
                return try session.send(.writeRejected(rejected), number)
            }
            apply(write.change, &state)
            let committed = Event.WriteCommitted(
                sequence: write.sequence, batch: batch, committedAt: .zero)
            try session.send(.writeCommitted(committed), number)
        case .runTransaction(let path, _):
            let transaction = Transaction(path: path, node: state.tree.node(at: path), round: 1)
            state.transactions[number] = transaction
            try session.send(NodeParts(of: .run(transaction.node, round: 1)), number)
        case .propose(let node, let round):
            try propose(node, round, number, session, &state)
        case .onDisconnect(let order, _):
            state.orders.append(order)
            try session.send(.done, number)
        case .withhold(let isWithheld):
            state.withheld.append(isWithheld)
            try session.send(.done, number)
        case .waitForPendingWrites, .waitForOwnWrites, .purgeOwnWrites:
            try session.send(.done, number)
        case .keep: try session.send(.keptPlaces([]), number)
        }
    }

    private func propose(
        _ node: UnresolvedNode?, _ round: Int, _ number: UInt64, _ session: FakeSession,
        _ state: inout State
    ) throws {
        guard var transaction = state.transactions[number], transaction.round == round else {
            return
        }
        let there = state.tree.node(at: transaction.path)
        guard let node else {
            state.transactions[number] = nil
            return try session.send(NodeParts(of: .aborted(transaction.node)), number)
        }
        guard there == transaction.node else {
            transaction.node = there
            transaction.round += 1
            state.transactions[number] = transaction
            return try session.send(
                NodeParts(of: .run(there, round: transaction.round)), number)
        }
        state.transactions[number] = nil
        let result = node.resolved(over: there, at: Self.now)
        change(&state, transaction.path, result)
        try session.send(NodeParts(of: .committed(result)), number)
    }

    private func apply(_ write: RealtimeChange, _ state: inout State) {
        for part in write.parts {
            let old = state.tree.node(at: part.place)
            let new = part.node.resolved(over: old, at: Self.now)
            state.tree = state.tree.setting(part.place, to: new)
        }
        for listener in state.listeners { try? tell(listener, state.tree) }
    }

    private func change(_ state: inout State, _ path: RealtimePath, _ node: Node) {
        state.tree = state.tree.setting(path, to: node)
        for listener in state.listeners { try? tell(listener, state.tree) }
    }

    private func tell(_ listener: Listener, _ tree: Node) throws {
        let news = ViewNews(
            listener.target, .whole(Self.view(of: listener.target, in: tree)), isComplete: true,
            isValueTold: true)
        try listener.session.send(NodeParts(of: news), listener.number)
    }

    private static func view(of target: ListenTarget, in tree: Node) -> Node {
        if target.path == ".info/connected" { return Node(.bool(true)) }
        return NodeFilter(target.query)
            .view(of: IndexedNode(tree.node(at: target.path), by: target.query.index)).node
    }
}

/// The library's `ServerValue`, for tests that see the model's too.
typealias ServerValue = Hearth.ServerValue
