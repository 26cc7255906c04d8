import HearthEngine
import HearthModel
import HearthRealtime
import HearthTesting
import Testing

/// Whatever step the store fails in, nothing accepted is lost, and all is in step afterwards.
struct EngineRecoveryTests {
    /// Lets the store fail in some steps while something happens, then lets it work again.
    private func fail(
        _ steps: Set<RealtimeStep>, in driver: inout RealtimeDriver,
        _ body: (inout RealtimeDriver) -> Void
    ) {
        driver.store.failing = steps
        body(&driver)
        driver.store.failing = []
        driver.advance(by: .seconds(120))
        driver.connect()
        driver.advance(by: .seconds(120))
        driver.connect()
    }

    @Test func `a write that the store cannot take is refused and leaves nothing`() {
        var driver = RealtimeDriver.started()
        let listener = driver.listen("a")
        var request: RequestID?
        fail([.writeLocally], in: &driver) { request = $0.set("a", Node(1)) }
        #expect(request.flatMap { driver.refusal(of: $0) }?.code == .unavailable)
        #expect(driver.node(of: listener) == .empty)
        #expect(driver.service.tree.isEmpty)
    }

    @Test func `an answer that could not be noted counts all the same`() {
        var driver = RealtimeDriver.started()
        driver.listen("x")
        driver.connect()
        let committed = driver.increment("count")
        driver.service.refusals["bad"] = .permissionDenied
        let rejected = driver.set("bad", Node(1))
        fail([.settle], in: &driver) { $0.serve() }
        #expect(driver.outcome(of: committed) == .committed)
        guard case .rejected? = driver.outcome(of: rejected) else {
            Issue.record("\(String(describing: driver.outcome(of: rejected)))")
            return
        }
        #expect(driver.service.tree == .reading(#"{"count": 1}"#))
    }

    @Test func `news that could not be noted is asked for again`() {
        var driver = RealtimeDriver.started()
        driver.service.tree = .reading(#"{"a": 1}"#)
        let listener = driver.listen("a")
        driver.connect()
        fail([.applyPush], in: &driver) { $0.othersWrite(WritePath("a"), Node(2)) }
        #expect(driver.node(of: listener) == Node(2))
        #expect(driver.actions.contains(.note(.storeRecovered)))
    }

    @Test func `a start that fails is made up for`() {
        let store = RealtimeMemoryStore()
        var first = RealtimeDriver.started(store: store)
        first.set("a", Node(1))
        var driver = RealtimeDriver(store: store)
        fail([.start], in: &driver) { $0.take(.start) }
        #expect(driver.service.tree == .reading(#"{"a": 1}"#))
    }

    @Test func `a sign-in that could not be noted takes place later, and nobody writes meanwhile`()
    {
        var driver = RealtimeDriver.started()
        driver.set("a", Node(1))
        driver.store.failing = [.changeUser]
        driver.take(.changeUser(UserID("anna")))
        let refused = driver.set("b", Node(2))
        #expect(driver.refusal(of: refused)?.code == .unavailable)
        fail([.changeUser], in: &driver) { _ in }
        let request = driver.set("c", Node(3))
        driver.connect()
        driver.serve()
        #expect(driver.outcome(of: request) == .committed)
        #expect(driver.service.tree == .reading(#"{"c": 3}"#))
    }

    @Test func `a place that is given up and kept again in one turn is remembered as in use`()
        throws
    {
        let store = RealtimeMemoryStore()
        var engine = RealtimeDriver(store: store) { $0.keep = [ListenTarget("a", .all)] }.engine
        let now = ManualClock().now
        func take(_ input: RealtimeEngine.Input) throws {
            _ = try store.transaction { store throws(StoreError) in
                try engine.take(input, at: now, in: store)
            }
        }
        try take(.start)
        for targets in [[], [ListenTarget("a", .all)]] {
            _ = engine.turnFailed(.setKept(targets), .io("It was pulled out"), at: now)
        }
        try take(.timerFired(.storeRetry))
        let remembered = try store.transaction { store throws(StoreError) in
            try store.trackedQueries(atOrBelow: .root)
        }
        #expect(remembered.map(\.target.path) == ["a"])
        #expect(remembered.map(\.isActive) == [true])
    }

    private static func place(_ number: Int) -> RealtimePath {
        RealtimePath(["a", ChildKey(unchecked: "k\(number)")])
    }

    @Test(arguments: RealtimeStep.allCases)
    func `a store that fails in one step for a while loses nothing`(step: RealtimeStep) {
        var driver = RealtimeDriver.started()
        driver.service.tree = .reading(#"{"a": {"n": 1}}"#)
        let listener = driver.listen("a")
        driver.connect()
        var accepted: [RequestID] = []
        fail([step], in: &driver) { driver in
            for number in 0..<4 {
                accepted.append(driver.set(Self.place(number), Node(1)))
                driver.serve()
            }
            driver.othersWrite(WritePath("a/n"), Node(2))
            driver.take(.unlisten(driver.listen("b", session: 3)))
            driver.cut()
            driver.take(.disconnected(session: 3))
            driver.advance(by: .seconds(40))
            driver.connect()
        }
        let expected = driver.service.tree.child("a")
        #expect(driver.node(of: listener) == expected)
        #expect(expected.child("n") == Node(2))
        for (number, request) in accepted.enumerated() where driver.accepted(request) != nil {
            #expect(driver.outcome(of: request) == .committed)
            #expect(expected.has(ChildKey(unchecked: "k\(number)")))
        }
        #expect(driver.engine.queuedWriteCount == 0)
    }
}
