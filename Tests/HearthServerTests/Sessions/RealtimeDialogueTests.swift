import HearthEngine
import HearthFirestore
import HearthModel
import HearthRealtime
import HearthServer
import HearthWire
import Testing

/// What a session with an instance of the Realtime Database asks of the engine, and tells the client.
struct RealtimeDialogueTests {
    private static let instance = InstanceID(project: "demo")
    private static let writer = Writer(
        uid: 60_001, gid: 60_001, pid: 42, unit: "app.service", program: "tests")

    private func machine(
        _ rules: String..., client: Hello.Client = .init(high: 1, low: 2)
    ) throws -> SessionMachine {
        var configuration = SessionMachine.Configuration(
            session: 7, peer: Peer(uid: 60_001, gid: 60_001, pid: 42, unit: "app.service"),
            directory: DatabaseDirectory(database: nil, instance: Self.instance),
            limits: .init(listenerCountMax: 3, requestCountMax: 3), daemonVersion: "test")
        configuration.access = try policy(rules.isEmpty ? ["allow everyone read write"] : rules)
        var machine = SessionMachine(configuration)
        let hello = Hello(client: client, program: "tests", database: .realtime(.standard))
        let key = try #require(Self.instance.map(EngineKey.realtime))
        #expect(machine.received(.session(.hello(hello)), number: 1) == [.attach(key)])
        guard case .reply(.welcome(let welcome), 1)? = machine.attached().first else {
            Issue.record("No Welcome")
            return machine
        }
        #expect(welcome.database == key)
        return machine
    }

    private func policy(_ rules: [String]) throws -> AccessPolicy {
        AccessPolicy(
            rules: try rules.enumerated().map {
                try AccessRuleReader.read($0.element, name: "rule \($0.offset + 1)")
            })
    }

    private func target(_ path: RealtimePath) -> ListenTarget {
        ListenTarget(path, QueryParameters())
    }

    private func request(_ number: UInt64) -> RequestID { RequestID(session: 7, number: number) }

    private func listener(_ number: UInt64) -> ListenerID {
        ListenerID(session: 7, number: number)
    }

    private func inputs(_ actions: [SessionMachine.Action]) -> [RealtimeEngine.Input] {
        actions.compactMap { action in
            switch action {
            case .submit(.realtime(let input)), .submitAlone(.realtime(let input), _): input
            default: nil
            }
        }
    }

    private func set(_ path: RealtimePath, to value: LeafValue = 1) -> RealtimeChange {
        .set(WritePath(path), UnresolvedNode(Node(value)))
    }

    private func news(_ path: RealtimePath, _ content: ViewNews.Content) -> SharedNodes {
        SharedNodes(ViewNews(target(path), content, isComplete: true, isValueTold: true))
    }

    // MARK: Requests

    @Test func `each request becomes its input`() throws {
        var machine = try machine()
        let change = set("a/b")
        let cases: [(InstanceRequest, RealtimeEngine.Input)] = [
            (.get(target("a"), .cache), .get(request(2), target("a"), .cache)),
            (.waitForPendingWrites, .waitForPendingWrites(request(2), .all)),
            (
                .waitForOwnWrites(last: BatchID(4)),
                .waitForPendingWrites(request(2), .own(last: BatchID(4)))
            ),
            (
                .purgeOwnWrites,
                .purge(request(2), ClientID(high: 1, low: 2), uid: 60_001)
            ),
            (.withhold(isWithheld: true), .withhold(request(2), isWithheld: true)),
            (
                .onDisconnect(.write(change), .link),
                .onDisconnect(request(2), .write(change), .link, Self.writer)
            ),
        ]
        for (asked, expected) in cases {
            #expect(inputs(machine.received(.realtime(asked), number: 2)) == [expected])
            #expect(machine.delivered(realtime: .complete(2)) == [.reply(.done, 2)])
        }
    }

