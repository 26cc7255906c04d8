import HearthEngine
import HearthModel
import HearthRealtime
import HearthTesting
import Testing

struct EngineNetworkTests {
    private func states(_ driver: RealtimeDriver) -> [SyncState] {
        driver.actions.compactMap { action in
            if case .note(.syncState(let state, _)) = action { state } else { nil }
        }
    }

    @Test func `nothing is opened until something is wanted, and closed after ten idle minutes`() {
        var driver = RealtimeDriver.started()
        #expect(driver.service.openCount == 0)
        driver.set("a", Node(1))
        #expect(driver.service.openCount == 1)
        driver.connect()
        #expect(states(driver) == [.connecting, .catchingUp, .live])
        driver.advance(by: .seconds(599))
        #expect(driver.service.connection != nil)
        driver.advance(by: .seconds(2))
        #expect(driver.service.connection == nil)
        #expect(states(driver).last == .idle)
    }

    @Test func `attempts go apart up to half a minute, and a network that returns tries at once`() {
        var driver = RealtimeDriver.started()
        driver.listen("a")
        var times: [Timestamp] = []
        for _ in 0..<20 {
            times.append(driver.clock.now)
            driver.cut()
            while driver.service.connection == nil { driver.advance(by: .milliseconds(100)) }
        }
        let waits = zip(times, times.dropFirst()).map { $1.since($0) }
        #expect(waits.allSatisfy { $0 <= .seconds(31) })
        #expect(waits.suffix(3).allSatisfy { $0 >= .seconds(8) })
        #expect(driver.engine.onlineState == .offline)
        driver.cut()
        driver.take(.networkReturned)
        #expect(driver.service.connection != nil)
        driver.connect()
        #expect(driver.engine.onlineState == .online)
    }

    @Test func `an administrator's switch stops everything but writing`() {
        var driver = RealtimeDriver.started()
        driver.listen("a")
        driver.connect()
        driver.take(.setNetwork(isEnabled: false))
        #expect(driver.service.connection == nil)
        let request = driver.set("a", Node(1))
        #expect(driver.accepted(request) != nil)
        driver.advance(by: .seconds(120))
        #expect(driver.service.openCount == 1)
        driver.take(.setNetwork(isEnabled: true))
        driver.connect()
        #expect(driver.outcome(of: request) == .committed)
    }

    @Test func `a session that keeps itself offline needs no connection to hear of it`() {
        var driver = RealtimeDriver.started()
        driver.take(.withhold(driver.nextRequest(), isWithheld: true))
        driver.listen(".info/connected")
        #expect(driver.service.openCount == 0)
        driver.listen(".info/connected", session: 2)
        #expect(driver.service.openCount == 1)
        driver.connect()
        driver.take(.disconnected(session: 2))
        driver.advance(by: .seconds(601))
        #expect(driver.service.connection == nil)
        driver.take(.withhold(driver.nextRequest(), isWithheld: false))
        #expect(driver.service.connection != nil)
    }

    @Test func `events of a connection that was closed are ignored`() {
        var driver = RealtimeDriver.started()
        driver.listen("a")
        driver.connect()
        driver.cut()
        let late = RealtimePush.overwrite(WritePath("a"), Node(1), tag: nil)
        let decided = driver.take(.upstream(.pushed(StreamNumber(1), late)))
        #expect(decided.isEmpty)
        #expect(driver.take(.upstream(.closed(StreamNumber(1), nil))).isEmpty)
        #expect(driver.take(.upstream(.opened(StreamNumber(9), serverTimeOffset: 0))).isEmpty)
    }

    @Test func `the service's clock is used for estimates`() {
        var driver = RealtimeDriver.started()
        driver.service.timeOffset = 5_000
        let listener = driver.listen("at")
        driver.connect()
        driver.write(.set(WritePath("at"), UnresolvedNode(.timestamp)))
        let expected = driver.clock.now.microseconds / 1_000 + 5_000
        #expect(driver.node(of: listener) == Node(.integer(expected)))
    }

    @Test func `clearing forgets cache and queue, once nobody listens`() {
        var driver = RealtimeDriver.started()
        let listener = driver.listen("a")
        driver.set("a", Node(1))
        let refused = driver.nextRequest()
        driver.take(.clearPersistence(refused))
        #expect(driver.refusal(of: refused)?.code == .failedPrecondition)
        driver.take(.unlisten(listener))
        let cleared = driver.nextRequest()
        driver.take(.clearPersistence(cleared))
        #expect(driver.actions.contains(.complete(cleared)))
        let again = driver.listen("a")
        #expect(driver.heard[again]?.isComplete == false)
        let request = driver.set("a", Node(2))
        #expect(driver.accepted(request) == BatchID(2))
    }

    @Test func `clearing forgets the queries of the transactions that it ends`() throws {
        var driver = RealtimeDriver.started()
        driver.take(.setNetwork(isEnabled: false))
        let transaction = driver.nextRequest(of: 1)
        driver.take(
            .runTransaction(transaction, "n", showsEstimate: true, RealtimeDriver.writer))
        func remembered() throws -> [RealtimePath] {
            try driver.store.transaction { store throws(StoreError) in
                try store.trackedQueries(atOrBelow: .root).map(\.target.path)
            }
        }
        #expect(try remembered() == ["n"])
        let cleared = driver.nextRequest()
        driver.take(.clearPersistence(cleared))
        #expect(driver.actions.contains(.complete(cleared)))
        #expect(try remembered().isEmpty)
    }
}
