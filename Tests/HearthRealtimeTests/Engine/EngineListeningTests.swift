import HearthEngine
import HearthModel
import HearthRealtime
import HearthTesting
import Testing

/// The tree of a small chat.
private let rooms = Node.reading(
    #"{"hall": {"name": "Hall", "seats": 40}, "loft": {"name": "Loft", "seats": 8}}"#)

struct EngineListeningTests {
    private func driver(_ tree: Node = Node.empty.settingChild("rooms", to: rooms))
        -> RealtimeDriver
    {
        var driver = RealtimeDriver.started()
        driver.service.tree = tree
        return driver
    }

    @Test func `a listener hears what the service has, and then each change`() {
        var driver = driver()
        let listener = driver.listen("rooms")
        #expect(driver.heard[listener]?.isComplete == false)
        driver.connect()
        #expect(driver.node(of: listener) == rooms)
        #expect(driver.heard[listener]?.isComplete == true)
        driver.othersWrite(WritePath("rooms/hall/seats"), Node(41))
        #expect(driver.node(of: listener)?.node(at: "hall/seats" as RealtimePath) == Node(41))
        let news = driver.heard[listener]?.news.last
        #expect(news?.content == .changes([.init(WritePath("hall/seats"), Node(41))]))
    }

    @Test func `a place that is empty at the service is told as complete`() {
        var driver = driver(.empty)
        let listener = driver.listen("nowhere")
        let below = driver.listen("nowhere/at/all")
        driver.connect()
        #expect(driver.heard[listener]?.isComplete == true)
        #expect(driver.heard[below]?.isComplete == true)
        #expect(driver.service.pushCount == 0)
    }

    @Test(arguments: ["tree", "tree/c"] as [RealtimePath])
    func `a leaf goes when the service puts children in its place, though a write hides them`(
        place: RealtimePath
    ) {
        var driver = driver(.reading(#"{"tree": {"b": 2, "c": 1}}"#))
        let listener = driver.listen(place)
        driver.connect()
        driver.set("tree/c/c/7", .empty)
        driver.othersWrite(WritePath("tree/c/c/7"), Node(5))
        driver.serve()
        #expect(driver.node(of: listener) == driver.service.tree.node(at: place))
    }

    @Test(arguments: ["tree", "tree/c"] as [RealtimePath])
    func `a leaf comes back when the write that hid it was answered and the leaf came later`(
        place: RealtimePath
    ) {
        var driver = driver(.reading(#"{"tree": {"b": 2}}"#))
        let listener = driver.listen(place)
        driver.connect()
        driver.set("tree/c/7", Node(5))
        driver.othersWrite(WritePath("tree/c/7"), Node(5))
        driver.othersWrite(WritePath("tree/c"), Node(1))
        driver.service.refusals["tree/c/7"] = .ok  // The service did it before the others wrote.
        driver.serve()
        #expect(driver.node(of: listener) == driver.service.tree.node(at: place))
    }

    @Test func `equal queries of all programs are one listen`() {
        var driver = driver()
        let query = QueryParameters(index: .key, limit: .init(1, from: .last))
        let first = driver.listen("rooms", query, session: 1)
        driver.connect()
        let second = driver.listen("rooms", query, session: 2)
        driver.serve()
        #expect(driver.service.requests.count == 1)
        #expect(driver.node(of: second) == driver.node(of: first))
        driver.take(.unlisten(first))
        driver.othersWrite(WritePath("rooms/loft/seats"), Node(9))
        #expect(driver.node(of: second)?.node(at: "loft/seats" as RealtimePath) == Node(9))
    }

    @Test func `a listen above takes the place of those below, and gives it back`() {
        var driver = driver()
        let hall = driver.listen("rooms/hall")
        driver.connect()
        let all = driver.listen("rooms")
        driver.serve()
        let kinds = driver.service.requests.map(\.action).map { action -> String in
            switch action {
            case .listen(let listen): "q \(listen.path)"
            case .unlisten(let path, _, _): "n \(path)"
            default: "other"
            }
        }
        #expect(kinds == ["q /rooms/hall", "q /rooms", "n /rooms/hall"])
        driver.take(.unlisten(all))
        driver.advance(by: .seconds(31))
        driver.serve()
        driver.othersWrite(WritePath("rooms/hall/seats"), Node(42))
        #expect(driver.node(of: hall)?.child("seats") == Node(42))
    }

    @Test func `a view stays in step for half a minute after its last listener`() {
        var driver = driver()
        driver.take(.unlisten(driver.listen("rooms")))
        driver.connect()
        let again = driver.listen("rooms")
        #expect(driver.node(of: again) == rooms)
        driver.take(.unlisten(again))
        driver.advance(by: .seconds(29))
        #expect(driver.service.requests.count == 1)
        driver.advance(by: .seconds(2))
        #expect(driver.service.requests.count == 2)
    }

    @Test func `a refused listen fails all its listeners, and a listener below asks by itself`() {
        var driver = driver()
        driver.service.refusals["rooms"] = .permissionDenied
        let first = driver.listen("rooms", session: 1)
        let second = driver.listen("rooms", QueryParameters(index: .key), session: 2)
        let below = driver.listen("rooms/hall", session: 2)
        driver.connect()
        #expect(driver.heard[first]?.error?.code == .permissionDenied)
        #expect(driver.heard[second]?.error?.code == .permissionDenied)
        #expect(driver.heard[below]?.error == nil)
        #expect(driver.node(of: below) == rooms.child("hall"))
        let later = driver.listen("rooms", session: 3)
        driver.serve()
        #expect(driver.heard[later]?.error?.code == .permissionDenied)
    }

    @Test func `a listen to more than the service tells at once fails, and one to a part goes on`()
    {
        var driver = driver()
        driver.service.refusals["rooms"] = .tooBig
        let whole = driver.listen("rooms")
        let hall = driver.listen("rooms/hall")
        driver.connect()
        #expect(driver.heard[whole]?.error?.code == .resourceExhausted)
        #expect(driver.heard[hall]?.error == nil)
        #expect(driver.node(of: hall) == rooms.child("hall"))
        driver.advance(by: .seconds(60))
        #expect(driver.service.openCount == 1)
    }

    @Test func `a late answer to an earlier listen says nothing of a newer one`() {
        var driver = RealtimeDriver.started()
        driver.service.tree = Node.empty.settingChild("a", to: Node(1))
        driver.listen("b", session: 2)
        driver.connect()
        let first = driver.listen("a")
        let request = driver.nextRequest()
        driver.take(.withhold(request, isWithheld: true))
        driver.take(.withhold(driver.nextRequest(), isWithheld: false))
        let asked = driver.service.waiting.compactMap { request -> Int? in
            guard case .listen = request.action else { return nil }
            return request.number
        }
        #expect(asked.count == 2)
        guard let number = driver.service.connection, let late = asked.first else {
            Issue.record("Nothing was asked")
            return
        }
        driver.take(
            .upstream(
                .answered(number, RealtimeAnswer(number: late, status: .permissionDenied))))
        #expect(driver.heard[first]?.error == nil)
        driver.take(.upstream(.answered(number, RealtimeAnswer(number: late))))
        #expect(driver.heard[first]?.isComplete == false)
        driver.serve()
        #expect(driver.node(of: first) == Node(1))
        #expect(driver.heard[first]?.isComplete == true)
    }

    @Test func `a listen that the service revokes later fails its listeners`() {
        var driver = driver()
        let listener = driver.listen("rooms")
        driver.connect()
        for event in driver.service.push(.revoked("rooms", [])) { driver.take(.upstream(event)) }
        #expect(driver.heard[listener]?.error?.code == .permissionDenied)
    }

    @Test func `after a restart the disk answers, and the service sends nothing that is known`() {
        var driver = driver()
        driver.listen("rooms")
        let query = QueryParameters(index: .key, limit: .init(1, from: .first))
        driver.connect()
        driver.listen("lists", query)
        driver.serve()
        let pushCount = driver.service.pushCount
        driver.restart()
        let listener = driver.listen("rooms")
        #expect(driver.node(of: listener) == rooms)
        #expect(driver.heard[listener]?.isComplete == true)
        driver.connect()
        #expect(driver.service.pushCount == pushCount)
    }

    @Test func `a filtered query has its own children after a restart`() {
        var driver = driver()
        let query = QueryParameters(index: .key, limit: .init(1, from: .last))
        driver.listen("rooms", query)
        driver.connect()
        driver.othersWrite(WritePath("rooms/tower"), Node("high"))
        driver.restart()
        let listener = driver.listen("rooms", query)
        #expect(driver.node(of: listener) == .reading(#"{"tower": "high"}"#))
        let whole = driver.listen("rooms")
        #expect(driver.heard[whole]?.isComplete == false)
    }

    @Test func `a filtered query that a listen above told of has its children after a restart`() {
        var driver = driver()
        let whole = driver.listen("rooms")
        driver.connect()
        let query = QueryParameters(index: .key, limit: .init(1, from: .last))
        driver.listen("rooms", query)
        driver.take(.unlisten(whole))
        driver.advance(by: .seconds(31))
        driver.serve()
        driver.restart()
        let listener = driver.listen("rooms", query)
        #expect(driver.node(of: listener)?.childCount == 1)
        #expect(driver.heard[listener]?.isComplete == true)
    }

    @Test func `a filtered query pulls in nothing that only an earlier listen above had told`() {
        var driver = driver(.reading(#"{"rooms": {"attic": 1, "hall": 2, "loft": 3}}"#))
        let whole = driver.listen("rooms")
        driver.connect()
        let query = QueryParameters(index: .key, limit: .init(2, from: .last))
        let listener = driver.listen("rooms", query)
        driver.take(.unlisten(whole))
        driver.advance(by: .seconds(31))
        driver.serve()
        driver.othersWrite(WritePath("rooms/attic"), .empty)
        driver.othersWrite(WritePath("rooms/loft"), .empty)
        #expect(driver.node(of: listener) == .reading(#"{"hall": 2}"#))
    }

    /// After a restart, with a place on disk of which a filtered query once showed the loft, and then
    /// the tower.
    private func driverAfterMovedWindow() -> RealtimeDriver {
        var driver = driver()
        driver.listen("rooms", QueryParameters(index: .key, limit: .init(1, from: .last)))
        driver.connect()
        driver.othersWrite(WritePath("rooms/tower"), Node("high"))
        driver.restart()
        return driver
    }

    @Test func `what one query of a place had is known to another after a restart`() {
        var driver = driverAfterMovedWindow()
        let tower = Node.reading(#"{"tower": "high"}"#)
        let whole = driver.listen("rooms")
        #expect(driver.node(of: whole) == tower)
        #expect(driver.heard[whole]?.isComplete == false)
        driver.connect()
        #expect(driver.node(of: whole)?.childCount == 3)
        #expect(driver.heard[whole]?.isComplete == true)
    }

    @Test func `what left a filtered query stays away when the service confirms the rest`() {
        var driver = driverAfterMovedWindow()
        let tower = Node.reading(#"{"tower": "high"}"#)
        driver.service.tree = Node.empty.settingChild("rooms", to: tower)
        let before = driver.listen("rooms")
        let pushCount = driver.service.pushCount
        driver.connect()
        #expect(driver.service.pushCount == pushCount)
        #expect(driver.node(of: before) == tower && driver.heard[before]?.isComplete == true)
        driver.restart()
        let after = driver.listen("rooms")
        #expect(driver.node(of: after) == tower && driver.heard[after]?.isComplete == true)
    }

    @Test func `what the service pushes unasked changes nothing`() throws {
        var driver = driver()
        let listener = driver.listen("rooms")
        driver.connect()
        let deep = RealtimePath(["rooms"] + (0..<100_000).map { _ in ChildKey("k") })
        let pushes: [RealtimePush] = [
            .overwrite(WritePath(deep), Node(1), tag: nil),
            .merge("rooms", [RealtimeTold(WritePath(deep), Node(1))], tag: nil),
            .overwrite(WritePath("elsewhere"), Node(1), tag: nil),
            .overwrite(WritePath("rooms"), Node(1), tag: 99),
            .merge("elsewhere", [RealtimeTold(WritePath("a"), Node(1))], tag: nil),
            .ranges("elsewhere", [], tag: nil), .ranges("rooms", [], tag: 7),
            .revoked("elsewhere", []), .unknown("x"),
        ]
        for push in pushes {
            for event in driver.service.push(push) { driver.take(.upstream(event)) }
        }
        #expect(driver.node(of: listener) == rooms)
        let stored = try driver.store.transaction { transaction throws(StoreError) in
            try transaction.serverNode(at: .root)
        }
        #expect(stored == Node.empty.settingChild("rooms", to: rooms))
    }

    @Test func `stretches that differ are put in their places, on disk too`() throws {
        var driver = driver()
        let listener = driver.listen("rooms")
        driver.connect()
        let range = NodeRange(after: "hall/name", through: "hall/seats")
        let update = Node.reading(#"{"hall": {"seats": 50}}"#)
        let merge = RealtimePush.ranges(
            "rooms", [RangeMerge(range: range, update: update)], tag: nil)
        for event in driver.service.push(merge) { driver.take(.upstream(event)) }
        let expected = rooms.setting("hall/seats" as RealtimePath, to: Node(50))
        #expect(driver.node(of: listener) == expected)
        let stored = try driver.store.transaction { transaction throws(StoreError) in
            try transaction.serverNode(at: "rooms")
        }
        #expect(stored == expected)
    }

    @Test func `a session that withholds its listens sees what others bring`() {
        var driver = driver()
        let id = driver.nextRequest(of: 1)
        driver.take(.withhold(id, isWithheld: true))
        let own = driver.listen("rooms", session: 1)
        #expect(driver.service.connection == nil)
        let other = driver.listen("rooms", session: 2)
        driver.connect()
        #expect(driver.node(of: own) == rooms)
        driver.take(.unlisten(other))
        driver.advance(by: .seconds(31))
        driver.serve()
        driver.othersWrite(WritePath("rooms/hall"), .empty)
        #expect(driver.node(of: own) == rooms)
        driver.take(.withhold(driver.nextRequest(of: 1), isWithheld: false))
        driver.serve()
        #expect(driver.node(of: own) == rooms.settingChild("hall", to: Node.empty))
    }

    @Test func `a kept place is in step without a listener`() {
        var driver = RealtimeDriver.started { $0.keep = [ListenTarget("rooms", .all)] }
        driver.service.tree = Node.empty.settingChild("rooms", to: rooms)
        driver.connect()
        driver.cut()
        let listener = driver.listen("rooms")
        #expect(driver.node(of: listener) == rooms)
        #expect(driver.heard[listener]?.isComplete == true)
    }

    @Test func `a kept query is in step without a listener, and what it does not show is not`() {
        let query = QueryParameters(index: .key, limit: .init(1, from: .last))
        let target = ListenTarget("log", query)
        var driver = RealtimeDriver.started { $0.keep = [target] }
        driver.service.tree = .reading(#"{"log": {"a": 1, "b": 2}}"#)
        driver.connect()
        driver.othersWrite(WritePath("log/c"), Node(3))
        driver.cut()
        let listener = driver.listen("log", query)
        #expect(driver.node(of: listener) == .reading(#"{"c": 3}"#))
        #expect(driver.heard[listener]?.isComplete == true)
        let whole = driver.listen("log")
        #expect(driver.heard[whole]?.isComplete == false)
    }
}