    @Test
    func `a write carries who writes, and is told when it is durable and when it is answered`()
        throws
    {
        var machine = try machine()
        let write = InstanceRequest.Write(sequence: 5, answeredBelow: 3, change: set("a"))
        let identity = WriteIdentity(
            uid: 60_001, client: ClientID(high: 1, low: 2), sequence: 5)
        #expect(
            inputs(machine.received(.realtime(.write(write)), number: 2)) == [
                .write(
                    RealtimeWriteRequest(
                        id: request(2), identity: identity, answeredBelow: 3,
                        writer: Self.writer, change: set("a")))
            ])
        #expect(
            machine.delivered(realtime: .accept(2, BatchID(9)))
                == [.reply(.writeAccepted(.init(sequence: 5, batch: BatchID(9))), 2)])
        #expect(machine.openRequestCount == 0)
        let error = HearthError(code: .permissionDenied, message: "No.")
        let rejected = Event.WriteRejected(
            sequence: 5, batch: BatchID(9), error: error, mayHaveBeenApplied: true)
        #expect(
            machine.delivered(
                realtime: .settle(2, BatchID(9), .rejected(error, mayHaveBeenApplied: true)))
                == [.reply(.writeRejected(rejected), 2)])
        #expect(machine.delivered(realtime: .settle(2, BatchID(9), .committed)).isEmpty)
    }

    @Test func `a write that the backend could never take is refused before the engine`() throws {
        var machine = try machine()
        let write = InstanceRequest.Write(
            sequence: 5, answeredBelow: 3, change: set(".info/connected"))
        let actions = machine.received(.realtime(.write(write)), number: 2)
        #expect(Spoken.failures(actions) == ["2: INVALID_ARGUMENT"])
        #expect(inputs(actions).isEmpty)
    }

    @Test func `a program without an identity has no writes to take back`() throws {
        var machine = try machine(client: .anonymous)
        let actions = machine.received(.realtime(.purgeOwnWrites), number: 2)
        #expect(Spoken.failures(actions) == ["2: FAILED_PRECONDITION"])
    }

    @Test func `to keep a place needs all below it, to take that back only a right to anything`()
        throws
    {
        var machine = try machine("allow everyone read", "deny everyone read below secret")
        #expect(
            machine.received(.realtime(.keep(.keep(target("/rooms")))), number: 2)
                == [.ask(.keep(.keep(target("/rooms"))), 2)])
        for (number, path) in [(UInt64(3), RealtimePath.root), (4, "/secret/a")] {
            let actions = machine.received(.realtime(.keep(.keep(target(path)))), number: number)
            guard case .reply(.failed(let error), number)? = actions.last else {
                Issue.record("\(path) is kept")
                continue
            }
            #expect(error.code == .permissionDenied)
        }
        #expect(
            machine.received(.realtime(.keep(.release(target("/")))), number: 5)
                == [.ask(.keep(.release(target("/"))), 5)])
    }

    @Test func `a request of the other kind of database fails, and the session goes on`() throws {
        var realtime = try machine()
        let get = Request.firestore(.get(Query(path: ResourcePath(["rooms"])), .cache))
        #expect(
            Spoken.failures(realtime.received(get, number: 2)) == ["2: FAILED_PRECONDITION"])
        #expect(realtime.received(.session(.ping), number: 3) == [.reply(.done, 3)])
        var firestore = Spoken.open()
        let listen = Request.realtime(.listen(target("a"), .observer))
        #expect(
            Spoken.failures(firestore.machine.received(listen, number: 2)) == [
                "2: FAILED_PRECONDITION"
            ])
        #expect(firestore.machine.openListenerCount == 0)
    }

    @Test func `an administrator's orders go to the engine of the instance`() throws {
        var machine = try machine("allow everyone read write administer")
        let order = QueueOrder<RealtimeChange>.hold([BatchID(3)])
        #expect(
            inputs(
                machine.received(.administration(.steerRealtimeQueue(order)), number: 2))
                == [.steerQueue(request(2), order, by: 60_001)])
        #expect(
            machine.delivered(realtime: .steered(2, [])) == [.reply(.queueSteered([]), 2)])
        #expect(
            inputs(
                machine.received(.administration(.setNetwork(isEnabled: false)), number: 3))
                == [.setNetwork(isEnabled: false)])
        #expect(
            inputs(machine.received(.administration(.clearPersistence), number: 4))
                == [.clearPersistence(request(4))])
        let other = machine.received(.administration(.steerQueue(.retry)), number: 5)
        #expect(Spoken.failures(other) == ["5: FAILED_PRECONDITION"])
    }

    // MARK: Listeners

    @Test func `a listener is told its news until it ends`() throws {
        var machine = try machine()
        #expect(
            inputs(machine.received(.realtime(.listen(target("a"), .observer)), number: 2))
                == [.listen(listener(2), target("a"), .observer)])
        #expect(machine.listenedTo.map(\.text) == ["/a"])
        let whole = news("a", .whole(Node(1)))
        #expect(machine.delivered(realtime: .news(2, whole)) == [.news(whole, 2)])
        #expect(
            machine.received(.session(.unlisten), number: 2)
                == [.submit(.realtime(.unlisten(listener(2)))), .forgetNews(2)])
        #expect(machine.delivered(realtime: .news(2, whole)).isEmpty)
        #expect(machine.listenedTo.isEmpty)
    }

    @Test func `a listener that fell behind listens anew, and hears nothing before the whole`()
        throws
    {
        var machine = try machine()
        _ = machine.received(.realtime(.listen(target("a"), .observer)), number: 2)
        #expect(
            inputs(machine.listenAnew(2)) == [
                .unlisten(listener(2)), .listen(listener(2), target("a"), .observer),
            ])
        let change = news("a", .changes([.init(WritePath("b"), Node(2))]))
        let whole = news("a", .whole(Node(3)))
        #expect(machine.delivered(realtime: .news(2, change)).isEmpty)
        #expect(machine.delivered(realtime: .news(2, whole)) == [.news(whole, 2)])
        #expect(machine.delivered(realtime: .news(2, change)) == [.news(change, 2)])
        _ = machine.received(.session(.unlisten), number: 2)
        #expect(machine.listenAnew(2).isEmpty)
    }

    @Test func `listeners count against the quota of the session`() throws {
        var machine = try machine()
        for number: UInt64 in 2...4 {
            _ = machine.received(.realtime(.listen(target("a"), .silent)), number: number)
        }
        let actions = machine.received(.realtime(.listen(target("b"), .observer)), number: 5)
        #expect(Spoken.failures(actions) == ["5: RESOURCE_EXHAUSTED"])
    }

    // MARK: Transactions

    @Test func `a transaction runs until it ends, under one number`() throws {
        var machine = try machine()
        #expect(
            inputs(
                machine.received(
                    .realtime(.runTransaction("a", showsEstimate: true)), number: 2))
                == [.runTransaction(request(2), "a", showsEstimate: true, Self.writer)])
        for round in 1...2 {
            let told = machine.delivered(
                realtime: .transaction(2, .run(Node(1), round: round)))
            guard case .step? = told.first else {
                Issue.record("Round \(round) is not told")
                return
            }
            let proposal = UnresolvedNode(Node(2))
            #expect(
                inputs(
                    machine.received(.realtime(.propose(proposal, round: round)), number: 2))
                    == [.propose(request(2), proposal, round: round)])
        }
        #expect(machine.openRequestCount == 1)
        #expect(machine.delivered(realtime: .transaction(2, .committed(Node(2)))).count == 1)
        #expect(machine.openRequestCount == 0)
        #expect(machine.received(.realtime(.propose(nil, round: 3)), number: 2).isEmpty)
    }

    // MARK: Rights

    @Test func `a listen needs all below, a write each place, a transaction both rights`() throws {
        var machine = try machine(
            "allow everyone read", "allow everyone write below a",
            "deny everyone read below a/secret")
        func isRefused(_ asked: InstanceRequest, _ number: UInt64) -> Bool {
            let failures = Spoken.failures(machine.received(.realtime(asked), number: number))
            return failures == ["\(number): PERMISSION_DENIED"]
        }
        #expect(isRefused(.listen(target("a"), .observer), 2))
        #expect(!isRefused(.listen(target("a/open"), .observer), 3))
        #expect(isRefused(.get(target(.root), .any), 4))
        #expect(!isRefused(.listen(target(".info/connected"), .observer), 5))
        let both = RealtimeChange.update(
            .root,
            [
                .init(WritePath("a/x"), UnresolvedNode(Node(1))),
                .init(WritePath("b"), UnresolvedNode(Node(1))),
            ])
        #expect(isRefused(.write(.init(sequence: 1, answeredBelow: 0, change: both)), 6))
        #expect(!isRefused(.write(.init(sequence: 1, answeredBelow: 0, change: set("a/x"))), 7))
        #expect(isRefused(.runTransaction("b", showsEstimate: true), 8))
        #expect(isRefused(.runTransaction("a", showsEstimate: true), 9))
        #expect(!isRefused(.runTransaction("a/x", showsEstimate: true), 10))
        #expect(isRefused(.onDisconnect(.write(set("b")), .programOrLink), 11))
    }

    @Test func `a reload ends listeners, transactions and orders that the rules no longer allow`()
        throws
    {
        var machine = try machine()
        _ = machine.received(.realtime(.listen(target("a"), .observer)), number: 2)
        _ = machine.received(.realtime(.listen(target("b"), .observer)), number: 3)
        _ = machine.received(.realtime(.runTransaction("a/x", showsEstimate: true)), number: 4)
        _ = machine.delivered(realtime: .transaction(4, .run(.empty, round: 6)))
        for (number, path) in [(5, "a/y"), (6, "b/y")] as [(UInt64, RealtimePath)] {
            _ = machine.received(
                .realtime(.onDisconnect(.write(set(path)), .programOrLink)), number: number)
            _ = machine.delivered(realtime: .complete(number))
        }
        let held = machine.heldByteCount
        let actions = machine.reconfigure(
            access: try policy(["allow everyone read write", "deny everyone read write below a"]),
            limits: .init(listenerCountMax: 3, requestCountMax: 3))
        #expect(Spoken.failures(actions) == ["2: PERMISSION_DENIED"])
        let told = inputs(actions)
        #expect(told.first == .unlisten(listener(2)))
        guard told.count == 3, case .denyTransaction(request(4), let error) = told[1],
            case .denyOrders(_, [WritePath("a/y")], _) = told[2]
        else {
            Issue.record("\(told)")
            return
        }
        // The engine says how it ended: what was sent may have been applied.
        #expect(error.code == .permissionDenied)
        #expect(machine.delivered(realtime: .transaction(4, .committed(Node(1)))).count == 1)
        #expect(machine.heldByteCount < held)
        #expect(machine.listenedTo.map(\.text) == ["/b"])
    }

    @Test func `a transaction that lost its rights is not given what it would compute from`() throws
    {
        var machine = try machine()
        _ = machine.received(.realtime(.runTransaction("a", showsEstimate: true)), number: 2)
        _ = machine.reconfigure(
            access: try policy(["allow everyone read"]),
            limits: .init(listenerCountMax: 3, requestCountMax: 3))
        #expect(
            machine.delivered(realtime: .transaction(2, .run(Node(1), round: 1))).isEmpty)
    }

    @Test func `what is written at the end of a session counts as held until it is cancelled`()
        throws
    {
        var machine = try machine()
        let before = machine.heldByteCount
        let large = set("a/b", to: .string(String(repeating: "x", count: 10_000)))
        _ = machine.received(
            .realtime(.onDisconnect(.write(large), .programOrLink)), number: 2)
        _ = machine.delivered(realtime: .complete(2))
        #expect(machine.heldByteCount > before + 10_000)
        _ = machine.received(.realtime(.onDisconnect(.cancel("a"), .link)), number: 3)
        _ = machine.delivered(realtime: .complete(3))
        // The engine takes back the orders of every scope.
        #expect(machine.heldByteCount == before)
    }

    @Test func `an order counts with all its places, whichever of them is ordered anew`() throws {
        var machine = try machine()
        let before = machine.heldByteCount
        let text = UnresolvedNode(Node(.string(String(repeating: "x", count: 10_000))))
        let update = RealtimeChange.update(
            .root,
            [
                .init(WritePath("a" as RealtimePath), UnresolvedNode(Node(1))),
                .init(WritePath("b" as RealtimePath), text),
            ])
        _ = machine.received(.realtime(.onDisconnect(.write(update), .link)), number: 2)
        _ = machine.received(
            .realtime(.onDisconnect(.write(set("a", to: 2)), .link)), number: 3)
        for number in UInt64(2)...3 {
            _ = machine.delivered(realtime: .complete(number))
        }
        #expect(machine.heldByteCount > before + 10_000)
    }

    @Test func `a program may order writes for its end at so many places and no more`() throws {
        var machine = try machine()
        let parts = (0...10_000).map { number in
            RealtimeChange.Part(
                WritePath(RealtimePath([ChildKey(unchecked: "k\(number)")])),
                UnresolvedNode(Node(1)))
        }
        let actions = machine.received(
            .realtime(.onDisconnect(.write(.update(.root, parts)), .link)), number: 2)
        guard case .reply(.failed(let error), 2)? = actions.first else {
            Issue.record("The order is taken: \(actions)")
            return
        }
        #expect(error.code == .resourceExhausted)
    }
}
