import HearthEngine
import HearthModel
import HearthRealtime
import Testing

/// The host of the next WebSocket.
struct LinkHostTests {
    private static let shard = "s-usc1c-nss-201.firebaseio.com"

    @Test func `the host that hello names is the next one`() {
        var run = LinkRun()
        _ = run.open()
        _ = run.show(nil)
        _ = run.hello(from: Self.shard)
        _ = run.end()
        _ = run.open(StreamNumber(8))
        #expect(run.show(nil).addresses == [LinkAddress(host: Self.shard, lastSession: "s1")])
    }

    @Test func `a named host that cannot be reached is forgotten, and the configured one tried`() {
        var run = LinkRun()
        _ = run.open()
        _ = run.show(nil)
        _ = run.hello(from: Self.shard)
        _ = run.end()
        _ = run.open(StreamNumber(8))
        _ = run.show(nil)
        let error = HearthError(code: .unavailable, message: "refused")
        let again = run.end(error)
        #expect(again.told == [])
        #expect(again.addresses.map(\.host) == [LinkRun.host])
        #expect(run.end(error).told == [.closed(StreamNumber(8), error)])
    }

    @Test func `a named host that is silent is forgotten too`() {
        var run = LinkRun()
        _ = run.open()
        _ = run.show(nil)
        _ = run.hello(from: Self.shard)
        _ = run.end()
        _ = run.open(StreamNumber(8))
        _ = run.show(nil)
        #expect(run.fire(.greeting).addresses.map(\.host) == [LinkRun.host])
    }

    @Test func `a reset before the link is open leads to the host at once`() {
        var run = LinkRun()
        _ = run.open()
        _ = run.show(LinkRun.credential())
        let moved = run.hear(.reset(host: Self.shard))
        #expect(moved.told == [])
        #expect(moved.contains(.disconnect(SocketNumber(1))))
        #expect(moved.addresses.map(\.host) == [Self.shard])
        #expect(run.machine.ended(SocketNumber(1), nil).isEmpty)
        _ = run.hello(from: Self.shard)
        #expect(run.answer(3).told == [])
        #expect(run.answer(2).told == [.opened(LinkRun.number, serverTimeOffset: 0)])
    }

    @Test func `a reset of an open link ends the link in good order`() {
        var run = LinkRun()
        _ = run.opened()
        #expect(run.hear(.reset(host: Self.shard)).told == [.closed(LinkRun.number, nil)])
        _ = run.open(StreamNumber(8))
        #expect(run.show(nil).addresses.map(\.host) == [Self.shard])
    }

    @Test func `a service that sends us around for ever is given up`() {
        var run = LinkRun()
        _ = run.open()
        var actions = run.show(nil)
        var hosts: [String] = []
        for round in 0..<100 where actions.closing == nil {
            hosts += actions.addresses.map(\.host)
            actions = run.hear(.reset(host: "s-\(round).firebaseio.com"))
        }
        #expect(hosts.count == LinkLimits.moveCountMax + 1)
        #expect(actions.failure?.code == .unavailable)
    }

    @Test(arguments: [
        "evil.example", "firebaseio.com", ".firebaseio.com", "evilfirebaseio.com", "", "localhost",
        "a.firebaseio.com:80", "a/b.firebaseio.com", "a@b.firebaseio.com", "ä.firebaseio.com",
        "a.firebaseio.com.", String(repeating: "a", count: 300) + ".firebaseio.com",
    ])
    func `no token is shown outside the configured domain`(host: String) {
        var run = LinkRun()
        _ = run.open()
        _ = run.show(nil)
        _ = run.hello(from: host)
        _ = run.end()
        _ = run.open(StreamNumber(8))
        #expect(run.show(nil).addresses.map(\.host) == [LinkRun.host])
        #expect(run.hear(.reset(host: host)).addresses.map(\.host) == [LinkRun.host])
    }

    @Test(arguments: [
        "localhost:9000", "127.0.0.1:9000", "127.0.0.1", "a.b.example:80", "localhost",
    ])
    func `an emulator is never left`(emulator: String) {
        var run = LinkRun(host: emulator)
        _ = run.open()
        _ = run.show(nil)
        _ = run.hello(from: Self.shard)
        _ = run.end()
        _ = run.open(StreamNumber(8))
        #expect(run.show(nil).addresses.map(\.host) == [emulator])
    }

    @Test func `a region's host stays in the region`() {
        var run = LinkRun(host: "demo.europe-west1.firebasedatabase.app")
        _ = run.open()
        _ = run.show(nil)
        let shard = "s-gke-euw1-nssi3-2.europe-west1.firebasedatabase.app"
        _ = run.hello(from: shard)
        _ = run.end()
        _ = run.open(StreamNumber(8))
        #expect(run.show(nil).addresses.map(\.host) == [shard])
    }

    @Test func `a session is told to the service again, unless it is beyond measure`() {
        var run = LinkRun()
        _ = run.open()
        _ = run.show(nil)
        _ = run.hello(session: String(repeating: "s", count: 513))
        _ = run.end()
        _ = run.open(StreamNumber(8))
        #expect(run.show(nil).addresses.map(\.lastSession) == [nil])
    }
}
