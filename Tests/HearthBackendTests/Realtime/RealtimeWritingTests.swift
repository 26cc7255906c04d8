import HearthModel
import Testing

@testable import HearthBackend

struct RealtimeWritingTests {
    @Test func `a writer's own listener hears of a write before it is acknowledged`() {
        var spec = RealtimeSpec()
        #expect(spec.listen(1, "/a") == ["ok"])
        #expect(spec.put(1, "/a/b", "1") == ["1 d /a/b 1", "ok"])
        #expect(spec.tree == #"{"a":{"b":1}}"#)
    }

    @Test
    func `who listens below hears what it became there, and who is not concerned hears nothing`() {
        var spec = RealtimeSpec(#"{"a":{"b":{"c":1},"d":2}}"#)
        _ = spec.listen(1, "/a/b/c")
        _ = spec.listen(2, "/a/d")
        _ = spec.listen(3, "/")
        #expect(
            spec.put(1, "/a", #"{"b":{"c":7},"d":2}"#) == [
                #"3 d /a {"b":{"c":7},"d":2}"#, "1 d /a/b/c 7", "ok",
            ])
    }

    @Test func `a write that changes nothing is told nobody and not saved`() {
        var spec = RealtimeSpec(#"{"a":1}"#)
        _ = spec.listen(1, "/")
        #expect(spec.put(2, "/a", "1") == ["ok"])
        #expect(spec.saves.isEmpty)
    }

    @Test func `a multi-path update reaches each listener as one message`() {
        var spec = RealtimeSpec()
        _ = spec.listen(1, "/")
        _ = spec.listen(2, "/rooms")
        _ = spec.listen(3, "/rooms/a/name")
        #expect(
            spec.merge(1, "/", ("rooms/a", #"{"name":"x"}"#), ("rooms/b/n", "2"), ("log/k", "true"))
                == [
                    #"1 m / {log/k:true,rooms/a:{"name":"x"},rooms/b/n:2}"#,
                    #"2 m /rooms {a:{"name":"x"},b/n:2}"#, #"3 d /rooms/a/name "x""#, "ok",
                ])
    }

    @Test func `a connection with listens above each other is told once`() {
        var spec = RealtimeSpec()
        _ = spec.listen(1, "/")
        _ = spec.listen(1, "/a")
        _ = spec.listen(1, "/a/b")
        #expect(spec.put(2, "/a", #"{"b":1}"#) == [#"1 d /a {"b":1}"#, "ok"])
        #expect(spec.put(2, "/a/b", "2") == ["1 d /a/b 2", "ok"])
    }

    @Test func `an update that writes a place and one below it is refused`() {
        var spec = RealtimeSpec()
        #expect(spec.merge(1, "/", ("a", "1"), ("a/b", "2")) == ["failed"])
        #expect(spec.merge(1, "/", ("a", "1"), ("a/.priority", "2")) == ["failed"])
        #expect(spec.merge(1, "/") == ["ok"])
        #expect(spec.tree == "null")
    }

    @Test func `a conditional put that fails comes after the data that its listener needs`() {
        var spec = RealtimeSpec(#"{"n":1}"#)
        _ = spec.listen(1, "/n")
        let old = NodeHash.hash(of: node("1"))
        #expect(spec.put(2, "/n", "2", ifHash: old) == ["1 d /n 2", "ok"])
        #expect(spec.put(1, "/n", "2", ifHash: old) == ["datastale"])
        #expect(spec.put(1, "/new", "2", ifHash: "") == ["ok"])
        #expect(spec.put(1, "/new", "3", ifHash: "") == ["datastale"])
        #expect(spec.tree == #"{"n":2,"new":2}"#)
    }

    @Test func `all timestamps of one request are one, and listeners hear what they became`() {
        var spec = RealtimeSpec(#"{"n":5}"#)
        _ = spec.listen(1, "/")
        #expect(
            spec.merge(
                2, "/", ("at", #"{".sv":"timestamp"}"#), ("n", #"{".sv":{"increment":2}}"#),
                ("too", #"{".sv":"timestamp"}"#))
                == ["1 m / {at:1700000000000,n:7,too:1700000000000}", "ok"])
    }

    @Test func `a priority is written by itself, and only where something is`() {
        var spec = RealtimeSpec(#"{"a":{"b":1}}"#)
        _ = spec.listen(1, "/")
        _ = spec.listen(2, "/a/b")
        #expect(spec.put(1, "/a/.priority", "3") == ["1 d /a/.priority 3", "ok"])
        #expect(spec.tree == #"{"a":{".priority":3,"b":1}}"#)
        #expect(spec.put(1, "/a/.priority", "true") == ["failed"])
        #expect(spec.put(1, "/x/.priority", "3") == ["ok"])
        #expect(spec.put(1, "/a/.priority", "null") == ["1 d /a/.priority null", "ok"])
        #expect(spec.tree == #"{"a":{"b":1}}"#)
    }

    @Test func `a priority and children in one update are told as one node`() {
        var spec = RealtimeSpec()
        _ = spec.listen(1, "/")
        #expect(
            spec.merge(1, "/", ("a/.priority", "3"), ("a/b", "1"), ("c", "2"))
                == [#"1 m / {a:{".priority":3,"b":1},c:2}"#, "ok"])
        #expect(
            spec.merge(1, "/a", (".priority", "4"), ("d", "1"))
                == [#"1 d /a {".priority":4,"b":1,"d":1}"#, "ok"])
    }

    @Test func `what is saved says all that changed, with the parents that go or give way`() {
        var spec = RealtimeSpec(#"{"a":{"b":{"c":1}},"x":{".value":1,".priority":2}}"#)
        _ = spec.put(1, "/a/b/c", "null")
        _ = spec.put(1, "/x/y", "7")
        _ = spec.put(1, "/x/z", "8")
        _ = spec.put(1, "/x/.priority", "null")
        #expect(
            spec.saves == ["/a null", #"/x {".priority":2,"y":7}"#, "/x/z 8", "/x/.priority null"])
    }

    @Test func `nothing is written to .info or too deep`() {
        var spec = RealtimeSpec()
        let deep = RealtimePath((0..<33).map { ChildKey(unchecked: "k\($0)") })
        #expect(spec.ask(1, .put(WritePath(deep), written("1"), hash: nil)) == ["failed"])
        #expect(spec.ask(1, .put(WritePath(.info), written("1"), hash: nil)) == ["failed"])
        #expect(spec.merge(1, .info, ("connected", "true")) == ["failed"])
        #expect(WritePath("/.info/connected") == nil)
        #expect(spec.tree == "null")
    }

    @Test func `a write that the rules refuse changes nothing`() throws {
        var spec = RealtimeSpec(#"{"a":1}"#)
        _ = spec.listen(2, "/")
        _ = try spec.setRules(
            #"{".read":true,"a":{".write":"auth.uid === 'ann'"},"$other":{".write":true}}"#)
        #expect(spec.put(1, "/a", "2") == ["permission_denied"])
        #expect(spec.merge(1, "/", ("a", "2"), ("b", "2")) == ["permission_denied"])
        #expect(spec.put(1, "/a", "2", ifHash: "wrong") == ["permission_denied"])
        #expect(spec.tree == #"{"a":1}"#)
        #expect(spec.authenticate(1, as: "ann") == ["ok"])
        #expect(spec.put(1, "/a", "2") == ["2 d /a 2", "ok"])
        #expect(spec.authenticate(3, as: "owner") == ["ok"])
        #expect(spec.put(3, "/a", "3") == ["2 d /a 3", "ok"])
    }

    @Test func `one change to a thousand listeners is one value, and looks at one place`() {
        var spec = RealtimeSpec(connections: 1_000)
        for id in 1...1_000 { _ = spec.listen(id, "/rooms") }
        for id in 1...1_000 { _ = spec.listen(id, RealtimePath([ChildKey(unchecked: "own\(id)")])) }
        _ = spec.put(1, "/rooms/a", "1")
        let before = spec.backend.state(RealtimeSpec.namespace).examinedCount
        _ = spec.backend.take(
            .put(place("/rooms/a"), written("2"), hash: nil), from: .init(1), at: spec.now)
        let pushes = spec.backend.takeEffects().compactMap { effect -> Int? in
            if case .push(_, let listeners) = effect { listeners.count } else { nil }
        }
        #expect(pushes == [1_000])
        #expect(spec.backend.state(RealtimeSpec.namespace).examinedCount - before == 2)
    }
}
