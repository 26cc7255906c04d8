import HearthEngine
import HearthModel
import HearthRealtime
import HearthSQLite
import HearthStore

/// An engine of the Realtime Database on a SQLite store, driven input by input as its host drives it.
final class InstanceBench {
    private let store: RealtimeSQLiteStore
    private var engine: RealtimeEngine
    private var time = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
    private var lastNumber: UInt64 = 0
    private var connection: StreamNumber?
    /// What the engine has sent and nobody has answered.
    private var sent: [RealtimeRequest] = []

    /// Begins offline.
    init(path: String) throws {
        guard let instance = InstanceID(project: "bench") else {
            throw Bench.Failure(reason: "the bench's project has no database")
        }
        store = try RealtimeSQLiteStore(
            RealtimeStoreConfiguration(path: path, instance: instance))
        engine = RealtimeEngine(
            configuration: RealtimeEngine.Configuration(instance: instance), seed: 1)
        try take([.start])
        try take([.setNetwork(isEnabled: false)])
    }

    /// Takes inputs as one group, all turns as one step, as the host does.
    func take(_ inputs: [RealtimeEngine.Input]) throws {
        time = time.advanced(by: .milliseconds(1))
        try store.begin()
        let actions = try store.turn { transaction throws(StoreError) in
            var actions: [RealtimeEngine.Action] = []
            for input in inputs { actions += try engine.take(input, at: time, in: transaction) }
            return actions
        }
        try store.commit()
        for case .upstream(let command) in actions {
            switch command {
            case .open(let number, _): connection = number
            case .send(_, let request): sent.append(request)
            case .close: (connection, sent) = (nil, [])
            }
        }
    }

    /// How many writes wait.
    var queuedCount: Int { engine.queuedWriteCount }

    /// A set of a place by a local program.
    func set(_ path: RealtimePath, _ node: Node) -> RealtimeEngine.Input {
        lastNumber += 1
        return .write(
            RealtimeWriteRequest(
                id: RequestID(session: 1, number: lastNumber),
                writer: Writer(uid: 1, gid: 1, pid: 1),
                change: .set(WritePath(path), UnresolvedNode(node))))
    }

    // MARK: The backend's end

    /// Goes online, and has the connection opened.
    func connect() throws {
        try take([.setNetwork(isEnabled: true)])
        try take([.upstream(.opened(try opened, serverTimeOffset: 0))])
    }

    private var opened: StreamNumber {
        get throws {
            guard let connection else { throw Bench.Failure(reason: "nothing was opened") }
            return connection
        }
    }

    /// Answers what was sent first, as one group.
    ///
    /// - Parameter isTold: Whether the backend tells what it has put in place before it answers, as it
    ///   does where somebody listens.
    /// - Returns: How many requests that were.
    func answer(_ countMax: Int, telling isTold: Bool = false) throws -> Int {
        let number = try opened
        let requests = Array(sent.prefix(countMax))
        sent.removeFirst(requests.count)
        try take(
            requests.flatMap { request in
                let answer = RealtimeEngine.Input.upstream(
                    .answered(number, RealtimeAnswer(number: request.number)))
                guard isTold, case .put(let place, let node, _) = request.action,
                    let node = node.node
                else { return [answer] }
                return [try push(place, node), answer]
            })
        return requests.count
    }

    /// A listener to the value of a place, which the backend knows.
    func listen(to path: RealtimePath, of node: Node) throws {
        lastNumber += 1
        let listener = ListenerID(session: 1, number: lastNumber)
        try take([.listen(listener, ListenTarget(path, .all), .observer)])
        try take([push(WritePath(path), node)])
        while try answer(16) > 0 {}
    }

    /// The backend tells what a place holds now.
    func push(_ place: WritePath, _ node: Node) throws -> RealtimeEngine.Input {
        .upstream(.pushed(try opened, .overwrite(place, node, tag: nil)))
    }
}
