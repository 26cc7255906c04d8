import HearthEngine
import HearthModel
import HearthTesting
import Testing

@testable import HearthRealtime

/// The hashes that an engine computes to find the missing data: nothing twice, and nothing that is
/// unchanged.
struct EngineHashTests {
    private static let list: RealtimePath = "list"

    private static func key(_ number: Int) -> ChildKey {
        ChildKey(unchecked: "-k\(String(number + 1_000_000))")
    }

    /// A driver that has heard all of a list once, and rested.
    private func rested(childCount: Int) -> RealtimeDriver {
        var driver = RealtimeDriver.started()
        driver.keepsActions = false
        let children = (0..<childCount).map { (Self.key($0), Node(.integer(Int64($0)))) }
        driver.service.tree = Node.empty.settingChild("list", to: Node(children: children))
        driver.listen(Self.list)
        driver.connect()
        driver.advance(by: .seconds(300))
        return driver
    }

    private func place(_ number: Int) -> RealtimePath { Self.list.appending(Self.key(number)) }

    @Test(.timeLimit(.minutes(3)))
    func `a restart with 100,000 unchanged children hashes nothing and is told nothing`() {
        var driver = rested(childCount: 100_000)
        #expect(driver.engine.hashes.hashedCount > 100_000)
        driver.restart()
        let pushCount = driver.service.pushCount
        let listener = driver.listen(Self.list)
        driver.take(.timerFired(.reading))
        #expect(driver.node(of: listener)?.children.count == 100_000)
        driver.connect()
        #expect(driver.engine.hashes.hashedCount == 0)
        #expect(driver.service.pushCount == pushCount)
        #expect(driver.heard[listener]?.isComplete == true)
        // Nor is anything hashed later.
        driver.advance(by: .seconds(300))
        #expect(driver.engine.hashes.hashedCount == 0)
    }

