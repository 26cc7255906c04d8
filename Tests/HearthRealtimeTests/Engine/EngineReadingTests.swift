import HearthEngine
import HearthModel
import HearthRealtime
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

    @Test func `without a connection a read of the service alone fails after three seconds`() {
        var driver = RealtimeDriver.started()
        let id = driver.nextRequest()
        driver.take(.get(id, target, .server))
        driver.advance(by: .seconds(2))
        #expect(driver.refusal(of: id) == nil)
        driver.advance(by: .seconds(1))
        #expect(driver.refusal(of: id)?.code == .unavailable)
    }

    @Test func `a refused read is refused, whatever the cache has`() {
        var driver = RealtimeDriver.started()
        driver.service.refusals["a"] = .permissionDenied
        let id = driver.nextRequest()
        driver.take(.get(id, target, .any))
        driver.connect()
        #expect(driver.refusal(of: id)?.code == .permissionDenied)
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
}
