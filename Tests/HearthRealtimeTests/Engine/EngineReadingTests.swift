import HearthEngine
import HearthModel
@testable import HearthRealtime
import HearthTesting
import Testing

struct EngineReadingTests {
    private let target = ListenTarget("a", .all)

    @Test func `a read asks the service, and the cache remembers`() {
        var driver = RealtimeDriver.started()
        driver.service.tree = .reading(#"{"a": {"b": 1}}"#)
        let id = driver.nextRequest()
        driver.take(.get(id, target, .any))
        driver.connect()
        #expect(driver.answer(to: id)?.node == .reading(#"{"b": 1}"#))
        #expect(driver.answer(to: id)?.isFromCache == false)
        driver.restart()
        let again = driver.nextRequest()
        driver.take(.get(again, target, .any))
        #expect(driver.answer(to: again) == nil)
        driver.advance(by: .seconds(3))
        #expect(driver.answer(to: again)?.isFromCache == true)
    }

    @Test func `a view in step answers without the service`() {
        var driver = RealtimeDriver.started()
        driver.service.tree = .reading(#"{"a": {"b": 1, "c": 2}}"#)
        driver.listen("a")
        driver.connect()
        let id = driver.nextRequest()
        let last = QueryParameters(index: .key, limit: .init(1, from: .last))
        driver.take(.get(id, ListenTarget("a", last), .any))
        #expect(driver.answer(to: id)?.node == .reading(#"{"c": 2}"#))
        #expect(driver.answer(to: id)?.isFromCache == false)
        #expect(driver.service.requests.count == 1)
    }

    @Test func `a filtered query in step answers its own reads, with writes that wait`() {
        var driver = RealtimeDriver.started()
        driver.service.tree = .reading(#"{"a": {"b": 1, "c": 2}}"#)
        let last = ListenTarget("a", QueryParameters(index: .key, limit: .init(1, from: .last)))
        driver.listen("a", last.query)
        driver.connect()
        let id = driver.nextRequest()
        driver.take(.get(id, last, .any))
        #expect(driver.answer(to: id)?.node == .reading(#"{"c": 2}"#))
        #expect(driver.answer(to: id)?.isFromCache == false)
        #expect(driver.service.requests.count == 1)
        driver.cut()
        driver.set("a/d", Node(3))
        let offline = driver.nextRequest()
        driver.take(.get(offline, last, .any))
        #expect(driver.answer(to: offline)?.node == .reading(#"{"d": 3}"#))
        #expect(driver.answer(to: offline)?.isFromCache == true)
    }

    @Test func `without a connection a read of the service alone fails after three seconds`() {
        var driver = RealtimeDriver.started()
        let id = driver.nextRequest()
        driver.take(.get(id, target, .server))
        driver.advance(by: .seconds(2))
        #expect(driver.refusal(of: id) == nil)
        driver.advance(by: .seconds(1))
        #expect(driver.refusal(of: id)?.code == .unavailable)
    }

    @Test func `without a connection a read of what the cache does not know fails`() {
        var driver = RealtimeDriver.started()
        driver.set("a/b", Node(1))  // A part is no answer.
        let id = driver.nextRequest()
        driver.take(.get(id, target, .any))
        driver.advance(by: .seconds(3))
        #expect(driver.answer(to: id) == nil)
        #expect(driver.refusal(of: id)?.code == .unavailable)
        let known = driver.nextRequest()
        driver.take(.get(known, ListenTarget("a/b", .all), .any))
        driver.advance(by: .seconds(3))
        #expect(driver.answer(to: known)?.node == Node(1))
        #expect(driver.answer(to: known)?.isFromCache == true)
    }

    @Test func `a place deeper than the service's is refused, whatever is asked of it`() {
        var driver = RealtimeDriver.started()
        let path = RealtimePath((0..<100_000).map { _ in ChildKey("k") })
        let listener = driver.listen(path)
        #expect(driver.heard[listener]?.error?.code == .invalidArgument)
        let read = driver.nextRequest()
        driver.take(.get(read, ListenTarget(path, .all), .any))
        let order = driver.nextRequest()
        let writer = RealtimeDriver.writer
        driver.take(.onDisconnect(order, .cancel(path), .link, writer))
        let write = driver.set(path, Node(1))
        for request in [read, order, write] {
            #expect(driver.refusal(of: request)?.code == .invalidArgument)
        }
        let transaction = driver.nextRequest()
        driver.take(.runTransaction(transaction, path, showsEstimate: true, writer))
        let isRefused = driver.actions.contains { action in
            if case .transaction(transaction, .failed(let error, _)) = action {
                error.code == .invalidArgument
            } else {
                false
            }
        }
        #expect(isRefused)
    }

    @Test func `a refused read is answered from the cache, if the cache knows the value`() {
        var driver = RealtimeDriver.started()
        driver.service.tree = .reading(#"{"a": {"b": 1}}"#)
        driver.take(.get(driver.nextRequest(), target, .any))
        driver.connect()
        driver.service.refusals = ["a": .permissionDenied, "c": .permissionDenied]
        let (known, server, unknown) = (
            driver.nextRequest(), driver.nextRequest(), driver.nextRequest()
        )
        driver.take(.get(known, target, .any))
        driver.take(.get(server, target, .server))
        driver.take(.get(unknown, ListenTarget("c", .all), .any))
        driver.serve()
        #expect(driver.service.requests.count == 4)
        #expect(driver.answer(to: known)?.node == .reading(#"{"b": 1}"#))
        #expect(driver.answer(to: known)?.isFromCache == true)
        #expect(driver.refusal(of: server)?.code == .permissionDenied)
        #expect(driver.refusal(of: unknown)?.code == .permissionDenied)
    }

    @Test func `a read sees the writes that wait, and a filtered read its own children`() {
        var driver = RealtimeDriver.started()
        driver.service.tree = .reading(#"{"a": {"b": 1, "c": 2, "d": 3}}"#)
        let first = QueryParameters(index: .key, limit: .init(2, from: .first))
        let id = driver.nextRequest()
        driver.take(.get(id, ListenTarget("a", first), .any))
        driver.connect()
        #expect(driver.answer(to: id)?.node == .reading(#"{"b": 1, "c": 2}"#))
        driver.take(.setNetwork(isEnabled: false))
        driver.set("a/b", Node(10))
        let again = driver.nextRequest()
        driver.take(.get(again, ListenTarget("a", first), .any))
        #expect(driver.answer(to: again)?.node == .reading(#"{"b": 10, "c": 2}"#))
    }

    // MARK: A service that keeps the link and answers no read

    /// A connected engine whose cache knows the target.
    private func connected() -> RealtimeDriver {
        var driver = RealtimeDriver.started()
        driver.service.tree = .reading(#"{"a": {"b": 1}}"#)
        driver.take(.get(driver.nextRequest(), target, .any))
        driver.connect()
        return driver
    }

    /// Reads the target; the service answers when it is told to serve.
    private func read(
        _ source: RealtimeSource, _ driver: inout RealtimeDriver
    ) -> RequestID {
        let read = driver.nextRequest()
        driver.take(.get(read, target, source))
        return read
    }

    /// How often a read was answered.
    private func answerCount(_ read: RequestID, _ driver: RealtimeDriver) -> Int {
        driver.actions.count { action in
            if case .answer(read, _, _) = action { true } else { false }
        }
    }

    @Test func `an unanswered read is answered from the cache after ten seconds`() {
        var driver = connected()
        let read = read(.any, &driver)
        driver.advance(by: .milliseconds(9_999))
        #expect(driver.answer(to: read) == nil)
        driver.advance(by: .milliseconds(1))
        #expect(driver.answer(to: read)?.node == .reading(#"{"b": 1}"#))
        #expect(driver.answer(to: read)?.isFromCache == true)
    }

    @Test func `the answer that comes late is for the cache, and for nobody else`() {
        var driver = connected()
        let read = read(.any, &driver)
        driver.advance(by: .seconds(10))
        driver.service.tree = .reading(#"{"a": {"b": 2}}"#)
        driver.serve()
        #expect(answerCount(read, driver) == 1)
        let cached = driver.nextRequest()
        driver.take(.get(cached, target, .cache))
        #expect(driver.answer(to: cached)?.node == .reading(#"{"b": 2}"#))
    }

    @Test func `a read of the service alone, or of what the cache does not know, waits on`() {
        var driver = connected()
        let read = read(.server, &driver)
        let unknown = driver.nextRequest()
        driver.take(.get(unknown, ListenTarget("c", .all), .any))
        driver.advance(by: .seconds(60))
        for request in [read, unknown] {
            #expect(driver.answer(to: request) == nil)
            #expect(driver.refusal(of: request) == nil)
        }
        driver.serve()
        #expect(driver.answer(to: read)?.isFromCache == false)
        #expect(driver.answer(to: unknown)?.isFromCache == false)
    }

    @Test func `requests that a mute service never answers are not kept for reads that are over`() {
        var driver = connected()
        for number in 0..<100 {
            let read = read(.any, &driver)
            driver.advance(by: .seconds(10))
            #expect(driver.answer(to: read)?.isFromCache == true)
            driver.take(.get(driver.nextRequest(of: 2), target, .server))
            driver.take(.disconnected(session: 2))
            #expect(driver.engine.requests.count == 1, "after \(number)")
        }
        driver.serve()
        #expect(driver.engine.requests.isEmpty)
    }

    @Test func `a read that was answered in time is not answered again`() {
        var driver = connected()
        let read = read(.any, &driver)
        driver.serve()
        #expect(driver.answer(to: read)?.isFromCache == false)
        driver.advance(by: .seconds(20))
        #expect(answerCount(read, driver) == 1)
    }

    @Test func `the ten seconds end with the link, and the next link has its own`() {
        var driver = connected()
        let read = read(.any, &driver)
        driver.advance(by: .seconds(8))
        driver.cut()
        driver.advance(by: .milliseconds(2_999))
        #expect(driver.answer(to: read) == nil)
        driver.advance(by: .milliseconds(1))
        #expect(driver.answer(to: read)?.isFromCache == true)
    }
}
