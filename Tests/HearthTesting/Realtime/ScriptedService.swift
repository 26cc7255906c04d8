package import HearthEngine
package import HearthModel
package import HearthRealtime

/// The backend's end of a connection to the Realtime Database, with a tree, and rules that a test
/// sets.
///
/// The service serves one request at a time, in order, when the test says so: `serveNext`. Pushes
/// go before the answer to what caused them.
package struct ScriptedService {
    private struct Listen {
        let target: ListenTarget
        let tag: Int?
    }

    /// The connection that is open, or being opened.
    package private(set) var connection: StreamNumber?
    /// Requests that were sent and not done.
    package private(set) var waiting: [RealtimeRequest] = []
    /// All requests of all connections.
    package private(set) var requests: [RealtimeRequest] = []
    /// How many data messages were pushed.
    package private(set) var pushCount = 0
    /// How often a connection was opened.
    package private(set) var openCount = 0
    /// What the service stores.
    package var tree = Node.empty
    /// The service's refusals of requests at some places.
    package var refusals: [RealtimePath: RealtimeStatus] = [:]
    /// Queries at these places have no index.
    package var unindexed: Set<RealtimePath> = []
    /// The service's clock less ours, in milliseconds.
    package var timeOffset: Int64 = 0
    private var listens: [Listen] = []

    /// An empty tree, in which everybody may do everything.
    package init() {}

    /// Carries out a command.
    package mutating func perform(_ command: RealtimeCommand) {
        switch command {
        case .open(let number, _):
            precondition(connection == nil, "The connection is opened twice")
            connection = number
            openCount += 1
        case .send(let number, let request):
            precondition(number == connection, "A request on a connection that is not open")
            waiting.append(request)
            requests.append(request)
        case .close(let number):
            if number == connection { drop() }
        }
    }

    /// The connection is gone.
    package mutating func drop() {
        connection = nil
        waiting = []
        listens = []
    }

    /// Forgets a request: its answer is lost.
    package mutating func loseAnswers() { waiting = [] }

    /// Does the next request.
    ///
    /// - Returns: What the client hears, in order; `nil` if nothing is asked.
    package mutating func serveNext(at now: Timestamp) -> [RealtimeUpstreamEvent]? {
        guard let connection, !waiting.isEmpty else { return nil }
        let request = waiting.removeFirst()
        var events: [RealtimeUpstreamEvent] = []
        let answer = self.answer(to: request, at: now, &events)
        return events + [.answered(connection, answer)]
    }

    private mutating func answer(
        to request: RealtimeRequest, at now: Timestamp, _ events: inout [RealtimeUpstreamEvent]
    ) -> RealtimeAnswer {
        let (number, body) = (request.number, RealtimeBody.none)
        switch request.action {
        case .listen(let listen):
            if let status = refusals[listen.path] {
                return RealtimeAnswer(number: number, status: status)
            }
            let target = ListenTarget(listen.path, listen.query)
            listens.append(Listen(target: target, tag: listen.tag))
            let shown = shown(target)
            if NodeHash.hash(of: shown) != listen.hash {
                let merges = listen.ranges.map { RangeMerge.merges(from: $0, to: shown) } ?? []
                events += push(
                    merges.isEmpty
                        ? .overwrite(WritePath(listen.path), shown, tag: listen.tag)
                        : .ranges(listen.path, merges, tag: listen.tag))
            }
            let warnings = unindexed.contains(listen.path) ? ["no_index"] : []
            return RealtimeAnswer(number: number, body: .warnings(warnings))
        case .unlisten(let path, let query, let tag):
            listens.removeAll { $0.target == ListenTarget(path, query) && $0.tag == tag }
        case .get(let path, let query):
            if let status = refusals[path] { return RealtimeAnswer(number: number, status: status) }
            return RealtimeAnswer(number: number, body: .node(shown(ListenTarget(path, query))))
        case .put(let place, let node, let hash):
            if let status = refusals[place.path] {
                return RealtimeAnswer(number: number, status: status)
            }
            let old = tree.node(at: place)
            if let hash, hash != NodeHash.hash(of: old) {
                return RealtimeAnswer(number: number, status: .dataStale)
            }
            events += write(place, node.resolved(over: old, at: time(now)))
        case .merge(let path, let parts):
            if let status = refusals[path] { return RealtimeAnswer(number: number, status: status) }
            let before = tree
            for part in parts {
                let place = part.place.below(path)
                let node = part.node.resolved(over: before.node(at: place), at: time(now))
                tree = tree.setting(place, to: node)
            }
            events += news(since: before)
        case .onDisconnectPut, .onDisconnectMerge, .onDisconnectCancel, .authenticate,
            .unauthenticate, .appCheck, .stats, .unknown:
            break
        }
        return RealtimeAnswer(number: number, body: body)
    }

    private func time(_ now: Timestamp) -> Int64 { now.microseconds / 1_000 + timeOffset }

    // MARK: Telling

    /// Somebody writes.
    ///
    /// - Returns: What the client hears.
    package mutating func write(_ place: WritePath, _ node: Node) -> [RealtimeUpstreamEvent] {
        let before = tree
        tree = tree.setting(place, to: node)
        return news(since: before)
    }

    /// Pushes a message, whatever it says.
    package mutating func push(_ push: RealtimePush) -> [RealtimeUpstreamEvent] {
        guard let connection else { return [] }
        pushCount += 1
        return [.pushed(connection, push)]
    }

    private mutating func news(since before: Node) -> [RealtimeUpstreamEvent] {
        listens.flatMap { listen -> [RealtimeUpstreamEvent] in
            let (old, new) = (shown(listen.target, in: before), shown(listen.target))
            if old == new { return [] }
            let path = listen.target.path
            let changes = new.differences(from: old)
            if changes.count == 1 {
                return push(
                    .overwrite(changes[0].place.below(path), changes[0].node, tag: listen.tag))
            }
            let told = changes.map { RealtimeTold($0.place, $0.node) }
            return push(.merge(path, told, tag: listen.tag))
        }
    }

    private func shown(_ target: ListenTarget) -> Node { shown(target, in: tree) }

    private func shown(_ target: ListenTarget, in tree: Node) -> Node {
        let node = tree.node(at: target.path)
        if unindexed.contains(target.path) { return node }
        return NodeFilter(target.query).view(of: IndexedNode(node, by: target.query.index)).node
    }
}
