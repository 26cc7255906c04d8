import HearthEngine
import HearthModel
import HearthRealtime
import HearthTesting
import Testing

struct EngineWritingTests {
    private let client = ClientID(high: 1, low: 2)

    private func identity(_ sequence: UInt64) -> WriteIdentity {
        WriteIdentity(uid: 1_000, client: client, sequence: sequence)
    }

    @Test func `a write made offline is seen by all before any answer`() {
        var driver = RealtimeDriver.started()
        let listener = driver.listen("chat", session: 2)
        let request = driver.set("chat", Node("hello"), session: 1)
        #expect(driver.accepted(request) == BatchID(1))
        #expect(driver.node(of: listener) == Node("hello"))
        #expect(driver.heard[listener]?.isComplete == true)
        #expect(driver.outcome(of: request) == nil)
        driver.connect()
        #expect(driver.outcome(of: request) == .committed)
        #expect(driver.service.tree.child("chat") == Node("hello"))
    }

    @Test func `writes wait on disk for the next start, and go in their order`() {
        var driver = RealtimeDriver.started()
        driver.increment("count", by: 2)
        driver.set("name", Node("first"))
        driver.set("name", Node("second"))
        driver.restart()
        let listener = driver.listen("name")
        #expect(driver.node(of: listener) == Node("second"))
        driver.service.tree = .reading(#"{"count": 40}"#)
        driver.connect()
        #expect(driver.service.tree == .reading(#"{"count": 42, "name": "second"}"#))
        let puts = driver.service.requests.filter { request in
            if case .put = request.action { true } else { false }
        }
        #expect(puts.count == 3)
        #expect(driver.engine.queuedWriteCount == 0)
    }

    @Test func `an increment is estimated over what is known and what waits`() {
        var driver = RealtimeDriver.started()
        driver.service.tree = .reading(#"{"count": 40}"#)
        let listener = driver.listen("count")
        driver.connect()
        driver.cut()
        driver.increment("count")
        driver.increment("count")
        #expect(driver.node(of: listener) == Node(42))
        driver.restart()
        let again = driver.listen("count")
        #expect(driver.node(of: again) == Node(42))
    }

    @Test func `a rejected write is rolled back, and is a dead letter`() throws {
        var driver = RealtimeDriver.started()
        driver.service.tree = .reading(#"{"chat": "old"}"#)
        let listener = driver.listen("chat")
        driver.connect()
        driver.service.refusals["chat"] = .permissionDenied
        let request = driver.set("chat", Node("new"))
        #expect(driver.node(of: listener) == Node("new"))
        let behind = driver.set("other", Node(1))
        driver.serve()
        #expect(driver.node(of: listener) == Node("old"))
        guard case .rejected(let error, mayHaveBeenApplied: false)? = driver.outcome(of: request)
        else {
            Issue.record("\(String(describing: driver.outcome(of: request)))")
            return
        }
        #expect(error.code == .permissionDenied)
        #expect(driver.outcome(of: behind) == .committed)
        let letter = try driver.store.transaction { transaction throws(StoreError) in
            try transaction.deadLetter(BatchID(1))
        }
        #expect(letter?.write.writer == RealtimeDriver.writer)
        #expect(letter?.error == error)
        // The news comes before the answer.
        let told = driver.actions.lastIndex { if case .tell = $0 { true } else { false } }
        let settled = driver.actions.firstIndex {
            if case .settle(request, _, _) = $0 { true } else { false }
        }
        #expect(try #require(told) < #require(settled))
    }

    @Test func `a refused update of several places is rolled back whole`() {
        var driver = RealtimeDriver.started()
        let stored = Node.reading(#"{"posts": {"a": 1}, "user-posts": {"b": 2}}"#)
        driver.service.tree = stored
        let (posts, own) = (driver.listen("posts"), driver.listen("user-posts"))
        driver.connect()
        driver.service.refusals[.root] = .permissionDenied
        let request = driver.write(
            .update(
                .root,
                [
                    .init(WritePath("posts/c"), UnresolvedNode(Node(3))),
                    .init(WritePath("user-posts/c"), UnresolvedNode(Node(3))),
                ]))
        #expect(driver.node(of: posts) == .reading(#"{"a": 1, "c": 3}"#))
        #expect(driver.node(of: own) == .reading(#"{"b": 2, "c": 3}"#))
        driver.serve()
        guard case .rejected(_, mayHaveBeenApplied: false)? = driver.outcome(of: request) else {
            Issue.record("\(String(describing: driver.outcome(of: request)))")
            return
        }
        #expect(driver.node(of: posts) == stored.child("posts"))
        #expect(driver.node(of: own) == stored.child("user-posts"))
        #expect(driver.service.tree == stored)
    }

    @Test func `a retried dead letter is queued and seen anew`() {
        var driver = RealtimeDriver.started()
        let listener = driver.listen("chat")
        driver.connect()
        driver.service.refusals["chat"] = .permissionDenied
        driver.set("chat", Node("new"))
        driver.serve()
        driver.service.refusals = [:]
        let id = driver.nextRequest()
        let order = QueueOrder<RealtimeChange>.retryDeadLetters([BatchID(1)], evenIfApplied: false)
        driver.take(.steerQueue(id, order, by: 0))
        driver.serve()
        #expect(driver.node(of: listener) == Node("new"))
        #expect(driver.service.tree.child("chat") == Node("new"))
    }

    @Test func `a lost answer is made up for by sending again`() {
        var driver = RealtimeDriver.started()
        driver.listen("x")
        driver.connect()
        let request = driver.set("count", Node(1))
        driver.service.loseAnswers()
        driver.cut()
        driver.advance(by: .seconds(5))
        driver.connect()
        #expect(driver.outcome(of: request) == .committed)
        // Listens come first, so that an answer is not shown over data from before.
        let kinds = driver.service.requests.map { request in
            if case .listen = request.action { "q" } else { "p" }
        }
        #expect(kinds == ["q", "p", "q", "p"])
    }

    @Test func `an increment in doubt is put aside if so configured`() throws {
        var driver = RealtimeDriver.started {
            $0.queueLimits.lostAnswers.inDoubt = .deadLetter
        }
        driver.listen("x")
        driver.connect()
        let doubtful = driver.increment("count")
        driver.service.loseAnswers()
        driver.cut()
        let plain = driver.set("name", Node("a"))
        driver.advance(by: .seconds(5))
        driver.connect()
        guard case .rejected(_, mayHaveBeenApplied: true)? = driver.outcome(of: doubtful) else {
            Issue.record("\(String(describing: driver.outcome(of: doubtful)))")
            return
        }
        #expect(driver.outcome(of: plain) == .committed)
        #expect(driver.service.tree == .reading(#"{"name": "a"}"#))
    }

    @Test func `increments are put aside if the service forgot the connection that carried them`()
        throws
    {
        // The scripted service carries out no order for a connection's end.
        var driver = RealtimeDriver.started { $0.fence = "fences" }
        driver.set("a", Node(1))
        driver.connect()
        let (sum, plain) = (driver.increment("sum"), driver.set("plain", Node(2)))
        driver.service.loseAnswers()
        driver.cut()
        driver.advance(by: .seconds(2))
        driver.connect()
        driver.advance(by: .seconds(120))
        driver.serve()
        #expect(driver.outcome(of: sum) == nil && driver.outcome(of: plain) == nil)
        #expect(!driver.actions.contains(.note(.fenceAllowed)))
        for _ in 0..<80 {
            driver.advance(by: .seconds(5))
            driver.serve()
        }
        guard case .rejected(let error, mayHaveBeenApplied: true)? = driver.outcome(of: sum) else {
            Issue.record("The increment is \(driver.outcome(of: sum) as Any)")
            return
        }
        #expect(error.code == .aborted)
        #expect(driver.outcome(of: plain) == .committed)
        #expect(driver.actions.contains(.note(.fenceLost(connectionCount: 1))))
        #expect(driver.actions.count { $0 == .note(.fenceAwaited) } == 1)
        #expect(driver.actions.contains(.note(.fenceAllowed)))
        #expect(driver.service.tree.child("sum").isEmpty)
        #expect(driver.engine.queuedWriteCount == 0)
    }

    @Test func `a mark stays while its write waits in another user's queue`() {
        var driver = RealtimeDriver.started { $0.fence = "fences" }
        driver.listen("a")
        driver.connect()
        driver.increment("sum")
        // The service does it, and the answer is lost.
        while driver.service.serveNext(at: driver.clock.now) != nil {}
        driver.cut()
        noteEnds(&driver)
        driver.take(.changeUser(UserID("bea")))
        driver.advance(by: .seconds(2))
        driver.connect()
        for number in Int64(0)..<3 {
            driver.set("b", Node(.integer(number)))
            driver.serve()
        }
        noteEnds(&driver)
        driver.take(.changeUser(.unauthenticated))
        driver.advance(by: .seconds(2))
        driver.connect()
        driver.advance(by: .seconds(10))
        driver.serve()
        #expect(driver.service.tree.child("sum") == Node(1))
        #expect(driver.service.tree.child("b") == Node(2))
        #expect(driver.engine.queuedWriteCount == 0)
    }

    /// The service notes that all connections have ended.
    private func noteEnds(_ driver: inout RealtimeDriver) {
        for daemon in driver.service.tree.child("fences").children {
            for connection in daemon.node.child("ended").children {
                let path = RealtimePath(["fences", daemon.key, "ended", connection.key])
                driver.service.tree = driver.service.tree.setting(path, to: Node(true))
            }
        }
    }

    @Test func `an unavailable service gets the write again`() {
        var driver = RealtimeDriver.started()
        driver.connect()
        let request = driver.set("a", Node(1))
        driver.connect()
        driver.service.refusals["b"] = .unavailable
        let refused = driver.set("b", Node(2))
        driver.serve()
        #expect(driver.outcome(of: request) == .committed)
        #expect(driver.outcome(of: refused) == nil)
        driver.service.refusals = [:]
        driver.advance(by: .seconds(5))
        driver.connect()
        #expect(driver.outcome(of: refused) == .committed)
    }

    @Test func `a resent write is the same write`() {
        var driver = RealtimeDriver.started()
        let first = driver.set("a", Node(1), identity: identity(1))
        let second = driver.set("a", Node(1), session: 2, identity: identity(1))
        #expect(driver.accepted(first) == driver.accepted(second))
        driver.connect()
        #expect(driver.outcome(of: second) == .committed)
        let third = driver.set("a", Node(1), session: 3, identity: identity(1))
        #expect(driver.outcome(of: third) == .committed)
        #expect(driver.service.requests.count == 1)
    }

    @Test func `purging takes back the client's own writes and no others`() {
        var driver = RealtimeDriver.started()
        let listener = driver.listen("mine")
        let mine = driver.set("mine", Node(1), identity: identity(1))
        let others = driver.set("others", Node(2), session: 2)
        driver.take(.purge(driver.nextRequest(), client, uid: 1_000))
        guard case .rejected(let error, mayHaveBeenApplied: false)? = driver.outcome(of: mine)
        else {
            Issue.record("\(String(describing: driver.outcome(of: mine)))")
            return
        }
        #expect(error.code == .cancelled)
        #expect(driver.node(of: listener) == .empty)
        driver.connect()
        #expect(driver.outcome(of: others) == .committed)
        #expect(driver.service.tree == .reading(#"{"others": 2}"#))
    }

    @Test func `what no service takes is refused at once`() {
        var driver = RealtimeDriver.started()
        let deep = RealtimePath((0..<33).map { _ in ChildKey("k") })
        let tooDeep = driver.set(deep, Node(1))
        let info = driver.set(.info, Node(1))
        let double = driver.write(
            .update(
                .root,
                [
                    .init(WritePath("a"), UnresolvedNode(Node(1))),
                    .init(WritePath("a/b"), UnresolvedNode(Node(2))),
                ]))
        for request in [tooDeep, info, double] {
            #expect(driver.refusal(of: request)?.code == .invalidArgument)
        }
        #expect(driver.engine.queuedWriteCount == 0)
    }

    @Test func `an update gives a place children and a priority together`() {
        var driver = RealtimeDriver.started()
        let listener = driver.listen("a")
        driver.connect()
        let request = driver.write(
            .update(
                "a",
                [
                    .init(WritePath("b"), UnresolvedNode(Node(1))),
                    .init(WritePath(.root, isPriority: true), UnresolvedNode(Node(3))),
                ]))
        let written = Node.reading(#"{".priority": 3, "b": 1}"#)
        #expect(driver.node(of: listener) == written)
        driver.serve()
        #expect(driver.outcome(of: request) == .committed)
        #expect(driver.service.tree.child("a") == written)
        #expect(driver.node(of: listener) == written)
    }

    @Test func `an update of nothing is done without the backend`() {
        var driver = RealtimeDriver.started()
        let request = driver.write(.update("a", []))
        #expect(driver.outcome(of: request) == .committed)
        #expect(driver.service.openCount == 0)
    }

    @Test func `a queue at its limit refuses`() {
        var driver = RealtimeDriver.started { $0.queueLimits.uidBatchCountMax = 2 }
        driver.set("a", Node(1))
        driver.set("b", Node(1))
        let third = driver.set("c", Node(1))
        #expect(driver.refusal(of: third)?.code == .resourceExhausted)
        driver.connect()
        let fourth = driver.set("c", Node(1))
        #expect(driver.refusal(of: fourth) == nil)
    }

    @Test func `a held write holds what is behind, and an edit is seen in its turn`() {
        var driver = RealtimeDriver.started()
        let listener = driver.listen("a")
        driver.set("a", Node(1))
        driver.set("a/b", Node(2))
        let order = QueueOrder<RealtimeChange>.hold([BatchID(1)])
        driver.take(.steerQueue(driver.nextRequest(), order, by: 0))
        driver.connect()
        #expect(driver.engine.queuedWriteCount == 2)
        let other = RealtimeChange.set(WritePath("a"), UnresolvedNode(.reading(#"{"c": 3}"#)))
        driver.take(.steerQueue(driver.nextRequest(), .edit(BatchID(1), other), by: 0))
        #expect(driver.node(of: listener) == .reading(#"{"b": 2, "c": 3}"#))
        driver.take(.steerQueue(driver.nextRequest(), .release([BatchID(1)]), by: 0))
        driver.serve()
        #expect(driver.service.tree == .reading(#"{"a": {"b": 2, "c": 3}}"#))
    }

    @Test func `a cancelled write is a dead letter, and who waited for it waits for those before`()
    {
        var driver = RealtimeDriver.started()
        driver.set("a", Node(1))
        driver.set("b", Node(2))
        let wait = driver.nextRequest()
        driver.take(.waitForPendingWrites(wait, .all))
        driver.take(.steerQueue(driver.nextRequest(), .cancel([BatchID(2)]), by: 0))
        #expect(!driver.actions.contains(.complete(wait)))
        driver.connect()
        #expect(driver.actions.contains(.complete(wait)))
        #expect(driver.service.tree == .reading(#"{"a": 1}"#))
    }

    @Test func `another user sees and sends another queue`() {
        var driver = RealtimeDriver.started()
        let listener = driver.listen("a")
        driver.set("a", Node(1))
        #expect(driver.node(of: listener) == Node(1))
        driver.take(.changeUser(UserID("anna")))
        #expect(driver.node(of: listener) == .empty)
        driver.set("b", Node(2))
        driver.connect()
        #expect(driver.service.tree == .reading(#"{"b": 2}"#))
        driver.take(.changeUser(.unauthenticated))
        #expect(driver.node(of: listener) == Node(1))
        driver.connect()
        #expect(driver.service.tree == .reading(#"{"a": 1, "b": 2}"#))
    }
}