    @Test(.timeLimit(.minutes(3)))
    func `after one change elsewhere a restart is told of its range alone, and hashes nothing`() {
        var driver = rested(childCount: 20_000)
        driver.restart()
        let number = 7_777
        _ = driver.service.write(WritePath(place(number)), Node("new"))
        let pushCount = driver.service.pushCount
        let listener = driver.listen(Self.list)
        driver.take(.timerFired(.reading))
        driver.connect()
        #expect(driver.engine.hashes.hashedCount == 0)
        #expect(driver.service.pushCount == pushCount + 1)
        let changed = WritePath(RealtimePath([Self.key(number)]))
        #expect(
            driver.heard[listener]?.news.last?.content
                == .changes([.init(changed, Node("new"))]))
        // The next restart has the new hash.
        driver.advance(by: .seconds(300))
        #expect(driver.engine.hashes.hashedCount > 20_000)
        driver.restart()
        let pushCountThen = driver.service.pushCount
        driver.listen(Self.list)
        driver.take(.timerFired(.reading))
        driver.connect()
        #expect(driver.engine.hashes.hashedCount == 0)
        #expect(driver.service.pushCount == pushCountThen)
    }

    /// A driver that listens to a child, and to the whole list with a listen that waits for its hash.
    private func covered() -> (driver: RealtimeDriver, child: ListenerID, list: ListenerID) {
        var driver = rested(childCount: 5_000)
        driver.othersWrite(WritePath(place(9)), Node("told"))
        driver.restart()
        let child = driver.listen(place(3))
        driver.connect()
        driver.serve()
        let list = driver.listen(Self.list)
        return (driver, child, list)
    }

    @Test func `a listen goes on until the listen that covers it has its hash`() {
        var (driver, child, list) = covered()
        driver.serve()
        // The list waits for its hash, and the child is told all the same.
        driver.othersWrite(WritePath(place(3)), Node("new"))
        #expect(driver.node(of: child) == Node("new"))
        #expect(driver.engine.listens[ListenTarget(place(3), .all)] != nil)
        driver.advance(by: .seconds(1))
        driver.serve()
        #expect(driver.engine.listens[ListenTarget(place(3), .all)] == nil)
        #expect(driver.node(of: list)?.child(Self.key(3)) == Node("new"))
        driver.othersWrite(WritePath(place(3)), Node("newer"))
        #expect(driver.node(of: child) == Node("newer"))
    }

    @Test func `a listen that goes on ends when it changes what is hashed`() {
        var (driver, child, _) = covered()
        driver.take(.timerFired(.hashing))
        driver.othersWrite(WritePath(place(3)), Node("new"))
        #expect(driver.node(of: child) == Node("new"))
        driver.take(.timerFired(.hashing))
        #expect(driver.engine.listens[ListenTarget(place(3), .all)] == nil)
        driver.serve()
        driver.othersWrite(WritePath(place(3)), Node("newer"))
        driver.advance(by: .seconds(1))
        driver.serve()
        #expect(driver.node(of: child) == Node("newer"))
    }

    @Test(arguments: [false, true])
    func `a listen that goes on ends or begins anew with the listen that covers it`(
        isCut: Bool
    ) {
        var (driver, child, list) = covered()
        if isCut {
            driver.cut()
            #expect(driver.engine.listens[ListenTarget(place(3), .all)] == nil)
            driver.advance(by: .seconds(60))
            driver.connect()
        } else {
            driver.take(.unlisten(list))
            driver.advance(by: .seconds(200))
            #expect(driver.engine.listens[ListenTarget(place(3), .all)] != nil)
            #expect(driver.engine.listens[ListenTarget(Self.list, .all)] == nil)
        }
        driver.advance(by: .seconds(1))
        driver.serve()
        driver.othersWrite(WritePath(place(3)), Node("new"))
        #expect(driver.node(of: child) == Node("new"))
    }

    @Test func `a change that was not hashed yet is found out after a restart`() {
        var driver = rested(childCount: 5_000)
        driver.othersWrite(WritePath(place(3)), Node("told"))
        driver.restart()
        // Somebody makes the data what the old hash was of.
        _ = driver.service.write(WritePath(place(3)), Node(3))
        let listener = driver.listen(Self.list)
        driver.connect()
        driver.advance(by: .seconds(1))
        driver.serve()
        #expect(driver.node(of: listener)?.child(Self.key(3)) == Node(3))
    }

    @Test func `a reconnection keeps the hash, and a write of a program forgets it`() {
        var driver = rested(childCount: 5_000)
        let count = driver.engine.hashes.hashedCount
        driver.cut()
        driver.advance(by: .seconds(60))
        driver.connect()
        #expect(driver.engine.hashes.hashedCount == count)
        driver.set(place(1), Node("own"))
        driver.serve()
        driver.restart()
        _ = driver.service.write(WritePath(place(1)), Node(1))
        let listener = driver.listen(Self.list)
        driver.connect()
        driver.advance(by: .seconds(1))
        driver.serve()
        #expect(driver.node(of: listener)?.child(Self.key(1)) == Node(1))
    }

    @Test func `a read of what is unchanged leaves the hash, and it is not computed again`() {
        var driver = rested(childCount: 5_000)
        let count = driver.engine.hashes.hashedCount
        let request = driver.nextRequest()
        driver.take(.get(request, ListenTarget(Self.list, .all), .server))
        driver.serve()
        driver.advance(by: .seconds(60))
        #expect(driver.engine.hashes.hashedCount == count)
        driver.restart()
        driver.listen(Self.list)
        driver.connect()
        #expect(driver.engine.hashes.hashedCount == 0)
    }

    /// A driver that was killed before the hash of its list was computed, and started again: with a
    /// connection, and a new listener to the list.
    private func unhashed(childCount: Int) -> (driver: RealtimeDriver, listener: ListenerID) {
        var driver = RealtimeDriver.started()
        driver.keepsActions = false
        let children = (0..<childCount).map { (Self.key($0), Node(.integer(Int64($0)))) }
        driver.service.tree = Node.empty.settingChild("list", to: Node(children: children))
        driver.listen(Self.list)
        driver.connect()
        driver.restart()
        driver.listen("small")
        driver.connect()
        let listener = driver.listen(Self.list)
        driver.take(.timerFired(.reading))
        return (driver, listener)
    }

    private func isSent(_ path: RealtimePath, _ engine: RealtimeEngine) -> Bool {
        engine.listens[ListenTarget(path, .all)]?.isSent ?? false
    }

    private func isSent(_ driver: RealtimeDriver) -> Bool { isSent(Self.list, driver.engine) }

    @Test func `a listen without a kept hash waits for slices, and its listener for nothing`() {
        var (driver, listener) = unhashed(childCount: 20_000)
        #expect(driver.heard[listener]?.isComplete == true)
        #expect(driver.node(of: listener)?.childCount == 20_000)
        #expect(!isSent(driver))
        #expect(driver.engine.hashes.isAwaited && driver.engine.hashes.hashedCount == 0)
        let pushCount = driver.service.pushCount
        _ = driver.service.write(WritePath(place(7)), Node("new"))
        var turnCount = 0
        while !isSent(driver), turnCount < 1_000 {
            let before = driver.engine.hashes.hashedCount
            driver.take(.timerFired(.hashing))
            #expect(driver.engine.hashes.hashedCount - before <= KeptHashes.sliceCountMax)
            turnCount += 1
        }
        #expect(turnCount >= 20)
        driver.serve()
        #expect(!driver.engine.hashes.isAwaited)
        #expect(driver.service.pushCount == pushCount + 1)
        #expect(driver.node(of: listener)?.child(Self.key(7)) == Node("new"))
    }

    @Test func `data that moves is hashed at once in the end, and an ended listen is not sent`() {
        var (driver, listener) = unhashed(childCount: 5_000)
        for number in 0...KeptHashes.restartCountMax {
            #expect(!isSent(driver))
            driver.take(.timerFired(.hashing))
            // Others wrote, and somebody reads: the answer goes into the cache.
            _ = driver.service.write(WritePath(place(number)), Node("moved"))
            driver.take(
                .get(driver.nextRequest(), ListenTarget(place(number), .all), .server))
            driver.serve()
        }
        driver.take(.timerFired(.hashing))
        #expect(isSent(driver))
        driver.serve()
        #expect(driver.node(of: listener)?.child(Self.key(0)) == Node("moved"))

        (driver, listener) = unhashed(childCount: 5_000)
        driver.take(.timerFired(.hashing))
        driver.take(.setNetwork(isEnabled: false))
        driver.take(.unlisten(listener))
        driver.advance(by: .seconds(60))
        #expect(!driver.engine.hashes.isAwaited)
        #expect(driver.engine.listens[ListenTarget(Self.list, .all)] == nil)
    }

    @Test func `two listens that wait are sent one after the other, without a pause`() {
        var driver = RealtimeDriver.started()
        driver.keepsActions = false
        let children = (0..<5_000).map { (Self.key($0), Node(.integer(Int64($0)))) }
        let list = Node(children: children)
        driver.service.tree = Node.empty.settingChild("list", to: list)
            .settingChild("other", to: list)
        for path in [Self.list, "other"] { driver.listen(path) }
        driver.connect()
        driver.restart()
        for path in [Self.list, "other"] { driver.listen(path) }
        driver.connect()
        #expect(driver.engine.listens.all.map(\.isSent) == [false, false])
        driver.advance(by: .seconds(1))
        #expect(driver.engine.listens.all.map(\.isSent) == [true, true])
    }

    @Test func `a store that cannot note the hash holds back no listen`() {
        let (driver, _) = unhashed(childCount: 5_000)
        var engine = driver.engine
        var turnCount = 0
        while !isSent(Self.list, engine), turnCount < 100 {
            let actions = engine.turnFailed(
                .timerFired(.hashing), .io("It was pulled out"), at: driver.clock.now)
            #expect(
                actions.contains { action in
                    if case .schedule(.hashing, _) = action { true } else { false }
                })
            turnCount += 1
        }
        #expect(turnCount >= 5 && turnCount < 100)
        #expect(!engine.hashes.isAwaited)
    }

    @Test func `what was ordered for the connection's end is on disk too, once it has ended`() {
        var driver = rested(childCount: 5_000)
        let order = driver.nextRequest()
        let change = RealtimeChange.set(WritePath(place(3)), UnresolvedNode(Node("gone")))
        driver.take(.onDisconnect(order, .write(change), .link, RealtimeDriver.writer))
        driver.serve()
        driver.cut()
        driver.restart()
        let listener = driver.listen(Self.list)
        #expect(driver.node(of: listener)?.child(Self.key(3)) == Node("gone"))
    }

    @Test func `what was ordered for a place above a listen is on disk where the listen is`() {
        var driver = RealtimeDriver.started()
        driver.service.tree = .reading(#"{"x": {"a": 1, "b": 2}}"#)
        driver.listen("x/a")
        driver.connect()
        let order = driver.nextRequest()
        let change = RealtimeChange.set(
            WritePath("x"), UnresolvedNode(Node.reading(#"{"a": "gone"}"#)))
        driver.take(.onDisconnect(order, .write(change), .link, RealtimeDriver.writer))
        driver.serve()
        driver.cut()
        driver.restart()
        let listener = driver.listen("x/a")
        #expect(driver.node(of: listener) == Node("gone"))
    }

    @Test func `a slice hashes a thousand nodes, and data that moves waits until it rests`() {
        var hashes = KeptHashes(byteCountMin: 1)
        let target = ListenTarget(Self.list, .all)
        var node = Node(children: (0..<3_000).map { (Self.key($0), Node(.integer(Int64($0)))) })
        hashes.told(target, node)
        for number in 0..<3 {
            node = node.settingChild(Self.key(number), to: Node("moved"))
            #expect(hashes.step { _ in node } == KeptHashes.lookPause)
            #expect(hashes.hashedCount == 0)
        }
        var pause = hashes.step { _ in node }
        while pause == KeptHashes.slicePause {
            let before = hashes.hashedCount
            pause = hashes.step { _ in node }
            #expect(hashes.hashedCount - before <= KeptHashes.sliceCountMax)
        }
        #expect(pause == nil)
        let kept = hashes.storable { _ in node }
        #expect(kept.map(\.hash) == [ListenHash(of: node)])
        let count = hashes.hashedCount
        let asked = hashes.hash(of: target, knowing: node)
        #expect(asked != nil && asked == kept.first?.hash && hashes.hashedCount == count)
    }
}
