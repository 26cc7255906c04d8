import HearthEngine
import HearthModel
import HearthTesting
import Testing

@testable import HearthRealtime

/// Large nodes on disk: a listener hears the first children before the rest is read.
struct EngineBeginningTests {
    private static let list: RealtimePath = "list"
    private static let childCount = 100

    private static func key(_ number: Int) -> ChildKey {
        ChildKey(unchecked: "-k\(String(number + 1_000))")
    }

    private func children(_ numbers: some Sequence<Int>) -> Node {
        Node(children: numbers.map { (Self.key($0), Node(.integer(Int64($0)))) })
    }

    private var all: Node { children(0..<Self.childCount) }

    /// An engine that has a list on disk and in no view, and that reads two children at first.
    private func restarted(
        _ list: Node, and second: Node = .empty, cacheByteCountMax: Int? = nil
    ) -> RealtimeDriver {
        var driver = RealtimeDriver.started {
            $0.begunPartCountMin = 32
            $0.cacheByteCountMax = cacheByteCountMax
        }
        driver.service.tree = Node.empty.settingChild("list", to: list)
            .settingChild("second", to: second)
        driver.listen(Self.list)
        if !second.isEmpty { driver.listen("second") }
        driver.connect()
        driver.restart()
        return driver
    }

    @Test(arguments: [QueryParameters.all, QueryParameters(index: .key)])
    func `the first children are told before the rest is read`(query: QueryParameters) {
        var driver = restarted(all)
        let listener = driver.listen(Self.list, query)
        #expect(driver.node(of: listener) == children(0..<2))
        #expect(driver.heard[listener]?.isComplete == false)
        #expect(driver.heard[listener]?.news.first?.isValueTold == false)
        #expect(driver.heard[listener]?.news.first?.isBeginning == true)
        driver.advance(by: .zero)
        #expect(driver.node(of: listener) == all)
        #expect(driver.heard[listener]?.isComplete == true)
        #expect(driver.heard[listener]?.news.last?.isValueTold == true)
        #expect(driver.heard[listener]?.news.last?.isBeginning == false)
        driver.connect()
        #expect(driver.heard[listener]?.news.count == 2)
        driver.othersWrite(WritePath(Self.list.appending(Self.key(7))), Node("new"))
        #expect(driver.node(of: listener)?.child(Self.key(7)) == Node("new"))
    }

    @Test func `all listeners of a large node hear the whole of it once it is read`() {
        var driver = restarted(all)
        let listeners = (1...3).map { driver.listen(Self.list, session: $0) }
        driver.advance(by: .zero)
        for listener in listeners {
            #expect(driver.node(of: listener) == all)
            #expect(driver.heard[listener]?.isComplete == true)
        }
        let late = driver.listen(Self.list, session: 4)
        #expect(driver.heard[late]?.news.count == 1)
        #expect(driver.node(of: late) == all)
    }

    @Test func `the first children have the writes that wait, and nothing that comes behind them`()
    {
        var driver = restarted(all)
        driver.set(Self.list.appending(Self.key(1)), Node("mine"))
        driver.set("list/a" as RealtimePath, Node("behind"))
        let listener = driver.listen(Self.list)
        let first = children(0..<2).settingChild(Self.key(1), to: Node("mine"))
        #expect(driver.node(of: listener) == first)
        driver.advance(by: .zero)
        let whole = all.settingChild(Self.key(1), to: Node("mine"))
            .settingChild("a", to: Node("behind"))
        #expect(driver.node(of: listener) == whole)
    }

    @Test func `what is written before the rest is read is told with the rest`() {
        var driver = restarted(all)
        let listener = driver.listen(Self.list)
        driver.set(Self.list.appending(Self.key(0)), .empty)
        #expect(driver.heard[listener]?.news.count == 1)
        driver.advance(by: .zero)
        #expect(driver.node(of: listener) == children(1..<Self.childCount))
    }

