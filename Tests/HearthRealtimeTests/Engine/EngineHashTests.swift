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
        driver.connect()
        #expect(driver.engine.hashes.hashedCount == 0)
        #expect(driver.service.pushCount == pushCountThen)
    }

    @Test func `a change that was not hashed yet is found out after a restart`() {
        var driver = rested(childCount: 5_000)
        driver.othersWrite(WritePath(place(3)), Node("told"))
        driver.restart()
        // Somebody makes the data what the old hash was of.
        _ = driver.service.write(WritePath(place(3)), Node(3))
        let listener = driver.listen(Self.list)
        driver.connect()
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
        #expect(asked == kept.first?.hash && hashes.hashedCount == count)
    }
}
