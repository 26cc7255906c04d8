import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import Hearth

struct ClientMachineRealtimeTests: InstanceMachineSuite {
    var machine = newInstanceMachine

    private func step(_ step: TransactionStep) throws -> Event {
        var parts = NodeParts(of: step)
        let event = parts.nextEvent()
        return try #require(event)
    }

    @Test mutating func `a session asks for an instance, and for the same one again`() throws {
        let greeting = try requests(machine.opened())
        guard case .session(.hello(let hello))? = greeting.first?.request else {
            Issue.record("The first frame was no greeting")
            return
        }
        #expect(hello.database == .realtime(.standard))
        _ = machine.received(.welcome(Events.welcome(to: FakeDaemon.instance)), number: 1)
        #expect(machine.engine == FakeDaemon.instance)
        machine.lost(at: .zero)
        guard case .session(.hello(let second))? = try requests(machine.opened()).first?.request
        else {
            Issue.record("The first frame was no greeting")
            return
        }
        #expect(second.database == Hello.Database(FakeDaemon.instance))
    }

    @Test mutating func `a daemon that gives another kind of database is refused`() throws {
        let id = machine.nextOperation()
        _ = machine.observe(id, Self.rooms, .observer, at: .zero)
        _ = machine.opened()
        let actions = machine.received(.welcome(Events.welcome()), number: 1)
        guard case .fail(id, let error)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(error.code == .failedPrecondition)
    }

    @Test mutating func `changes in parts are told when all of them have come`() throws {
        let id = machine.nextOperation()
        _ = machine.observe(id, Self.rooms, .observer, at: .zero)
        let asked = try #require(try open().last)
        let changed = (0..<100).map {
            ViewNews.Placed(
                WritePath(RealtimePath([ChildKey(unchecked: "k\($0)")])), Node(.string("v")))
        }
        let news = ViewNews(Self.rooms, .changes(changed), isComplete: true, isValueTold: true)
        let events = parts(news, 100)
        #expect(events.count > 2)
        for event in events.dropLast() {
            #expect(machine.received(event, number: asked.number).isEmpty)
        }
        let last = try #require(events.last)
        #expect(machine.received(last, number: asked.number) == [.tell(id, news)])
    }

    @Test mutating func `a listen begins anew after a lost connection, without half an event`()
        throws
    {
        let id = machine.nextOperation()
        _ = machine.observe(id, Self.rooms, .observer, at: .zero)
        let first = try #require(try open().last)
        let long = Node(.string(String(repeating: "x", count: 500)))
        let news = ViewNews(Self.rooms, .whole(long), isComplete: true, isValueTold: true)
        let half = try #require(parts(news, 100).first)
        if case .viewNews(let part) = half, part.nodes.hasMore {
            _ = machine.received(half, number: first.number)
        }
        #expect(machine.lost(at: .zero) == [.interrupt(id)])
        let again = try #require(try open().last)
        #expect(again.request == first.request)
        let event = try #require(parts(news, 10_000).first)
        #expect(machine.received(event, number: again.number) == [.tell(id, news)])
        let ended = try requests(machine.end(id))
        #expect(ended.map(\.request) == [.session(.unlisten)])
    }

    @Test mutating func `a transaction answers each round, and only the last one asked`() throws {
        let id = machine.nextOperation()
        _ = machine.runTransaction(id, "n", showsEstimate: true, at: .zero)
        let asked = try #require(try open().last)
        #expect(asked.request == .realtime(.runTransaction("n", showsEstimate: true)))
        let run = machine.received(try step(.run(.empty, round: 1)), number: asked.number)
        #expect(run == [.run(id, .empty, round: 1)])
        _ = machine.received(try step(.run(Node(1), round: 2)), number: asked.number)
        let two = UnresolvedNode(Node(2))
        #expect(machine.propose(id, two, round: 1).isEmpty)
        let proposed = try requests(machine.propose(id, two, round: 2))
        #expect(proposed.map(\.request) == [.realtime(.propose(two, round: 2))])
        #expect(proposed.map(\.number) == [asked.number])
        #expect(machine.propose(id, two, round: 2).isEmpty)
        let end = machine.received(try step(.committed(Node(2))), number: asked.number)
        #expect(end == [.conclude(id, .committed(Node(2)))])
    }

