import HearthModel
import Testing

@testable import HearthBackend

struct RealtimeRESTTests {
    @Test func `every verb does what it says`() {
        var spec = RealtimeSpec(#"{"a":{"b":1}}"#)
        _ = spec.listen(1, "/")
        #expect(spec.call(.read, "/a") == .ok(#"{"b":1}"#))
        #expect(spec.call(.read, "/none") == .ok("null"))
        #expect(spec.call(.put(written(#"{".sv":"timestamp"}"#)), "/t") == .ok("1700000000000"))
        #expect(
            spec.call(.merge(children([("b", "2"), ("c/d", "3")])), "/a").body
                == .children(
                    [RealtimeTold(place("b"), node("2")), RealtimeTold(place("c/d"), node("3"))],
                    withPriorities: false))
        #expect(spec.call(.remove, "/t") == .ok("null"))
        #expect(
            spec.told().suffix(3) == [
                "1 d /t 1700000000000", "1 m /a {b:2,c/d:3}", "1 d /t null",
            ])
        #expect(spec.tree == #"{"a":{"b":2,"c":{"d":3}}}"#)
    }

    @Test func `a merge is answered in its own order, with what its server values became`() {
        var spec = RealtimeSpec(#"{"a":{"n":1}}"#)
        let merge = children([
            ("z", "1"), ("b/.priority", "5"), ("b/c", "2"), ("t", #"{".sv":"timestamp"}"#),
            ("n", #"{".sv":{"increment":2}}"#), ("y", "null"),
        ])
        guard case .children(let told, _) = spec.call(.merge(merge), "/a").body else {
            Issue.record("no children")
            return
        }
        #expect(RealtimeSpec.text(told) == "{z:1,b/.priority:5,b/c:2,t:1700000000000,n:3,y:null}")
    }

    @Test func `a priority is read and written by a path of its own`() {
        var spec = RealtimeSpec(#"{"a":{".value":1,".priority":2}}"#)
        #expect(spec.call(.read, "/a/.priority") == .ok("2"))
        #expect(spec.call(.put(written("3")), "/a/.priority") == .ok("3"))
        #expect(spec.call(.read, "/a/.priority") == .ok("3"))
        #expect(spec.call(.remove, "/a/.priority") == .ok("null"))
        #expect(spec.tree == #"{"a":1}"#)
    }

    @Test func `a push makes a new name that sorts behind the ones before`() throws {
        var spec = RealtimeSpec()
        var names: [ChildKey] = []
        for count in 0..<3 {
            guard case .name(let key) = spec.call(.push(written("\(count)")), "/list").body else {
                Issue.record("no name")
                return
            }
            names.append(key)
        }
        #expect(names == names.sorted() && Set(names).count == 3)
        let list = spec.backend.root(of: RealtimeSpec.namespace).child("list")
        #expect(list.children.map(\.node) == [node("0"), node("1"), node("2")])
    }

    @Test func `a tag is told if it is asked for, and tells what was read`() {
        var spec = RealtimeSpec(#"{"a":5}"#)
        let tag = NodeHash.hash(of: node("5"))
        #expect(spec.call(.read, "/a").tag == nil)
        #expect(spec.call(.read, "/a") { $0.wantsTag = true }.tag == tag)
        #expect(spec.call(.read, "/b") { $0.wantsTag = true }.tag == "null_etag")
        let same = spec.call(.read, "/a") { $0.ifNoneMatch = tag }
        #expect(same.status == .notModified && same.body == .none && same.tag == tag)
        let other = spec.call(.read, "/a") { $0.ifNoneMatch = "other" }
        #expect(other.status == .ok && other.tag == tag)
    }

    @Test func `a write on a condition that does not hold tells what is there`() {
        var spec = RealtimeSpec(#"{"a":5}"#)
        let tag = NodeHash.hash(of: node("5"))
        let refused = spec.call(.put(written("6")), "/a") { $0.ifMatch = "wrong" }
        #expect(refused.status == .preconditionFailed && refused.tag == tag)
        #expect(refused.body == .node(node("5"), withPriorities: false))
        #expect(spec.call(.put(written("6")), "/a") { $0.ifMatch = tag }.status == .ok)
        #expect(spec.call(.remove, "/a") { $0.ifMatch = tag }.status == .preconditionFailed)
        #expect(spec.call(.put(written("1")), "/new") { $0.ifMatch = "null_etag" }.status == .ok)
        #expect(spec.call(.merge([]), "/a") { $0.ifMatch = tag }.status == .badRequest)
        #expect(spec.tree == #"{"a":6,"new":1}"#)
    }

    @Test func `silence is an answer without a body, and takes no condition`() throws {
        var spec = RealtimeSpec()
        let silent = try RealtimeCallParameters([(name: "print", value: "silent")])
        let reply = spec.call(.put(written("1")), "/a") { $0.parameters = silent }
        #expect(reply.status == .noContent && reply.body == .none)
        let refused = spec.call(.put(written("2")), "/a") { call in
            call.parameters = silent
            call.ifMatch = "x"
        }
        #expect(refused.status == .badRequest)
        #expect(spec.tree == #"{"a":1}"#)
    }

    @Test func `a shallow read tells the names of children, and of a leaf what it is`() throws {
        var spec = RealtimeSpec(#"{"a":{"x":{"y":1},"z":2},"n":5}"#)
        let shallow = try RealtimeCallParameters([(name: "shallow", value: "true")])
        #expect(spec.call(.read, "/a") { $0.parameters = shallow }.body == .keys(["x", "z"]))
        #expect(spec.call(.read, "/n") { $0.parameters = shallow } == .ok("5"))
        let first = try RealtimeCallParameters([
            (name: "shallow", value: "true"), (name: "limitToFirst", value: "1"),
        ])
        #expect(spec.call(.read, "/a") { $0.parameters = first }.body == .keys(["x"]))
        #expect(spec.call(.read, "/n") { $0.parameters = first } == .ok("5"))
        let rest = try RealtimeCallParameters([
            (name: "shallow", value: "true"), (name: "startAfter", value: "x"),
        ])
        #expect(spec.call(.read, "/a") { $0.parameters = rest }.body == .keys(["z"]))
    }

    @Test func `a query finds what its bounds hold`() throws {
        var spec = RealtimeSpec(#"{"p":\#(RealtimeListeningTests.people)}"#)
        _ = try spec.setRules(#"{".read":true,".write":true,"p":{".indexOn":"age"}}"#)
        func found(_ items: (String, String)...) throws -> [String] {
            let parameters = try RealtimeCallParameters(items.map { (name: $0.0, value: $0.1) })
            let reply = spec.call(.read, "/p") { $0.parameters = parameters }
            guard case .node(let node, _) = reply.body else { return ["\(reply)"] }
            return node.children.map(\.key.text)
        }
        let age = ("orderBy", #""age""#)
        #expect(try found(age, ("startAt", "3")) == ["ann", "dan"])
        #expect(try found(age, ("startAfter", "3")) == ["dan"])
        #expect(try found(age, ("endBefore", "2")) == ["bob"])
        #expect(try found(age, ("equalTo", "2")) == ["cid"])
        #expect(try found(age, ("equalTo", #"2,"cid""#)) == ["cid"])
        #expect(try found(age, ("startAt", #"3,"bob""#)) == ["dan"])
        #expect(try found(age, ("startAfter", #"3,"[MAX_NAME]""#)) == ["dan"])
        #expect(try found(age, ("endBefore", #"2,"[MIN_NAME]""#)) == ["bob"])
        #expect(try found(age, ("limitToLast", "2")) == ["ann", "dan"])
        #expect(try found(age, ("limitToFirst", "3000000000")).count == 4)
        #expect(try found(("orderBy", #""$key""#), ("startAt", #""bx""#)) == ["cid", "dan"])
        #expect(try found(("orderBy", #""$priority""#), ("limitToFirst", "1")) == ["ann"])
    }

    private static let refusedParameters: [([(String, String)], String)] = [
        (
            [("limitToFirst", "1")],
            "orderBy must be defined when other query parameters are defined"
        ),
        ([("orderBy", "age")], "orderBy must be a valid JSON encoded path"),
        ([("orderBy", "\"a.b\"")], "orderBy must be a valid JSON encoded path"),
        (
            [("orderBy", "\"$key\""), ("startAt", "3")],
            "Provided key index type is invalid, must be string"
        ),
        (
            [("orderBy", "\"$key\""), ("startAt", "abc")],
            "Constraint index field must be a JSON primitive"
        ),
        ([("orderBy", "\"a\""), ("limitToFirst", "0")], "limitToFirst must be positive"),
        ([("orderBy", "\"a\""), ("limitToLast", "many")], "limitToLast must be an integer"),
        (
            [("orderBy", "\"a\""), ("limitToFirst", "1"), ("limitToLast", "1")],
            "Only one of limitToFirst and limitToLast may be specified"
        ),
        (
            [("orderBy", "\"a\""), ("startAt", "1"), ("startAfter", "1")],
            "Only one of startAt and startAfter may be specified"
        ),
        (
            [("orderBy", "\"a\""), ("endBefore", "1"), ("equalTo", "1")],
            "equalTo cannot be specified in addition to startAfter, startAt, endAt, or endBefore"
        ),
        (
            [("orderBy", "\"a\""), ("equalTo", "{}")],
            "Constraint index field must be a JSON primitive"
        ),
        (
            [("orderBy", "\"a\""), ("equalTo", "ann")],
            "Constraint index field must be a JSON primitive"
        ),
        (
            [("orderBy", "\"a\""), ("startAt", #"1,"a.b""#)],
            "Constraint key field must be a valid key name"
        ),
        ([("timeout", "16min")], "timeout must be a number with ms, s or min, of at most 15min"),
        ([("print", "loud")], "print has an unknown value"),
    ]

    @Test(arguments: refusedParameters) func `parameters that cannot be are refused`(
        _ items: [(String, String)], _ text: String
    ) {
        #expect(throws: RealtimeRefusal(.failed, text)) {
            try RealtimeCallParameters(items.map { (name: $0.0, value: $0.1) })
        }
    }

    @Test
    func `a query without an index and what rules refuse are errors with the service's texts`()
        throws
    {
        var spec = RealtimeSpec(#"{"a":1}"#)
        let query = try RealtimeCallParameters([(name: "orderBy", value: "\"age\"")])
        let reply = spec.call(.read, "/p") { $0.parameters = query }
        #expect(
            reply.body
                == .error(
                    #"Index not defined, add ".indexOn": "age", for path "/p", to the rules"#))
        #expect(reply.status == .badRequest)
        _ = try spec.setRules(#"{".read":false,".write":false}"#)
        for verb in [RealtimeCall.Verb.read, .put(written("2")), .remove, .push(written("2"))] {
            let reply = spec.call(verb, "/a")
            #expect(reply.status == .unauthorized && reply.body == .error("Permission denied"))
        }
        #expect(spec.call(.read, "/a", by: .admin) == .ok("1"))
        #expect(spec.tree == #"{"a":1}"#)
    }

    @Test func `a stream is told of changes by paths from its own place`() {
        func event(_ change: PushedChange, withPriorities: Bool = false) -> String? {
            RealtimeStreamEvent(change, at: "/a/b", withPriorities: withPriorities).map {
                guard case .node(let node, _) = $0.body else { return "\($0.name) \($0.path)" }
                return "\($0.name) \($0.path) \(node)"
            }
        }
        let child = RealtimeTold(place("c"), node("1"))
        let priority = RealtimeTold(place(".priority"), node("1"))
        #expect(event(.overwrite(place("/a/b"), node("1"))) == "put / 1")
        #expect(event(.overwrite(place("/a/b/c/d"), node("null"))) == "put /c/d null")
        #expect(event(.merge("/a/b", [child])) == "patch /")
        #expect(event(.merge("/a/b/x", [child, priority])) == "patch /x")
        #expect(event(.merge("/a/b/x", [priority])) == nil)
        #expect(event(.merge("/a/b/x", [priority]), withPriorities: true) == "patch /x")
        #expect(event(.overwrite(place("/a/b/.priority"), node("1"))) == nil)
    }

    @Test func `a stream hears what a REST call does, from its own place on`() {
        var spec = RealtimeSpec(#"{"a":{"b":1}}"#)
        _ = spec.watch(1, "/a")
        _ = spec.call(.merge(children([("a/b", "2"), ("z", "3")])), "/")
        #expect(spec.told() == ["1 m /a {b:2}"])
        _ = spec.call(.put(written(#"{"a":7}"#)), "/")
        #expect(spec.told() == ["1 d /a 7"])
    }

    @Test func `an admin asks on behalf of whom they name`() {
        let ann = JSONValue.object([.init(name: "uid", value: .string("ann"))])
        #expect(RealtimeCaller.admin.overridden(by: .null) == .nobody)
        #expect(RealtimeCaller.admin.overridden(by: ann) == .user(ann))
        #expect(RealtimeCaller.nobody.overridden(by: ann) == .nobody)
    }
}

extension RealtimeReply {
    static func ok(_ json: String) -> RealtimeReply {
        RealtimeReply(.ok, .node(node(json), withPriorities: false))
    }
}
