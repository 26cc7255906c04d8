import HearthEngine
import HearthModel
import HearthRealtime
import HearthTesting
import Testing

struct EngineCollectingTests {
    private func byteCount(_ driver: RealtimeDriver) throws -> Int {
        try driver.store.transaction { transaction throws(StoreError) in
            try transaction.serverByteCount()
        }
    }

    private func place(_ number: Int) -> RealtimePath {
        RealtimePath([ChildKey(unchecked: "p\(number)"), "text"])
    }

    private func stored(_ driver: RealtimeDriver, _ path: RealtimePath) throws -> Node {
        try driver.store.transaction { transaction throws(StoreError) in
            try transaction.serverNode(at: path)
        }
    }

    /// Listens to some places in turn, each of about 1,000 bytes.
    private func visited(
        _ count: Int, _ configure: (inout RealtimeEngine.Configuration) -> Void
    ) -> RealtimeDriver {
        var driver = RealtimeDriver.started(configure)
        let text = Node(.string(String(repeating: "x", count: 1_000)))
        for number in 0..<count {
            driver.service.tree = driver.service.tree.setting(place(number), to: text)
        }
        for number in 0..<count {
            let listener = driver.listen(place(number))
            driver.connect()
            driver.serve()
            driver.take(.unlisten(listener))
            driver.advance(by: .seconds(1))
        }
        return driver
    }

    @Test func `a cache over its size loses the least lately used, and no more than needed`() throws
    {
        var driver = visited(50) { $0.cacheByteCountMax = 20_000 }
        #expect(try byteCount(driver) > 20_000)
        driver.advance(by: .seconds(180))
        let rest = try byteCount(driver)
        #expect(rest <= 20_000)
        #expect(rest > 10_000)
        #expect(try stored(driver, place(0)).isEmpty)
        #expect(try !stored(driver, place(49)).isEmpty)
        let again = driver.listen(place(49))
        #expect(driver.heard[again]?.isComplete == true)
        let gone = driver.listen(place(0))
        #expect(driver.heard[gone]?.isComplete == false)
        driver.serve()
        #expect(driver.heard[gone]?.isComplete == true)
    }

    @Test func `what somebody listens to or keeps stays, whatever its size`() throws {
        var driver = visited(30) {
            $0.cacheByteCountMax = 0
            $0.keep = [ListenTarget("p0", .all)]
        }
        let listener = driver.listen(place(7))
        driver.advance(by: .seconds(240))
        #expect(try !stored(driver, place(0)).isEmpty)
        #expect(try !stored(driver, place(7)).isEmpty)
        #expect(try stored(driver, place(8)).isEmpty)
        #expect(driver.heard[listener]?.error == nil)
    }

    @Test func `a place above goes, and the places below that are listened to stay`() throws {
        var driver = RealtimeDriver.started { $0.cacheByteCountMax = 0 }
        driver.service.tree = .reading(#"{"a": {"b": {"c": 1}, "d": 2, "e": 3, "f": 4}}"#)
        let last = QueryParameters(index: .key, limit: .init(1, from: .last))
        let whole = driver.listen("a")
        driver.connect()
        driver.listen("a/b")
        driver.listen("a", last)
        driver.take(.unlisten(whole))
        driver.advance(by: .seconds(40))
        driver.serve()
        driver.advance(by: .seconds(120))
        #expect(try stored(driver, "a") == .reading(#"{"b": {"c": 1}, "f": 4}"#))
    }

    /// A large node in the cache that nobody listens to any more.
    private func large(_ count: Int) -> RealtimeDriver {
        var driver = RealtimeDriver.started { $0.cacheByteCountMax = 0 }
        let node = Node(
            children: (0..<count).map {
                (key: ChildKey(unchecked: "k\($0)"), node: Node(.integer(Int64($0))))
            })
        driver.service.tree = Node.empty.setting("large", to: node)
        let listener = driver.listen("large")
        driver.connect()
        driver.serve()
        driver.take(.unlisten(listener))
        driver.advance(by: .seconds(40))
        driver.serve()
        return driver
    }

    @Test func `a large query goes in slices, and is forgotten with the last of it`() throws {
        var driver = large(1_000)
        var rest = try stored(driver, "large").childCount
        #expect(rest == 1_000)
        var sliceCount = 0
        while rest > 0, sliceCount < 20 {
            let actions = driver.take(.timerFired(.garbageCollection))
            let count = try stored(driver, "large").childCount
            #expect(rest - count <= 200)
            #expect(count < rest)
            #expect(!actions.contains { if case .note(.collected) = $0 { true } else { false } })
            rest = count
            sliceCount += 1
        }
        #expect(rest == 0)
        let queryCount = try driver.store.transaction { transaction throws(StoreError) in
            try transaction.inactiveQueryCount()
        }
        #expect(queryCount == 0)
    }

    @Test func `a query of which a slice is gone is not complete, and whoever listens gets all`()
        throws
    {
        var driver = large(1_000)
        driver.take(.timerFired(.garbageCollection))
        let rest = try stored(driver, "large").childCount
        #expect(0 < rest && rest < 1_000)
        driver.restart()  // A program's view comes from the disk.
        let listener = driver.listen("large")
        #expect(driver.heard[listener]?.isComplete == false)
        driver.connect()
        driver.serve()
        #expect(driver.heard[listener]?.isComplete == true)
        #expect(driver.node(of: listener)?.childCount == 1_000)
        for _ in 0..<10 { driver.take(.timerFired(.garbageCollection)) }
        #expect(try stored(driver, "large").childCount == 1_000)
        #expect(driver.node(of: listener)?.childCount == 1_000)
    }

    @Test func `a cache of any size is left alone`() throws {
        var driver = visited(10) { $0.cacheByteCountMax = nil }
        driver.advance(by: .seconds(600))
        #expect(try byteCount(driver) > 9_000)
    }
}