    @Test mutating func `a transaction that was answered is not run again on another connection`()
        throws
    {
        let answered = machine.nextOperation()
        let open = machine.nextOperation()
        for id in [answered, open] {
            _ = machine.runTransaction(id, "n", showsEstimate: true, at: .zero)
        }
        let asked = try self.open()
        for number in asked.map(\.number) {
            _ = machine.received(try step(.run(.empty, round: 1)), number: number)
        }
        _ = machine.propose(answered, UnresolvedNode(Node(1)), round: 1)
        let actions = machine.lost(at: .zero)
        guard case .fail(answered, let error)? = actions.first, actions.count == 1 else {
            Issue.record("\(actions)")
            return
        }
        #expect(error.mayHaveBeenApplied)
        #expect(machine.propose(open, nil, round: 1).isEmpty)
        #expect(
            try self.open().map(\.request) == [.realtime(.runTransaction("n", showsEstimate: true))]
        )
    }

    @Test mutating func `what the daemon is to do at the end is told to every session`() throws {
        let order = OnDisconnectOrder.write(.set(WritePath("a"), UnresolvedNode(Node(1))))
        let request = Request.realtime(.onDisconnect(order, .programOrLink))
        let id = machine.nextOperation()
        _ = machine.begin(id, request, at: .zero)
        let asked = try #require(try open().first { $0.request == request })
        #expect(machine.received(.done, number: asked.number) == [.answer(id, .done)])
        #expect(machine.wantsConnection)
        machine.lost(at: .zero)
        _ = machine.observe(machine.nextOperation(), Self.rooms, .observer, at: .zero)
        #expect(
            try open().map(\.request) == [
                request, Self.link, .realtime(.listen(Self.rooms, .observer)),
            ])
        let cancel = machine.nextOperation()
        let sent = try requests(
            machine.begin(
                cancel, .realtime(.onDisconnect(.cancel(.root), .programOrLink)), at: .zero))
        _ = machine.received(.done, number: try #require(sent.first).number)
        machine.lost(at: .zero)
        #expect(
            try open().map(\.request) == [Self.link, .realtime(.listen(Self.rooms, .observer))])
    }

    private static let connected = ListenTarget(".info/connected", .all)
    private static let link = Request.realtime(.listen(connected, .observer))

    private func linkIs(_ isConnected: Bool) throws -> Event {
        let news = ViewNews(
            Self.connected, .whole(Node(.bool(isConnected))), isComplete: true, isValueTold: true)
        return try #require(parts(news, 1_000).first)
    }

    /// Orders a value for the end at a place of its own.
    private func order(_ number: Int, _ scope: OnDisconnectScope) -> Request {
        let place = WritePath(RealtimePath(["here", ChildKey(unchecked: "k\(number)")]))
        return .realtime(.onDisconnect(.write(.set(place, UnresolvedNode(Node(1)))), scope))
    }

    @Test mutating func `orders that lost links have carried out are not kept`() throws {
        _ = machine.begin(machine.nextOperation(), order(0, .program), at: .zero)
        let kept = try #require(try open().last)
        _ = machine.received(.done, number: kept.number)
        var link: UInt64?
        for round in 1...1_000 {
            let sent = try requests(
                machine.begin(machine.nextOperation(), order(round, .programOrLink), at: .zero))
            link = link ?? sent.first { $0.request == Self.link }?.number
            let number = try #require(link)
            _ = machine.received(try linkIs(true), number: number)
            _ = machine.received(.done, number: try #require(sent.last).number)
            if round < 1_000 { _ = machine.received(try linkIs(false), number: number) }
        }
        #expect(
            machine.standingOrders.requests.map(Request.realtime) == [
                order(0, .program), order(1_000, .programOrLink),
            ])
    }

    @Test mutating func `a session that begins without a link keeps the orders given again`()
        throws
    {
        _ = machine.begin(machine.nextOperation(), order(1, .programOrLink), at: .zero)
        let first = try open()
        _ = machine.received(.done, number: try #require(first.first).number)
        machine.lost(at: .zero)
        let again = try open()
        #expect(again.map(\.request) == [order(1, .programOrLink), Self.link])
        // The daemon's link is not up yet, so the backend has carried out nothing of this session.
        _ = machine.received(try linkIs(false), number: again[1].number)
        #expect(!machine.standingOrders.isEmpty)
        _ = machine.received(.done, number: again[0].number)
        #expect(!machine.standingOrders.isEmpty)
        _ = machine.received(try linkIs(false), number: again[1].number)
        _ = machine.received(try linkIs(true), number: again[1].number)
        #expect(machine.standingOrders.isEmpty)
    }

    @Test mutating func `orders that end with the daemon's own link are given to the next daemon`()
        throws
    {
        _ = machine.begin(machine.nextOperation(), order(1, .programOrLink), at: .zero)
        let first = try open()
        let link = try #require(first.first { $0.request == Self.link }).number
        _ = machine.received(try linkIs(true), number: link)
        _ = machine.received(.done, number: try #require(first.first).number)
        // A daemon that goes down ends its link before its sessions.
        _ = machine.received(try linkIs(false), number: link)
        machine.lost(at: .zero)
        let again = try open()
        #expect(again.first?.request == order(1, .programOrLink))
        _ = machine.received(.done, number: try #require(again.first).number)
        _ = machine.received(try linkIs(true), number: try #require(again.last).number)
        #expect(!machine.standingOrders.isEmpty)
    }

    @Test mutating func `an order that is refused to a later session is forgotten`() throws {
        _ = machine.begin(machine.nextOperation(), order(1, .program), at: .zero)
        _ = machine.received(.done, number: try #require(try open().last).number)
        machine.lost(at: .zero)
        let again = try #require(try open().last)
        let error = HearthError(code: .permissionDenied, message: "No.")
        #expect(machine.received(.failed(error), number: again.number).isEmpty)
        #expect(machine.standingOrders.isEmpty)
    }

    @Test mutating func `an order that a session cannot take yet is given again with the link`()
        throws
    {
        _ = machine.begin(machine.nextOperation(), order(1, .programOrLink), at: .zero)
        _ = machine.received(.done, number: try #require(try open().first).number)
        machine.lost(at: .zero)
        let again = try open()
        let busy = HearthError(code: .unavailable, message: "The store could not be read yet.")
        #expect(machine.received(.failed(busy), number: again[0].number).isEmpty)
        #expect(!machine.standingOrders.isEmpty)
        let link = try #require(again.first { $0.request == Self.link }).number
        let given = try requests(machine.received(try linkIs(true), number: link))
        #expect(given.map(\.request) == [order(1, .programOrLink)])
        _ = machine.received(.done, number: try #require(given.first).number)
        #expect(try requests(machine.received(try linkIs(true), number: link)).isEmpty)
        #expect(!machine.standingOrders.isEmpty)
    }

    @Test mutating func `an order whose task was cancelled is noted when the daemon has it`()
        throws
    {
        _ = try open()
        let id = machine.nextOperation()
        let sent = try #require(
            try requests(machine.begin(id, order(1, .program), at: .zero)).last)
        #expect(machine.end(id) == [.forget(id)])
        _ = machine.received(.done, number: sent.number)
        #expect(machine.standingOrders.requests.map(Request.realtime) == [order(1, .program)])
        #expect(machine.entries.isEmpty)
    }

    @Test mutating func `the backend's clock is followed once somebody asks`() throws {
        _ = try open()
        let sent = try requests(machine.followServerTime(at: .zero))
        #expect(machine.followServerTime(at: .zero).isEmpty)
        let target = ListenTarget(".info/serverTimeOffset", .all)
        #expect(sent.map(\.request) == [.realtime(.listen(target, .observer))])
        let news = ViewNews(
            target, .changes([.init(WritePath(.root), Node(-4_000))]), isComplete: true,
            isValueTold: true)
        let event = try #require(parts(news, 1_000).first)
        _ = machine.received(event, number: try #require(sent.first).number)
        #expect(machine.serverTimeOffset == -4_000)
    }

    @Test mutating func `a program that is offline says so to every session`() throws {
        let id = machine.nextOperation()
        _ = machine.begin(id, .realtime(.withhold(isWithheld: true)), at: .zero)
        let asked = try #require(try open().last)
        _ = machine.received(.done, number: asked.number)
        machine.lost(at: .zero)
        #expect(try open().map(\.request) == [.realtime(.withhold(isWithheld: true))])
    }

    @Test mutating func `a program that is offline hears that it is not connected`() throws {
        _ = try open()
        let id = machine.nextOperation()
        let asked = try requests(machine.observe(id, Self.connected, .observer, at: .zero))
        let number = try #require(asked.first).number
        func told(_ isConnected: Bool) -> Action {
            .tell(
                id,
                ViewNews(
                    Self.connected, .whole(Node(.bool(isConnected))), isComplete: true,
                    isValueTold: true))
        }
        #expect(machine.received(try linkIs(true), number: number) == [told(true)])
        let offline = machine.begin(
            machine.nextOperation(), .realtime(.withhold(isWithheld: true)), at: .zero)
        #expect(offline.first == told(false))
        #expect(machine.received(try linkIs(true), number: number) == [told(false)])
        #expect(machine.received(try linkIs(false), number: number) == [told(false)])
        let without = machine.begin(
            machine.nextOperation(), .realtime(.withhold(isWithheld: false)), at: .zero)
        #expect(!without.contains(told(true)))
        #expect(machine.received(try linkIs(true), number: number) == [told(true)])
        _ = machine.begin(
            machine.nextOperation(), .realtime(.withhold(isWithheld: true)), at: .zero)
        let online = machine.begin(
            machine.nextOperation(), .realtime(.withhold(isWithheld: false)), at: .zero)
        #expect(online.first == told(true))
    }
}
