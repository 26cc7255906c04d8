import HearthEngine
import HearthModel
import HearthTesting
import Testing

@testable import HearthRealtime

/// Writes that the backend has answered before a listen there has told of them.
struct EngineLateWriteTests {
    private static let list: RealtimePath = "list"

    /// How a listen comes behind a write that is on its way.
    enum Way: CaseIterable {
        /// The listen is sent at once.
        case sent
        /// The listen waits for the hash of its large data.
        case waiting
        /// The listen is for some children only.
        case filtered
    }

    private static func key(_ number: Int) -> ChildKey {
        ChildKey(unchecked: "k\(number + 1_000_000)")
    }

    private static func place(_ number: Int) -> RealtimePath { list.appending(key(number)) }

    /// A driver whose cache has an older value of the first child than a write that is on its way, with a
    /// listener that came after the write was sent.
    private func late(_ way: Way) -> (driver: RealtimeDriver, listener: ListenerID, RequestID) {
        var driver = RealtimeDriver.started()
        let count = way == .waiting ? 5_000 : 10
        let children = (0..<count).map { (Self.key($0), Node(.integer(Int64($0)))) }
        driver.service.tree = Node.empty.settingChild("list", to: Node(children: children))
        driver.listen(Self.list)
        driver.connect()
        driver.restart()
        driver.listen("small")
        driver.connect()
        let request = driver.set(Self.place(0), Node("own"))
        let query =
            way == .filtered
            ? QueryParameters(index: .key, limit: .init(2, from: .first)) : QueryParameters.all
        let listener = driver.listen(Self.list, query)
        return (driver, listener, request)
    }

    /// What a listener was shown of the first child, without repetitions.
    private func shown(_ driver: RealtimeDriver, _ listener: ListenerID) -> [Node] {
        let all = (driver.heard[listener]?.news ?? []).flatMap { news -> [Node] in
            switch news.content {
            case .whole(let node): [node.child(Self.key(0))]
            case .changes(let changes):
                changes.filter { $0.place.path.keys.first == Self.key(0) }.map(\.node)
            }
        }
        return all.reduce(into: []) { shown, node in
            if shown.last != node { shown.append(node) }
        }
    }

    /// The service serves one request.
    private func serveOne(_ driver: inout RealtimeDriver) {
        for event in driver.service.serveNext(at: driver.clock.now) ?? [] {
            driver.take(.upstream(event))
        }
    }

    @Test(arguments: Way.allCases)
    func `an answered write never leaves the view before the listen has told of it`(way: Way) {
        var (driver, listener, request) = late(way)
        serveOne(&driver)
        #expect(driver.outcome(of: request) == .committed)
        #expect(!driver.engine.lateWrites.isEmpty && driver.engine.tree.writes.count == 1)
        // Others write after us, and the listen tells of that.
        _ = driver.service.write(WritePath(Self.place(0)), Node("theirs"))
        driver.advance(by: .seconds(1))
        driver.serve()
        #expect(driver.engine.lateWrites.isEmpty && driver.engine.tree.writes.count == 0)
        #expect(shown(driver, listener) == [Node("own"), Node("theirs")])
        driver.restart()
        let again = driver.listen(Self.list)
        #expect(driver.node(of: again)?.child(Self.key(0)) == Node("theirs"))
    }

    @Test(arguments: Way.allCases)
    func `a late write is in the cache if the link is lost before the listen has told`(way: Way) {
        var (driver, listener, request) = late(way)
        serveOne(&driver)
        #expect(driver.outcome(of: request) == .committed)
        driver.cut()
        #expect(driver.engine.lateWrites.isEmpty && driver.engine.tree.writes.count == 0)
        #expect(shown(driver, listener) == [Node("own")])
        driver.restart()
        let again = driver.listen(Self.list)
        #expect(driver.node(of: again)?.child(Self.key(0)) == Node("own"))
        // The service has had another value since, which a hash of the cache must not hide.
        _ = driver.service.write(WritePath(Self.place(0)), Node(0))
        driver.connect()
        driver.advance(by: .seconds(1))
        driver.serve()
        #expect(driver.node(of: again)?.child(Self.key(0)) == Node(0))
    }

