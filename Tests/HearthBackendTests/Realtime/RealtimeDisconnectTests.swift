import HearthModel
import Testing

@testable import HearthBackend

struct RealtimeDisconnectTests {
    @Test func `what a connection left is written when it ends, as one message`() {
        var spec = RealtimeSpec(#"{"a":{"x":1}}"#)
        _ = spec.listen(2, "/")
        #expect(spec.ask(1, .onDisconnectPut(place("/a/x"), written("null"))) == ["ok"])
        #expect(
            spec.ask(
                1,
                .onDisconnectMerge("/b", children([("at", #"{".sv":"timestamp"}"#), ("n", "1")])))
                == ["ok"])
        #expect(spec.tree == #"{"a":{"x":1}}"#)
        spec.now = spec.now.advanced(by: .seconds(5))
        #expect(spec.disconnect(1) == ["2 m / {a/x:null,b/at:1700000005000,b/n:1}"])
        #expect(spec.tree == #"{"b":{"at":1700000005000,"n":1}}"#)
        #expect(spec.disconnect(1) == [])
    }

    @Test func `one write at the end is told as what it is`() {
        var spec = RealtimeSpec()
        _ = spec.listen(2, "/")
        _ = spec.ask(1, .onDisconnectPut(place("/a"), written("1")))
        #expect(spec.disconnect(1) == ["2 d /a 1"])
        _ = spec.ask(3, .onDisconnectMerge("/a", children([("b", "2")])))
        #expect(spec.disconnect(3) == ["2 m /a {b:2}"])
    }

    @Test func `a cancel forgets what was left at a place and below, and nothing else`() {
        var spec = RealtimeSpec()
        _ = spec.ask(1, .onDisconnectPut(place("/a/x"), written("1")))
        _ = spec.ask(1, .onDisconnectMerge("/", children([("a/y", "1"), ("b", "2"), ("c", "3")])))
        _ = spec.ask(1, .onDisconnectPut(place("/b"), written("4")))
        #expect(spec.ask(1, .onDisconnectCancel(place("/a"))) == ["ok"])
        _ = spec.disconnect(1)
        #expect(spec.tree == #"{"b":4,"c":3}"#)
    }

    @Test func `a write for the end is judged when it is left and again when it is made`() throws {
        var spec = RealtimeSpec(#"{"open":true}"#)
        _ = try spec.setRules(
            #"""
            {".read": true, "never": {".write": false}, "open": {".write": true},
             "$other": {".write": "root.child('open').val() === true"}}
            """#)
        _ = spec.listen(2, "/")
        #expect(
            spec.ask(1, .onDisconnectPut(place("/never"), written("1"))) == ["permission_denied"])
        #expect(spec.ask(1, .onDisconnectPut(place("/a"), written("1"))) == ["ok"])
        #expect(spec.ask(3, .onDisconnectPut(place("/b"), written("1"))) == ["ok"])
        #expect(spec.disconnect(3) == ["2 d /b 1"])
        #expect(spec.put(2, "/open", "false").last == "ok")
        #expect(spec.disconnect(1) == [])
        #expect(spec.tree == #"{"b":1,"open":false}"#)
    }

    @Test func `a later write at the end replaces what it covers`() {
        var spec = RealtimeSpec()
        _ = spec.listen(2, "/")
        _ = spec.ask(1, .onDisconnectPut(place("/a/b"), written("1")))
        _ = spec.ask(1, .onDisconnectPut(place("/a"), written(#"{"c":2}"#)))
        _ = spec.ask(1, .onDisconnectPut(place("/a/d"), written("3")))
        #expect(spec.disconnect(1) == [#"2 d /a {"c":2,"d":3}"#])
    }

    @Test func `a connection that has ended hears nothing, and its requests are refused`() {
        var spec = RealtimeSpec()
        _ = spec.listen(1, "/a")
        _ = spec.listen(1, "/a", .byKey(first: 1), tag: 1)
        _ = spec.ask(1, .onDisconnectPut(place("/a"), written(#"{"b":1}"#)))
        #expect(spec.disconnect(1) == [])
        #expect(spec.put(2, "/a", "2") == ["ok"])
        #expect(spec.ask(1, .get("/", .all)) == ["failed"])
        #expect(spec.backend.state(RealtimeSpec.namespace).listens.point(at: "/a") == nil)
    }

    // With a look at all others, 30,000 requests would take some minutes.
    @Test(.timeLimit(.minutes(1)))
    func `a write for the end costs no more for those that were left before`() {
        var writes = DisconnectWrites()
        let count = RealtimeLimits.disconnectWriteCountMax
        // Each write is ordered again, as by a client that repeats its presence.
        for _ in 0..<2 {
            for number in 0..<count {
                if let write = try? RealtimeWrite(place("/users/u\(number)"), written("1")) {
                    writes.append(write)
                }
            }
        }
        #expect(writes.placeCount == count)
        for number in 0..<count { writes.cancel(place("/users/u\(number)")) }
        #expect(writes.placeCount == 0)
        #expect(writes.writes.isEmpty)
    }

    @Test func `a priority left for the end is cancelled with its place, and alone`() {
        var spec = RealtimeSpec(#"{"a":1,"b":2}"#)
        for path in ["/a/.priority", "/b/.priority"] {
            _ = spec.ask(1, .onDisconnectPut(place(path), written("5")))
        }
        _ = spec.ask(1, .onDisconnectCancel(place("/a")))
        _ = spec.ask(1, .onDisconnectPut(place("/b"), written("3")))
        _ = spec.ask(1, .onDisconnectPut(place("/b/.priority"), written("7")))
        _ = spec.ask(1, .onDisconnectCancel(place("/b/.priority")))
        _ = spec.disconnect(1)
        #expect(spec.tree == #"{"a":1,"b":3}"#)
    }

    @Test func `a connection cannot leave writes without end`() {
        var spec = RealtimeSpec()
        let many = (0..<RealtimeLimits.disconnectWriteCountMax).map { ("k\($0)", "1") }
        #expect(spec.ask(1, .onDisconnectMerge("/a", children(many))) == ["ok"])
        #expect(spec.ask(1, .onDisconnectPut(place("/b"), written("1"))) == ["too_big"])
    }
}
