import HearthEngine
import HearthModel
import HearthRealtime
import HearthTesting
import Testing

/// Transactions, orders for a program's end and `.info`, in a whole engine.
struct EngineTransactionTests {
    /// Programs that count, each at its transaction.
    private struct Programs {
        var driver = RealtimeDriver.started()
        var steps: [RequestID: TransactionStep] = [:]
        private var seen = 0

        mutating func begin(_ session: UInt64) {
            driver.take(
                .runTransaction(
                    driver.nextRequest(of: session), "n", showsEstimate: true,
                    RealtimeDriver.writer))
        }

        /// Programs compute and the service answers until nothing is left to do.
        mutating func finish() {
            while seen < driver.actions.count {
                let action = driver.actions[seen]
                seen += 1
                if case .transaction(let id, let step) = action { follow(id, step) }
                if seen == driver.actions.count { driver.serve() }
            }
        }

        private mutating func follow(_ id: RequestID, _ step: TransactionStep) {
            guard case .run(let node, let round) = step else {
                steps[id] = step
                return
            }
            var number: Int64 = 0
            if case .integer(let known)? = node.leaf { number = known }
            driver.take(.propose(id, UnresolvedNode(Node(.integer(number + 1))), round: round))
        }
    }

    private func order(_ driver: inout RealtimeDriver, _ path: RealtimePath) -> RequestID {
        let id = driver.nextRequest(of: 1)
        let change = RealtimeChange.set(WritePath(path), UnresolvedNode(Node("gone")))
        driver.take(.onDisconnect(id, .write(change), .programOrLink, RealtimeDriver.writer))
        return id
    }

    @Test func `two programs count to a hundred each, and nothing is counted twice`() {
        var programs = Programs()
        let listener = programs.driver.listen("n", session: 3)
        programs.driver.connect()
        for _ in 0..<100 {
            for session: UInt64 in 1...2 { programs.begin(session) }
        }
        programs.finish()
        #expect(programs.steps.count == 200)
        #expect(programs.driver.service.tree.child("n") == Node(200))
        #expect(programs.driver.node(of: listener) == Node(200))
    }

    @Test func `a transaction without a connection is shown, and sent upon the writes before it`() {
        var programs = Programs()
        let listener = programs.driver.listen("n", session: 3)
        programs.driver.set("n", Node(5))
        programs.begin(1)
        programs.finish()
        #expect(programs.driver.node(of: listener) == Node(6))
        #expect(programs.steps.isEmpty)
        programs.driver.connect()
        programs.finish()
        #expect(programs.steps.values.map { $0 } == [.committed(Node(6))])
        #expect(programs.driver.service.tree.child("n") == Node(6))
    }

    @Test func `a write of another program ends a transaction that stands`() {
        var programs = Programs()
        programs.begin(1)
        programs.finish()
        programs.driver.set("n", Node(50), session: 2)
        programs.finish()
        let failure = TransactionStep.failed(TransactionError.overridden.error, Node(50))
        #expect(programs.steps.values.map { $0 } == [failure])
    }

    @Test func `a program takes its transactions back with its writes, and no others`() {
        var programs = Programs()
        programs.begin(1)
        programs.begin(2)
        programs.finish()
        let client = ClientID(high: 1, low: 2)
        programs.driver.take(
            .purge(programs.driver.nextRequest(of: 1), client, uid: 1_000))
        programs.finish()
        #expect(programs.steps.count == 1)
        guard let (id, step) = programs.steps.first, case .failed(let error, _) = step else {
            Issue.record("\(programs.steps)")
            return
        }
        #expect(id.session == 1)
        #expect(error.code == .cancelled)
        programs.driver.connect()
        programs.finish()
        #expect(programs.steps.first { $0.key.session == 2 }?.value == .committed(Node(1)))
        #expect(programs.driver.service.tree.child("n") == Node(1))
    }

    @Test func `the end of a program is written, and then the service forgets the order`() {
        var driver = RealtimeDriver.started()
        driver.listen("a", session: 2)
        driver.connect()
        let id = order(&driver, "a")
        driver.serve()
        #expect(driver.actions.contains(.complete(id)))
        driver.take(.disconnected(session: 1))
        driver.serve()
        #expect(driver.service.tree.child("a") == Node("gone"))
        let last = driver.service.requests.suffix(2).map(\.action)
        let put = RealtimeAction.put(WritePath("a"), UnresolvedNode(Node("gone")), hash: nil)
        #expect(last == [put, .onDisconnectCancel(WritePath("a"))])
    }

    @Test(arguments: [false, true])
    func `the write of an ended program is not sent on another connection`(restarts: Bool) {
        var driver = RealtimeDriver.started()
        let listener = driver.listen("a", session: 2)
        driver.connect()
        _ = order(&driver, "a")
        driver.serve()
        driver.take(.disconnected(session: 1))
        let count = driver.service.requests.count
        if restarts { driver.restart() } else { driver.cut() }
        if !restarts { #expect(driver.node(of: listener) == Node("gone")) }
        driver.listen("b", session: 4)
        driver.advance(by: .seconds(40))
        driver.connect()
        let later = driver.service.requests.dropFirst(count)
        #expect(!later.isEmpty)
        let isSent = later.contains { if case .put = $0.action { true } else { false } }
        #expect(!isSent)
    }

    @Test func `what was ordered for one user's end is not done as another's`() throws {
        var driver = RealtimeDriver.started()
        let late = order(&driver, "late")
        let own = driver.nextRequest(of: 1)
        let change = RealtimeChange.set(WritePath("own"), UnresolvedNode(Node("gone")))
        driver.take(.onDisconnect(own, .write(change), .program, RealtimeDriver.writer))
        let ada = UserID("ada")
        driver.take(.changeUser(ada))
        #expect(driver.refusal(of: late)?.code == .cancelled)
        driver.connect()
        let orders = driver.service.requests.filter { request in
            if case .onDisconnectPut = request.action { true } else { false }
        }
        #expect(orders.isEmpty)
        driver.take(.disconnected(session: 1))
        driver.serve()
        #expect(driver.service.tree.isEmpty && driver.engine.queuedWriteCount == 0)
        let waiting = try driver.store.transaction { transaction throws(StoreError) in
            try transaction.nextWrite(after: .none, of: .unauthenticated)
        }
        #expect(waiting?.change == change)
    }

    @Test func `a lost link is told before what was ordered for the link's end`() {
        var driver = RealtimeDriver.started()
        let connected = driver.listen(".info/connected", session: 1)
        let place = driver.listen("a", session: 1)
        driver.connect()
        _ = order(&driver, "a")
        driver.serve()
        let count = driver.actions.count
        driver.cut()
        let told = driver.actions.dropFirst(count).flatMap { action -> [ListenerID] in
            if case .tell(_, to: let listeners) = action { listeners } else { [] }
        }
        #expect(told == [connected, place])
        #expect(driver.node(of: connected) == Node(false))
        #expect(driver.node(of: place) == Node("gone"))
    }

    @Test func `programs hear whether there is a connection, and how the clock is off`() {
        var driver = RealtimeDriver.started()
        driver.service.timeOffset = 40
        let connected = driver.listen(".info/connected", session: 1)
        let offset = driver.listen(".info/serverTimeOffset", session: 1)
        driver.listen("a", session: 1)
        #expect(driver.node(of: connected) == Node(false))
        #expect(driver.heard[offset]?.isComplete == false)
        driver.connect()
        #expect(driver.node(of: connected) == Node(true))
        #expect(driver.node(of: offset) == Node(40))
        driver.cut()
        #expect(driver.node(of: connected) == Node(false))
    }
}
