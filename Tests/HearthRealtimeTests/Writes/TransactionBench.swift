import HearthEngine
import HearthModel

@testable import HearthRealtime

/// A queue of transactions with a tree to run on, programs that compute, and a server.
struct TransactionBench {
    /// What a program makes of a node; `nil` to give up.
    typealias Update = (Node) -> UnresolvedNode?

    var queue = TransactionQueue()
    var tree = SyncTree()
    var lastWrite = WriteID(0)
    /// What the server has.
    private(set) var server: Node
    private(set) var updates: [RequestID: Update] = [:]
    /// What programs were told, in order, but for what to compute.
    private(set) var steps: [RequestID: TransactionStep] = [:]
    /// Computations that programs have still to make.
    private(set) var computing: [RequestID: (input: Node, round: Int)] = [:]
    private(set) var runCounts: [RequestID: Int] = [:]
    private(set) var unwatched: [RealtimePath] = []
    private(set) var puts: [TransactionPut] = []
    private(set) var sentCount = 0
    /// What the listener at the root sees.
    var shown: Node { tree.localNodeShown }

    /// Begins with a listener at the root that knows all that the server has.
    init(server: Node = .empty) {
        self.server = server
        _ = tree.listen(ListenTarget(.root, .all), ListenerName(1))
        _ = tree.overwrite(WritePath(.root), server)
        _ = tree.listenComplete(.root)
    }

    /// The number of a transaction of a session.
    static func id(_ session: UInt64, _ number: UInt64 = 1) -> RequestID {
        RequestID(session: session, number: number)
    }

    mutating func turn(
        _ body: (inout TransactionQueue, inout TransactionGround) -> [TransactionQueue.Action]
    ) {
        var ground = TransactionGround(tree, lastWrite: lastWrite, serverTime: 1_000)
        let actions = body(&queue, &ground)
        (tree, lastWrite) = (ground.tree, ground.lastWrite)
        for action in actions {
            switch action {
            case .unwatch(let path): unwatched.append(path)
            case .tell(let id, .run(let node, let round)):
                computing[id] = (node, round)
                runCounts[id, default: 0] += 1
            case .tell(let id, let step):
                steps[id] = step
                computing[id] = nil
            }
        }
    }

    // MARK: Programs

    mutating func begin(
        _ id: RequestID, at path: RealtimePath, isShown: Bool = true, _ update: @escaping Update
    ) {
        updates[id] = update
        _ = queue.begin(id, at: path, showsEstimate: isShown)
        turn { $0.advance(on: &$1) }
    }

    /// A program that adds to a number.
    mutating func count(_ id: RequestID, at path: RealtimePath = "n", isShown: Bool = true) {
        begin(id, at: path, isShown: isShown) { node in
            guard case .integer(let number)? = node.leaf else { return UnresolvedNode(Node(1)) }
            return UnresolvedNode(Node(.integer(number + 1)))
        }
    }

    /// One program computes.
    mutating func compute(_ id: RequestID) {
        guard let (input, round) = computing.removeValue(forKey: id), let update = updates[id]
        else { return }
        turn { $0.propose(id, update(input), round: round, on: &$1) }
    }

    /// All programs compute until none has to.
    mutating func computeAll() {
        while let id = computing.keys.min() { compute(id) }
    }

    /// An ordinary write of a program.
    mutating func write(_ path: RealtimePath, _ node: Node) {
        lastWrite = WriteID(lastWrite.rawValue + 1)
        _ = tree.write(PendingWrite(lastWrite, set: WritePath(path), to: node))
        turn { $0.overridden(at: [path], on: &$1) }
    }

    mutating func kill(_ session: UInt64) {
        for id in computing.keys where id.session == session { computing[id] = nil }
        turn { $0.sessionEnded(session, on: &$1) }
    }

    // MARK: The server

    /// Another client writes.
    mutating func serverWrites(_ path: RealtimePath, _ node: Node, isTold: Bool = true) {
        server = server.setting(path, to: node)
        if isTold { tell(path) }
    }

    mutating func tell(_ path: RealtimePath) {
        _ = tree.overwrite(WritePath(path), server.node(at: path))
        turn { $0.moved(at: [path], on: &$1) }
    }

    mutating func send(isBlocked: (RealtimePath) -> Bool = { _ in false }) {
        var taken: [TransactionPut] = []
        turn { queue, ground in
            let (puts, actions) = queue.takePuts(countMax: 256, on: &ground, isBlocked: isBlocked)
            taken = puts
            return actions
        }
        puts += taken
        sentCount += taken.count
    }

    /// The server takes the oldest put, and answers it.
    mutating func answer(_ status: RealtimeStatus? = nil) {
        guard !puts.isEmpty else { return }
        let put = puts.removeFirst()
        let isStale = NodeHash.hash(of: server.node(at: put.path)) != put.hash
        let outcome = status ?? (isStale ? .dataStale : .ok)
        if outcome == .ok {
            let old = server.node(at: put.path)
            server = server.setting(put.path, to: put.node.resolved(over: old, at: 2_000))
        }
        tell(put.path)
        let error = HearthError(code: .permissionDenied, message: outcome.word)
        turn { $0.answered(put.number, outcome, error, on: &$1) }
    }

    mutating func cutLink() {
        puts = []
        turn { $0.linkClosed(on: &$1) }
    }

    /// Everything goes its way until nothing is left to do.
    mutating func finish() {
        while !queue.isEmpty {
            computeAll()
            send()
            if puts.isEmpty, computing.isEmpty { return }
            answer()
        }
    }
}

extension SyncTree {
    fileprivate var localNodeShown: Node {
        points[.root]?.view(of: .all)?.cache.event.node ?? .empty
    }
}