    @Test func `a read right after the listen is answered by the view, and not by the backend`() {
        var driver = restarted(all)
        let listener = driver.listen(Self.list)
        let read = driver.nextRequest()
        driver.take(.get(read, ListenTarget(Self.list, .all), .any))
        #expect(driver.answer(to: read)?.node == all)
        #expect(driver.node(of: listener) == all)
        driver.advance(by: .zero)
        #expect(driver.heard[listener]?.news.count == 2)
    }

    @Test func `children with priorities may come in another order, so all are told at once`() {
        var driver = restarted(all.settingChild(Self.key(0), to: Node(.integer(0), priority: 9)))
        let listener = driver.listen(Self.list)
        #expect(driver.heard[listener]?.isComplete == true)
        #expect(driver.heard[listener]?.news.count == 1)
        let byValue = driver.listen(Self.list, QueryParameters(index: .value), session: 2)
        #expect(driver.heard[byValue]?.isComplete == true)
    }

    @Test(arguments: [false, true])
    func `a listener that ends before the rest is read hears no more`(isGone: Bool) {
        var driver = restarted(all)
        let listener = driver.listen(Self.list)
        let other = driver.listen(Self.list, session: 2)
        driver.take(isGone ? .disconnected(session: 1) : .unlisten(listener))
        driver.advance(by: .zero)
        #expect(driver.heard[listener]?.news.count == 1)
        #expect(driver.node(of: other) == all)
        driver.take(.unlisten(other))
        driver.advance(by: .seconds(60))
        #expect(driver.engine.listens.isEmpty)
        // The same number may listen anew.
        driver.take(.listen(listener, ListenTarget(Self.list, .all), .observer))
        driver.advance(by: .zero)
        #expect(driver.node(of: listener) == all)
    }

    @Test func `a listener hears that the rest cannot be read`() {
        var driver = restarted(all)
        let listener = driver.listen(Self.list)
        driver.store.failing = [.listen]
        driver.advance(by: .zero)
        #expect(driver.heard[listener]?.error != nil)
        driver.store.failing = []
        let second = driver.listen(Self.list)
        driver.advance(by: .zero)
        #expect(driver.node(of: second) == all)
    }

    @Test func `nodes behind one that cannot be read are read all the same`() {
        var driver = restarted(all, and: all)
        let first = driver.listen(Self.list)
        let second = driver.listen("second", session: 2)
        #expect(driver.heard[second]?.isComplete == false)
        driver.store.failing = [.listen]
        driver.take(.timerFired(.reading))
        driver.store.failing = []
        #expect(driver.heard[first]?.error != nil)
        #expect(driver.heard[second]?.error == nil)
        driver.advance(by: .zero)
        #expect(driver.node(of: second) == all)
        #expect(driver.heard[second]?.isComplete == true)
    }

    @Test func `a read waits for the rest of its own node alone`() {
        var driver = restarted(all, and: all)
        let first = driver.listen(Self.list)
        let second = driver.listen("second", session: 2)
        let read = driver.nextRequest(of: 2)
        let child = ("second" as RealtimePath).appending(Self.key(7))
        driver.take(.get(read, ListenTarget(child, .all), .any))
        #expect(driver.answer(to: read)?.node == Node(.integer(7)))
        #expect(driver.node(of: second) == all)
        #expect(driver.heard[first]?.news.count == 1)
        driver.advance(by: .zero)
        #expect(driver.node(of: first) == all)
    }

    @Test func `a cache that is too large is not collected before the rest is read`() {
        var driver = restarted(all, cacheByteCountMax: 1)
        let listener = driver.listen(Self.list)
        driver.take(.timerFired(.garbageCollection))
        let next = driver.clock.now.advanced(by: .milliseconds(3))
        #expect(driver.timers[.garbageCollection] == next)
        driver.advance(by: .zero)
        #expect(driver.node(of: listener) == all)
        #expect(driver.heard[listener]?.isComplete == true)
        driver.advance(by: .seconds(180))
        #expect(driver.node(of: listener) == all)
    }
}
