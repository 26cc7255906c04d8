import HearthEngine
import HearthModel
import HearthRealtime
import HearthTesting
import Testing

/// How a queue empties: what is on the way, and what the cache keeps in mind of answered writes.
struct EnginePipelineTests {
    private let client = ClientID(high: 1, low: 2)

    private func identity(_ sequence: UInt64) -> WriteIdentity {
        WriteIdentity(uid: 1_000, client: client, sequence: sequence)
    }

    @Test func `no more writes are on the way than the service should hold`() {
        var driver = RealtimeDriver.started()
        for number in 0..<600 {
            driver.set(RealtimePath(["log", ChildKey(unchecked: "k\(number)")]), Node(1))
        }
        driver.take(
            .upstream(
                .opened(
                    driver.service.connection ?? StreamNumber(0),
                    serverTimeOffset: 0)))
        #expect(driver.service.waiting.count == 256)
        driver.serve()
        #expect(driver.service.tree.child("log").childCount == 600)
    }

    @Test func `a pipeline is filled again when a quarter of it is empty`() {
        var driver = RealtimeDriver.started()
        for number in 0..<600 {
            driver.set(RealtimePath(["log", ChildKey(unchecked: "k\(number)")]), Node(1))
        }
        driver.take(
            .upstream(
                .opened(
                    driver.service.connection ?? StreamNumber(0), serverTimeOffset: 0)))
        var waiting: [Int] = []
        for _ in 0..<70 {
            for event in driver.service.serveNext(at: driver.clock.now) ?? [] {
                driver.take(.upstream(event))
            }
            waiting.append(driver.service.waiting.count)
        }
        #expect(waiting[..<63] == (0..<63).map { 255 - $0 }[...])
        #expect(waiting[63] == 256)
        driver.serve()
        #expect(driver.service.tree.child("log").childCount == 600)
        #expect(driver.engine.queuedWriteCount == 0)
    }

    @Test func `a long queue leaves in the cache's mind what was there, and its own end`() throws {
        var driver = RealtimeDriver.started()
        driver.keepsActions = false
        driver.service.tree = Node.empty.settingChild("old", to: Node(1))
        let listener = driver.listen("old")
        driver.connect()
        driver.take(.unlisten(listener))
        driver.advance(by: .seconds(31))
        driver.cut()
        func place(_ number: Int) -> RealtimePath {
            RealtimePath(["log", ChildKey(unchecked: "k\(number)")])
        }
        for number in 0..<1_100 { driver.set(place(number), Node(.integer(Int64(number)))) }
        driver.set("old", Node(2))
        driver.advance(by: .seconds(60))
        driver.connect()
        let (places, tree) = try driver.store.transaction { transaction throws(StoreError) in
            (
                try transaction.trackedQueries(atOrBelow: .root).map(\.target.path),
                try transaction.serverNode(at: .root)
            )
        }
        #expect(places.contains("old"))
        #expect(!places.contains(place(0)))
        #expect(places.contains(place(1_099)))
        #expect(places.count <= 1_001)
        #expect(tree.child("old") == Node(2))
        #expect(tree.child("log").childCount == places.count - 1)
    }

    @Test func `an update of many places leaves in the cache's mind what was there`() throws {
        var driver = RealtimeDriver.started()
        driver.service.tree = Node.empty.settingChild("old", to: Node(1))
        let listener = driver.listen("old")
        driver.connect()
        driver.take(.unlisten(listener))
        driver.advance(by: .seconds(31))
        let parts = (0..<500).map { number in
            RealtimeChange.Part(
                WritePath(RealtimePath(["many", ChildKey(unchecked: "k\(number)")])),
                UnresolvedNode(Node(1)))
        }
        driver.write(.update(.root, parts + [.init(WritePath("old"), UnresolvedNode(Node(2)))]))
        driver.serve()
        let remembered = try driver.store.transaction { transaction throws(StoreError) in
            (
                try transaction.trackedQueries(atOrBelow: .root).map(\.target.path),
                try transaction.serverNode(at: .root)
            )
        }
        #expect(remembered.0 == ["old"])
        #expect(remembered.1 == Node.empty.settingChild("old", to: Node(2)))
    }

    @Test func `what was committed without a listener is in the cache`() {
        var driver = RealtimeDriver.started()
        driver.set("a", Node(1))
        driver.connect()
        driver.restart()
        let id = driver.nextRequest()
        driver.take(.get(id, ListenTarget("a", .all), .cache))
        #expect(driver.answer(to: id)?.node == Node(1))
    }
}