    @Test(arguments: [false, true])
    func `what was ordered for the connection's end comes after the late writes`(
        failsStore: Bool
    ) {
        var driver = RealtimeDriver.started()
        driver.service.tree = .reading(#"{"a": {"b": 1}}"#)
        driver.listen("a")
        driver.connect()
        driver.restart()
        driver.listen("small")
        driver.connect()
        let change = RealtimeChange.set(WritePath("a/b"), UnresolvedNode(Node("gone")))
        driver.take(
            .onDisconnect(driver.nextRequest(), .write(change), .link, RealtimeDriver.writer))
        driver.serve()
        driver.set("a/b", Node("there"))
        let listener = driver.listen("a")
        serveOne(&driver)
        #expect(!driver.engine.lateWrites.isEmpty)
        #expect(driver.node(of: listener)?.child("b") == Node("there"))
        driver.store.failing = failsStore ? [.settle] : []
        driver.cut()
        driver.store.failing = []
        #expect(driver.engine.lateWrites.isEmpty && driver.engine.tree.writes.count == 0)
        #expect(driver.node(of: listener)?.child("b") == Node("gone"))
    }

    @Test func `no more writes are late than there is room for`() {
        var late = LateWrites()
        let change = RealtimeChange.set(WritePath("a"), UnresolvedNode(Node(1)))
        func write(_ number: Int64) -> QueuedWrite {
            QueuedWrite(
                id: BatchID(number), change: change,
                writtenAt: Timestamp(seconds: 1, nanoseconds: 0), user: .unauthenticated,
                writer: RealtimeDriver.writer)
        }
        for number in 1...Int64(LateWrites.countMax) {
            #expect(late.hasRoom(for: write(number)))
            late.set(write(number).name, of: write(number))
        }
        #expect(!late.hasRoom(for: write(0)))
        late.set(nil, of: write(5))
        #expect(late.hasRoom(for: write(0)) && late.hold(WritePath("a/b")))
        #expect(!late.hold(WritePath("b")))
        let text = Node(.string(String(repeating: "x", count: LateWrites.byteCountMax)))
        let large = QueuedWrite(
            id: BatchID(9_999), change: .set(WritePath("a"), UnresolvedNode(text)),
            writtenAt: Timestamp(seconds: 1, nanoseconds: 0), user: .unauthenticated,
            writer: RealtimeDriver.writer)
        #expect(!late.hasRoom(for: large))
        let ids = late.removeAll().map(\.write.id.rawValue)
        #expect(ids == (1...Int64(LateWrites.countMax)).filter { $0 != 5 } && late.isEmpty)
        #expect(late.hasRoom(for: write(0)) && !late.hold(WritePath("a")))
    }

    /// A driver whose write of a place that is told and of a place that is not told yet was answered.
    private func halfLate() -> (driver: RealtimeDriver, small: ListenerID, list: ListenerID) {
        var driver = RealtimeDriver.started()
        let children = (0..<5_000).map { (Self.key($0), Node(.integer(Int64($0)))) }
        driver.service.tree = Node.empty.settingChild("list", to: Node(children: children))
            .settingChild("small", to: .reading(#"{"x": 0}"#))
        driver.listen(Self.list)
        driver.connect()
        driver.restart()
        let small = driver.listen("small")
        driver.connect()
        let list = driver.listen(Self.list)
        let parts: [(RealtimePath, Node)] = [
            ("small/x", Node(1)), ("profile/z", Node(1)), (Self.place(0), Node("own")),
        ]
        driver.write(
            .update("", parts.map { .init(WritePath($0), UnresolvedNode($1)) }))
        driver.serve()
        return (driver, small, list)
    }

    @Test func `what one place waits for does not make another place late`() {
        var (driver, small, list) = halfLate()
        #expect(!driver.engine.lateWrites.isEmpty && driver.engine.tree.writes.count == 1)
        // A later write of the told place, ours or of others, is news at once.
        driver.set("small/x", Node(2))
        driver.serve()
        #expect(driver.node(of: small) == .reading(#"{"x": 2}"#))
        driver.othersWrite(WritePath("small/x"), Node(3))
        driver.serve()
        #expect(driver.node(of: small) == .reading(#"{"x": 3}"#))
        #expect(!driver.engine.lateWrites.isEmpty)
        driver.cut()
        #expect(driver.engine.lateWrites.isEmpty && driver.engine.tree.writes.count == 0)
        #expect(driver.node(of: small) == .reading(#"{"x": 3}"#))
        #expect(driver.node(of: list)?.child(Self.key(0)) == Node("own"))
        driver.restart()
        let again = driver.listen("small")
        #expect(driver.node(of: again) == .reading(#"{"x": 3}"#))
        let profile = driver.listen("profile/z")
        #expect(driver.node(of: profile) == Node(1))
    }

    @Test func `late writes that find no room leave the tree in their order`() {
        var (driver, _, list) = halfLate()
        for number in 0...LateWrites.countMax {
            driver.set(Self.place(0), Node(.integer(Int64(number))))
            driver.serve()
        }
        let newest = Node(.integer(Int64(LateWrites.countMax)))
        #expect(driver.node(of: list)?.child(Self.key(0)) == newest)
        driver.cut()
        #expect(driver.node(of: list)?.child(Self.key(0)) == newest)
    }

    @Test func `a late write waits for no listen that has ended`() {
        var (driver, listener, _) = late(.waiting)
        serveOne(&driver)
        driver.take(.unlisten(listener))
        driver.advance(by: .seconds(200))
        driver.serve()
        #expect(driver.engine.lateWrites.isEmpty && driver.engine.tree.writes.count == 0)
        let again = driver.listen(Self.list)
        #expect(driver.node(of: again)?.child(Self.key(0)) == Node("own"))
    }

    @Test func `a late write above listens leaves what they have told since`() {
        var driver = RealtimeDriver.started()
        let children = (0..<5_000).map { (Self.key($0), Node(.integer(Int64($0)))) }
        let tree = Node.empty.settingChild("large", to: Node(children: children))
            .settingChild("small", to: Node(1))
        driver.service.tree = Node.empty.settingChild("x", to: tree)
        for path in ["x/large", "x/small"] as [RealtimePath] { driver.listen(path) }
        driver.connect()
        driver.restart()
        let small = driver.listen("x/small")
        driver.connect()
        driver.set(
            "x",
            Node.empty.settingChild(
                "large", to: Node(children: children).settingChild(Self.key(0), to: Node("own"))
            ).settingChild("small", to: Node(2)).settingChild("other", to: Node(3)))
        let large = driver.listen("x/large")
        driver.serve()
        #expect(!driver.engine.lateWrites.isEmpty)
        #expect(driver.node(of: large)?.child(Self.key(0)) == Node("own"))
        // Others change both places before the write is out of the tree.
        driver.othersWrite(WritePath("x/small"), Node(4))
        _ = driver.service.write(WritePath(RealtimePath(["x", "large", Self.key(0)])), Node(0))
        driver.advance(by: .seconds(2))
        driver.serve()
        #expect(driver.engine.lateWrites.isEmpty)
        #expect(driver.node(of: large)?.child(Self.key(0)) == Node(0))
        #expect(driver.node(of: small) == Node(4))
        driver.restart()
        let after = driver.listen("x/large")
        #expect(driver.node(of: after)?.child(Self.key(0)) == Node(0))
        let afterwards = driver.listen("x/small")
        #expect(driver.node(of: afterwards) == Node(4))
    }

    @Test func `a write where all is told already leaves the tree at once`() {
        var driver = RealtimeDriver.started()
        driver.service.tree = .reading(#"{"a": {"b": 1}, "c": 2}"#)
        let listener = driver.listen("a")
        driver.connect()
        driver.listen("c")
        driver.set("a/b", Node("own"))
        driver.listen("d")
        driver.serve()
        #expect(driver.engine.lateWrites.isEmpty && driver.engine.tree.writes.count == 0)
        #expect(driver.node(of: listener)?.child("b") == Node("own"))
    }
}
