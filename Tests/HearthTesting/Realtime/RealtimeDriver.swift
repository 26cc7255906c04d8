package import HearthEngine
package import HearthModel
package import HearthRealtime

/// An engine of the Realtime Database under test, with its store, clock, timers and connection.
///
/// A turn that the store lets fail is undone, and the engine is told, as a host does. The driver
/// puts the engine's news together as a program's library does, so that `node(of:)` is a program's
/// view.
package struct RealtimeDriver {
    /// What a listener was told so far.
    package struct Heard: Sendable {
        /// The node, put together from all news.
        package fileprivate(set) var node = Node.empty
        /// Whether the last news told the whole result.
        package fileprivate(set) var isComplete = false
        /// All news, in order.
        package fileprivate(set) var news: [ViewNews] = []
        /// How the listen ended; `nil` if it did not.
        package fileprivate(set) var error: HearthError?
    }

    /// The engine.
    package private(set) var engine: RealtimeEngine
    /// Its store.
    package let store: RealtimeMemoryStore
    /// The time.
    package private(set) var clock = ManualClock()
    /// The backend's end of the connection.
    package var service = ScriptedService()
    /// When each timer runs out.
    package private(set) var timers: [RealtimeTimer: Timestamp] = [:]
    /// Whether decisions are kept: not for a test that takes very many.
    package var keepsActions = true
    /// All that the engine decided, in order.
    package private(set) var actions: [RealtimeEngine.Action] = []
    /// What listeners were told.
    package private(set) var heard: [ListenerID: Heard] = [:]
    private let configuration: RealtimeEngine.Configuration
    private let memory: any WriteMemory
    private var requestCount: UInt64 = 0

    /// The instance of tests.
    package static let instance = InstanceID(host: "localhost:9000", name: "test", isSecure: false)
    /// The writer of tests, uid 1000.
    package static let writer = Writer(uid: 1_000, gid: 1_000, pid: 1)

    /// Makes an engine that has not started.
    ///
    /// - Parameter memory: What the waiting writes share with other engines.
    package init(
        store: RealtimeMemoryStore = RealtimeMemoryStore(),
        sharing memory: any WriteMemory = OwnWriteMemory(),
        _ configure: (inout RealtimeEngine.Configuration) -> Void = { _ in }
    ) {
        guard let instance = Self.instance else { preconditionFailure("No instance") }
        var configuration = RealtimeEngine.Configuration(instance: instance)
        configure(&configuration)
        self.configuration = configuration
        self.store = store
        self.memory = memory
        engine = RealtimeEngine(configuration: configuration, seed: 1, memory: memory)
    }

    /// An engine that has started.
    package static func started(
        store: RealtimeMemoryStore = RealtimeMemoryStore(),
        sharing memory: any WriteMemory = OwnWriteMemory(),
        _ configure: (inout RealtimeEngine.Configuration) -> Void = { _ in }
    ) -> RealtimeDriver {
        var driver = RealtimeDriver(store: store, sharing: memory, configure)
        driver.take(.start)
        return driver
    }

    /// The process ends without a word, and another begins on the same store.
    package mutating func restart() {
        engine = RealtimeEngine(configuration: configuration, seed: 2, memory: memory)
        timers = [:]
        heard = [:]
        actions = []
        service.drop()
        take(.start)
    }

    // MARK: Turns

    /// Gives the engine an input, and carries out what it decides.
    ///
    /// - Returns: What the engine decided.
    @discardableResult
    package mutating func take(_ input: RealtimeEngine.Input) -> [RealtimeEngine.Action] {
        var next = engine
        let now = clock.now
        let decided: [RealtimeEngine.Action]
        do throws(StoreError) {
            decided = try store.transaction { transaction throws(StoreError) in
                try next.take(input, at: now, in: transaction)
            }
        } catch {
            next = engine
            decided = next.turnFailed(input, error, at: now)
        }
        engine = next
        if keepsActions { actions += decided }
        for action in decided { perform(action) }
        return decided
    }

    private mutating func perform(_ action: RealtimeEngine.Action) {
        switch action {
        case .schedule(let timer, let delay): timers[timer] = clock.now.advanced(by: delay)
        case .cancel(let timer): timers[timer] = nil
        case .upstream(let command): service.perform(command)
        case .tell(let news, let listeners):
            for id in listeners { heard[id, default: Heard()].take(news) }
        case .fail(let id, let error): heard[id, default: Heard()].error = error
        case .answer, .accept, .settle, .transaction, .complete, .refuse, .steered, .note: break
        }
    }

    /// Lets time pass; the timers that are due meanwhile run out in order.
    package mutating func advance(by duration: Duration) {
        let end = clock.now.advanced(by: duration)
        while let next = timers.filter({ $0.value <= end })
            .min(by: { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) })
        {
            clock.advance(to: next.value)
            timers[next.key] = nil
            take(.timerFired(next.key))
        }
        clock.advance(to: end)
    }

    // MARK: The connection

    /// The service says hello, and serves requests until no request is left.
    package mutating func connect() {
        guard let number = service.connection else { return }
        take(.upstream(.opened(number, serverTimeOffset: service.timeOffset)))
        serve()
    }

    /// The service serves requests until no request is left.
    package mutating func serve() {
        while let events = service.serveNext(at: clock.now) {
            for event in events { take(.upstream(event)) }
        }
    }

    /// The connection breaks.
    package mutating func cut() {
        guard let number = service.connection else { return }
        service.drop()
        let error = HearthError(code: .unavailable, message: "The connection was cut.")
        take(.upstream(.closed(number, error)))
    }

    /// Somebody else writes, and the service tells of it.
    package mutating func othersWrite(_ place: WritePath, _ node: Node) {
        for event in service.write(place, node) { take(.upstream(event)) }
    }

    // MARK: Programs

    /// The next number of a request of a session.
    package mutating func nextRequest(of session: UInt64 = 1) -> RequestID {
        requestCount += 1
        return RequestID(session: session, number: requestCount)
    }

    /// A session listens.
    ///
    /// - Returns: The listener.
    @discardableResult
    package mutating func listen(
        _ path: RealtimePath, _ query: QueryParameters = .all, session: UInt64 = 1,
        kind: ListenerKind = .observer
    ) -> ListenerID {
        let request = nextRequest(of: session)
        let id = ListenerID(session: session, number: request.number)
        take(.listen(id, ListenTarget(path, query), kind))
        return id
    }

    /// A session sets a place.
    ///
    /// - Returns: The request.
    @discardableResult
    package mutating func set(
        _ path: RealtimePath, _ node: Node, session: UInt64 = 1, identity: WriteIdentity? = nil
    ) -> RequestID {
        write(.set(WritePath(path), UnresolvedNode(node)), session: session, identity: identity)
    }

    /// A session adds to a number.
    ///
    /// - Returns: The request.
    @discardableResult
    package mutating func increment(
        _ path: RealtimePath, by count: Int64 = 1, session: UInt64 = 1
    ) -> RequestID {
        let node = UnresolvedNode(.increment(.integer(count)))
        return write(.set(WritePath(path), node), session: session)
    }

    /// A session writes.
    ///
    /// - Returns: The request.
    @discardableResult
    package mutating func write(
        _ change: RealtimeChange, session: UInt64 = 1, identity: WriteIdentity? = nil,
        by writer: Writer = RealtimeDriver.writer
    ) -> RequestID {
        let id = nextRequest(of: session)
        take(
            .write(
                RealtimeWriteRequest(
                    id: id, identity: identity, writer: writer, change: change)))
        return id
    }

    // MARK: What was heard

    /// What a listener sees; `nil` if it was told nothing.
    package func node(of listener: ListenerID) -> Node? { heard[listener]?.node }

    /// What became of a write, once the backend has answered.
    package func outcome(of request: RequestID) -> RealtimeOutcome? {
        actions.reversed().lazy.compactMap { action -> RealtimeOutcome? in
            guard case .settle(request, _, let outcome) = action else { return nil }
            return outcome
        }.first
    }

    /// The number of a write, once it was accepted.
    package func accepted(_ request: RequestID) -> BatchID? {
        actions.lazy.compactMap { action -> BatchID? in
            guard case .accept(request, let id) = action else { return nil }
            return id
        }.first
    }

    /// Why a request was refused.
    package func refusal(of request: RequestID) -> HearthError? {
        actions.lazy.compactMap { action -> HearthError? in
            guard case .refuse(request, let error) = action else { return nil }
            return error
        }.first
    }

    /// The answer to a read.
    package func answer(to request: RequestID) -> (node: Node, isFromCache: Bool)? {
        actions.lazy.compactMap { action -> (node: Node, isFromCache: Bool)? in
            guard case .answer(request, let node, let isFromCache) = action else { return nil }
            return (node, isFromCache)
        }.first
    }
}

extension RealtimeDriver.Heard {
    fileprivate mutating func take(_ news: ViewNews) {
        self.news.append(news)
        isComplete = news.isComplete
        switch news.content {
        case .whole(let node): self.node = node
        case .changes(let changes):
            for change in changes { node = node.setting(change.place, to: change.node) }
        }
    }
}
