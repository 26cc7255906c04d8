import HearthModel
import Testing

@testable import HearthBackend

struct RealtimeListeningTests {
    static let people = #"{"ann":{"age":3},"bob":{"age":1},"cid":{"age":2},"dan":{"age":4}}"#

    @Test func `a listen is told its data before its answer`() {
        var spec = RealtimeSpec(#"{"rooms":{"a":1}}"#)
        #expect(spec.listen(1, "/rooms") == [#"1 d /rooms {"a":1}"#, "ok"])
        #expect(spec.listen(2, "/none") == ["ok"])
        #expect(spec.watch(2, "/none") == ["2 d /none null", "ok"])
    }

    @Test func `a listen with the hash of what is there is told nothing`() {
        var spec = RealtimeSpec(#"{"rooms":{"a":1,"b":2}}"#)
        let hash = NodeHash.hash(of: node(#"{"a":1,"b":2}"#))
        #expect(spec.listen(1, "/rooms", hash: hash) == ["ok"])
        let one = NodeHash.hash(of: node(#"{"a":1}"#))
        #expect(spec.listen(2, "/rooms", .byKey(first: 1), tag: 1, hash: one) == ["ok"])
        #expect(spec.listen(3, "/rooms", hash: one) == [#"3 d /rooms {"a":1,"b":2}"#, "ok"])
        #expect(spec.put(3, "/rooms/a", "5").contains("1 d /rooms/a 5"))
    }

    @Test func `a listen with hashes of ranges is told only the range that changed`() throws {
        let all = (0..<200).map { #""k\#($0)":"a text that fills some room in its range \#($0)""# }
        let old = node("{" + all.joined(separator: ",") + "}")
        let new = old.settingChild("k77", to: node("7"))
        var spec = RealtimeSpec()
        _ = spec.put(1, "/", String(decoding: new.json(.export), as: UTF8.self))
        let listen = RealtimeListen(
            .root, .all, tag: nil, hash: NodeHash.hash(of: old), ranges: CompoundHash(of: old))
        let answer = spec.backend.take(.listen(listen), from: .init(1), at: spec.now)
        #expect(answer == .listening([]))
        let effects = spec.backend.takeEffects()
        guard case .push(.ranges("/", let merges), _) = effects.last else {
            Issue.record("\(effects.count) effects, and no ranges")
            return
        }
        #expect(merges.count == 1)
        #expect(merges.reduce(old) { $1.applied(to: $0) } == new)
        #expect(merges[0].update.childCount < 30)
    }

    @Test func `a listen with hashes of ranges is told all if no range tells of a priority`() {
        let all = (0..<200).map { #""-k\#($0)":"a text that fills some room, \#($0)""# }
        let old = node("{" + all.joined(separator: ",") + "}")
        let new = old.settingChild("-k77", to: Node(7)).settingPriority(.integer(5))
        var spec = RealtimeSpec()
        _ = spec.put(1, "/", String(decoding: new.json(.export), as: UTF8.self))
        let listen = RealtimeListen(
            .root, .all, tag: nil, hash: NodeHash.hash(of: old), ranges: CompoundHash(of: old))
        #expect(spec.backend.take(.listen(listen), from: .init(1), at: spec.now) == .listening([]))
        guard case .push(.overwrite(_, let told), _)? = spec.backend.takeEffects().last else {
            Issue.record("The priority is not told")
            return
        }
        #expect(told.priority == .integer(5) && told.child("-k77") == Node(7))
    }

    @Test func `a listen that was ended is told nothing more`() {
        var spec = RealtimeSpec()
        _ = spec.listen(1, "/a")
        _ = spec.listen(1, "/a", .byKey(first: 2), tag: 1)
        #expect(spec.ask(1, .unlisten("/a", .all, tag: nil)) == ["ok"])
        #expect(spec.put(2, "/a/x", "1") == ["1 d /a/x t1 1", "ok"])
        #expect(spec.ask(1, .unlisten("/a", .byKey(first: 2), tag: 1)) == ["ok"])
        #expect(spec.put(2, "/a/x", "2") == ["ok"])
        #expect(spec.ask(1, .unlisten("/a", .all, tag: nil)) == ["ok"])
    }

    @Test func `the same listen again is told again, and one end ends it`() {
        var spec = RealtimeSpec(#"{"a":1}"#)
        #expect(spec.listen(1, "/a") == ["1 d /a 1", "ok"])
        #expect(spec.listen(1, "/a") == ["1 d /a 1", "ok"])
        #expect(spec.put(2, "/a", "2") == ["1 d /a 2", "ok"])
        _ = spec.ask(1, .unlisten("/a", .all, tag: nil))
        #expect(spec.put(2, "/a", "3") == ["ok"])
    }

    @Test func `two queries for everything at one place are told once, and end one by one`() {
        var spec = RealtimeSpec()
        let byAge = QueryParameters(index: .child("age"))
        _ = spec.listen(1, "/a")
        _ = spec.listen(1, "/a", byAge)
        #expect(spec.put(2, "/a", "2") == ["1 d /a 2", "ok"])
        _ = spec.ask(1, .unlisten("/a", .all, tag: nil))
        #expect(spec.put(2, "/a", "3") == ["1 d /a 3", "ok"])
        _ = spec.ask(1, .unlisten("/a", byAge, tag: nil))
        #expect(spec.put(2, "/a", "4") == ["ok"])
    }

    @Test func `a filtered listen is told with its tag what its query finds`() {
        var spec = RealtimeSpec(#"{"p":\#(Self.people)}"#)
        let young = QueryParameters(index: .child("age"), end: .init(2))
        #expect(
            spec.listen(1, "/p", young, tag: 4)
                == [#"1 d /p t4 {"bob":{"age":1},"cid":{"age":2}}"#, "ok no_index"])
        #expect(spec.put(2, "/p/dan/age", "0") == [#"1 d /p/dan t4 {"age":0}"#, "ok"])
        #expect(spec.put(2, "/p/dan/name", "\"Dan\"") == [#"1 d /p/dan/name t4 "Dan""#, "ok"])
        #expect(spec.put(2, "/p/bob/age", "9") == ["1 d /p/bob t4 null", "ok"])
        #expect(spec.put(2, "/p/ann/age", "8") == ["ok"])
        #expect(
            spec.put(2, "/p", #"{"x":{"age":1},"y":{"age":7}}"#)
                == [#"1 d /p t4 {"x":{"age":1}}"#, "ok"])
        #expect(spec.put(2, "/p", "5") == ["1 d /p t4 null", "ok"])
        #expect(spec.put(2, "/p/z/age", "1") == [#"1 d /p/z t4 {"age":1}"#, "ok"])
    }

    @Test func `a limit whose window moves is told in one message who comes and who goes`() {
        var spec = RealtimeSpec(#"{"q":{"b":1,"d":2,"f":3}}"#)
        #expect(
            spec.listen(1, "/q", .byKey(first: 2), tag: 1) == [#"1 d /q t1 {"b":1,"d":2}"#, "ok"])
        #expect(
            spec.listen(2, "/q", .byKey(last: 2), tag: 1) == [#"2 d /q t1 {"d":2,"f":3}"#, "ok"])
        #expect(spec.put(3, "/q/a", "0") == ["1 m /q t1 {a:0,d:null}", "ok"])
        #expect(
            spec.put(3, "/q/a", "null") == ["1 m /q t1 {a:null,d:2}", "ok"])
        #expect(spec.put(3, "/q/g", "4") == ["2 m /q t1 {g:4,d:null}", "ok"])
        #expect(
            Set(spec.merge(3, "/q", ("d", "null"), ("f", "null")))
                == ["1 m /q t1 {d:null,g:4}", "2 m /q t1 {f:null,b:1}", "ok"])
    }

    @Test func `a query in the order of priorities follows the first priority and the last`() {
        var spec = RealtimeSpec(#"{"q":{"a":1,"b":2,"c":3}}"#)
        let two = QueryParameters(limit: .init(2, from: .first))
        #expect(spec.listen(1, "/q", two, tag: 1) == [#"1 d /q t1 {"a":1,"b":2}"#, "ok"])
        #expect(
            spec.put(2, "/q/a/.priority", "5") == ["1 m /q t1 {a:null,c:3}", "ok"])
        #expect(spec.put(2, "/q/c/.priority", "-1") == ["1 d /q/c/.priority t1 -1", "ok"])
        #expect(
            spec.put(2, "/q/c/.priority", "9") == [
                #"1 m /q t1 {c:null,a:{".value":1,".priority":5}}"#, "ok",
            ])
        #expect(spec.put(2, "/q/c/.priority", "null") == ["1 m /q t1 {c:3,a:null}", "ok"])
        #expect(spec.put(2, "/q/a/.priority", "null") == ["1 m /q t1 {a:1,c:null}", "ok"])
    }

    @Test func `a get finds what its query asks for, and demands an index`() throws {
        var spec = RealtimeSpec(#"{"p":\#(Self.people)}"#)
        let oldest = QueryParameters(index: .child("age"), limit: .init(1, from: .last))
        #expect(spec.get("/p", .byKey(last: 1)) == [#"{"dan":{"age":4}}"#])
        #expect(spec.get("/p/ann/age") == ["3"])
        #expect(spec.get("/p", oldest) == ["failed"])
        _ = try spec.setRules(#"{".read":true,".write":true,"p":{".indexOn":"age"}}"#)
        #expect(spec.get("/p", oldest) == [#"{"dan":{"age":4}}"#])
        _ = spec.put(1, "/p/bob/age", "50")
        #expect(spec.get("/p", oldest) == [#"{"bob":{"age":50}}"#])
        #expect(spec.listen(1, "/p", oldest, tag: 1).last == "ok")
    }

    @Test func `the refusal of a query without an index says what to add to the rules`() {
        var spec = RealtimeSpec()
        let query = QueryParameters(index: .child("a/b"), limit: .init(1, from: .last))
        let answer = spec.backend.take(.get("/x/y", query), from: .init(1), at: spec.now)
        #expect(
            answer
                == .refused(
                    RealtimeRefusal(
                        .failed,
                        #"Index not defined, add ".indexOn": "a/b", for path "/x/y", to the rules"#)
                ))
    }

    @Test func `a listen that the rules refuse is not there`() throws {
        var spec = RealtimeSpec(#"{"a":1,"b":2}"#)
        _ = try spec.setRules(#"{".write":true,"a":{".read":true}}"#)
        #expect(spec.listen(1, "/b") == ["permission_denied"])
        #expect(spec.get("/") == ["permission_denied"])
        #expect(spec.put(2, "/b", "3") == ["ok"])
        #expect(spec.listen(1, "/a") == ["1 d /a 1", "ok"])
    }

    @Test func `new rules and another user end the listens that are no longer allowed`() throws {
        var spec = RealtimeSpec(#"{"a":1,"b":2}"#)
        _ = spec.authenticate(1, as: "ann")
        _ = spec.authenticate(3, as: "owner")
        for connection in 1...3 { _ = spec.listen(connection, "/a") }
        _ = spec.listen(1, "/b", .byKey(first: 1), tag: 9)
        let rules = #"{".write":true,"a":{".read":"auth.uid === 'ann'"}}"#
        #expect(try spec.setRules(rules).sorted() == ["1 c /b t9 q", "2 c /a"])
        #expect(spec.put(2, "/a", "2") == ["1 d /a 2", "3 d /a 2", "ok"])
        #expect(spec.ask(1, .unauthenticate) == ["1 c /a", "ok"])
        #expect(spec.put(2, "/a", "3") == ["3 d /a 3", "ok"])
        #expect(spec.put(2, "/b/x", "3") == ["ok"])
    }

    @Test func `a change of one child of many does not sort the others`() {
        var spec = RealtimeSpec()
        let all = (0..<2_000).map { "\"k\($0)\":{\"n\":\($0)}" }.joined(separator: ",")
        _ = spec.put(1, "/big", "{\(all)}")
        let query = QueryParameters(index: .child("n"), limit: .init(2, from: .last))
        _ = spec.listen(1, "/big", query, tag: 1)
        #expect(
            spec.put(2, "/big/k5/n", "5000")
                == [#"1 m /big t1 {k5:{"n":5000},k1998:null}"#, "ok"])
        let state = spec.backend.state(RealtimeSpec.namespace)
        let order = state.listens.point(at: "/big")?.order(by: .child("n"))
        #expect(order?.count == 2_000)
        _ = spec.ask(1, .unlisten("/big", query, tag: 1))
        let left = spec.backend.state(RealtimeSpec.namespace).listens.point(at: "/big")
        #expect(left == nil, "An undeclared order outlived its query")
    }
}

extension QueryParameters {
    static func byKey(first count: Int) -> QueryParameters {
        QueryParameters(index: .key, limit: .init(count, from: .first))
    }

    static func byKey(last count: Int) -> QueryParameters {
        QueryParameters(index: .key, limit: .init(count, from: .last))
    }
}
