import HearthEngine
import HearthModel
import HearthRealtime
import HearthTestSupport
import HearthTesting
import Testing

/// The cost of a turn depends on the change, and not on how much there is besides.
struct EngineScaleTests {
    /// The time of the middle one of some repetitions.
    private func median(_ count: Int, _ body: (Int) -> Void) -> Duration {
        let times = (0..<count).map { number in threadTime { body(number) } }
        return times.sorted()[count / 2]
    }

    private func place(_ number: Int) -> RealtimePath {
        RealtimePath(["log", ChildKey(unchecked: "-k\(number)")])
    }

    @Test(.timeLimit(.minutes(3)))
    func `the 100,000th write waiting costs about as much as the 1,000th`() {
        var driver = RealtimeDriver.started { $0.queueLimits.uidBatchCountMax = 1_000_000 }
        driver.keepsActions = false
        for number in 0..<1_000 { driver.set(place(number), Node(1)) }
        let early = median(400) { driver.set(place(1_000 + $0), Node(1)) }
        for number in 1_400..<99_000 { driver.set(place(number), Node(1)) }
        let late = median(400) { driver.set(place(99_000 + $0), Node(1)) }
        #expect(late < early * 4, "\(early) and \(late)")
        #expect(driver.engine.queuedWriteCount == 99_400)
    }

    @Test(.timeLimit(.minutes(3)))
    func `a queue on one place is answered as fast as a short one`() {
        func time(_ count: Int) -> Duration {
            var driver = RealtimeDriver.started()
            driver.keepsActions = false
            for _ in 0..<count { driver.increment("count") }
            return threadTime { driver.connect() } / count
        }
        let (short, long) = (time(500), time(10_000))
        #expect(long < short * 4, "\(short) and \(long)")
    }

    @Test func `one change under 10,000 children is told as one change`() throws {
        var driver = RealtimeDriver.started()
        let children = (0..<10_000).map { (ChildKey(unchecked: "-k\($0)"), Node(.integer(0))) }
        driver.service.tree = Node.empty.settingChild("log", to: Node(children: children))
        let listener = driver.listen("log")
        driver.connect()
        driver.set(place(5_000), Node(7))
        let news = try #require(driver.heard[listener]?.news.last)
        #expect(news.content == .changes([.init(WritePath("-k5000"), Node(7))]))
    }
}
