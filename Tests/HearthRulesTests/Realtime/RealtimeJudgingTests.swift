import HearthModel
import HearthRules
import Testing

/// The rules that are asked about a request, and their effect.
struct RealtimeJudgingTests {
    @Test func `a read is granted by any place on the way, and by nothing below`() throws {
        let spec = try RealtimeSpec(
            """
            {"rules": {"open": {".read": true, "shut": {".read": false}},
                       "rooms": {"$r": {".read": "$r == 'hall' && data.child('n').val() == 1"}}}}
            """, data: #"{"rooms": {"hall": {"n": 1}, "attic": {"n": 1}}}"#)
        #expect(spec.read("open/shut/deep").isAllowed)
        #expect(spec.read("open").isAllowed)
        #expect(!spec.read().isAllowed)
        #expect(!spec.read("rooms").isAllowed)
        #expect(spec.read("rooms/hall").isAllowed)
        #expect(spec.read("rooms/hall/n").isAllowed)
        #expect(spec.read("rooms/attic") == .denied([".read of /rooms/attic: false @ L2"]))
        #expect(spec.read("nowhere") == .denied([]))
    }

    @Test func `without rules nobody may do anything`() throws {
        let spec = try RealtimeSpec(#"{"rules": {}}"#)
        #expect(spec.read() == .denied([]))
        #expect(try spec.write("a", "1") == .denied([]))
    }

    @Test func `the open rules let everybody do everything`() throws {
        var request = RealtimeRuleRequest(auth: .null, now: 0)
        let rules = RealtimeRuleSet.open
        #expect(rules.decideRead(at: "a", of: .empty, &request).isAllowed)
        #expect(rules.decideWrite(at: ["a"], from: .empty, to: .empty, &request).isAllowed)
    }

    @Test func `a name wins over a wildcard, even if it has no rule`() throws {
        let spec = try RealtimeSpec(
            #"{"rules": {"$any": {".read": true}, "own": {"x": {".read": true}}}}"#)
        #expect(spec.read("other").isAllowed)
        #expect(!spec.read("own").isAllowed)
        #expect(spec.read("own/x").isAllowed)
    }

    @Test func `wildcards of one path are told apart`() throws {
        let spec = try RealtimeSpec(
            """
            {"rules": {"$a": {"b": {"$c": {".read": "$a == 'x' && $c == 'y'"}}}}}
            """)
        #expect(spec.read("x/b/y").isAllowed)
        #expect(!spec.read("y/b/x").isAllowed)
    }

    @Test func `a write sees what was and what will be`() throws {
        let spec = try RealtimeSpec(
            """
            {"rules": {"n": {".write": "newData.val() == data.val() + 1
              && root.child('n').val() == data.val() && newData.parent().child('m').val() == 7"}}}
            """, data: #"{"n": 4, "m": 7}"#)
        #expect(try spec.write("n", "5").isAllowed)
        #expect(try !spec.write("n", "6").isAllowed)
        #expect(try !spec.write("", "5").isAllowed)
    }

    @Test func `a write below a leaf sees the leaf gone`() throws {
        let spec = try RealtimeSpec(
            """
            {"rules": {"a": {".write": "data.isString() && newData.hasChildren()",
                             "b": {".validate": "newData.isNumber()"}}}}
            """, data: #"{"a": "leaf"}"#)
        #expect(try spec.write("a/b", "1").isAllowed)
        #expect(try !spec.write("a/b", #""x""#).isAllowed)
    }

    @Test func `every validation on the way and within must hold`() throws {
        let spec = try RealtimeSpec(
            """
            {"rules": {".write": true, ".validate": "newData.hasChildren(['kind'])",
              "rooms": {".validate": "newData.hasChildren()",
                "$r": {".validate": "newData.hasChildren(['n'])",
                  "n": {".validate": "newData.isNumber()"},
                  "$other": {".validate": false}}}}}
            """, data: #"{"kind": 1, "rooms": {"hall": {"n": 1}}}"#)
        #expect(try spec.write("rooms/hall/n", "2").isAllowed)
        #expect(try spec.write("rooms/hall", #"{"n": 2}"#).isAllowed)
        #expect(try spec.write("rooms", #"{"a": {"n": 2}, "b": {"n": 3}}"#).isAllowed)
        #expect(try !spec.write("rooms", #"{"a": {"n": 2}, "b": {"n": "x"}}"#).isAllowed)
        #expect(try !spec.write("rooms/hall/n", "true").isAllowed)
        #expect(try !spec.write("rooms/hall/m", "2").isAllowed)
        #expect(try !spec.write("rooms/attic", #"{"m": 2}"#).isAllowed)
        #expect(try !spec.write("", #"{"rooms": {"a": {"n": 2}}}"#).isAllowed)
        #expect(
            try spec.write("rooms/hall", #"{"n": "x"}"#)
                == .denied([".validate of /rooms/hall/n: false @ L4"]))
    }

    @Test func `what is deleted is not validated, nor is what lies around it`() throws {
        let spec = try RealtimeSpec(
            """
            {"rules": {".write": true, "a": {".validate": "newData.hasChildren(['n'])",
                                             "n": {".validate": "newData.val() > 0"}}}}
            """, data: #"{"a": {"n": 1, "m": 1}}"#)
        #expect(try spec.write("a/n", "null").isAllowed)
        #expect(try spec.write("a", "null").isAllowed)
        #expect(try spec.write("a/m", "2").isAllowed)
        #expect(try !spec.write("a", #"{"m": 1}"#).isAllowed)
        #expect(try spec.write("a", #"{"n": 1, "m": null}"#).isAllowed)
        #expect(try !spec.write("a/n", "0").isAllowed)
    }

    @Test func `what is granted above is not asked for again below, but validated`() throws {
        let spec = try RealtimeSpec(
            """
            {"rules": {"a": {".write": true, "b": {".write": false,
                                                   ".validate": "newData.isString()"}}}}
            """)
        #expect(try spec.write("a/b", "\"x\"").isAllowed)
        #expect(try !spec.write("a/b", "1").isAllowed)
    }

    @Test func `paths of one update are judged with the database as it is after all of them`()
        throws
    {
        let spec = try RealtimeSpec(
            """
            {"rules": {"a": {".write": "newData.parent().child('b').exists()"},
                       "b": {".write": "newData.parent().child('a').exists()"},
                       "c": {".write": false}}}
            """)
        #expect(try spec.update([("a", "1"), ("b", "1")]).isAllowed)
        #expect(try !spec.write("a", "1").isAllowed)
        #expect(try !spec.update([("a", "1"), ("b", "1"), ("c", "1")]).isAllowed)
        #expect(try spec.update([]).isAllowed)
    }

    @Test func `a priority is part of what is written`() throws {
        let spec = try RealtimeSpec(
            #"{"rules": {"a": {".write": "newData.getPriority() > data.getPriority()"}}}"#,
            data: #"{"a": {".value": 1, ".priority": 3}}"#)
        #expect(try spec.write("a", #"{".value": 1, ".priority": 4}"#).isAllowed)
        #expect(try !spec.write("a", #"{".value": 1, ".priority": 2}"#).isAllowed)
        #expect(try !spec.write("a", "1").isAllowed)
    }

    @Test func `indexes are those of the place, by its name before its wildcard`() throws {
        let rules = try RealtimeRuleSet(
            """
            {"rules": {".indexOn": ".value", "rooms": {".indexOn": ["n", "deep/er"]},
                       "$any": {".indexOn": "w", "in": {"$r": {".indexOn": "z"}}}}}
            """)
        #expect(rules.indexes(at: .root) == [.value])
        #expect(rules.hasIndex(.child("n"), at: "rooms"))
        #expect(rules.hasIndex(.child("deep/er"), at: "rooms"))
        #expect(!rules.hasIndex(.child("w"), at: "rooms"))
        #expect(!rules.hasIndex(.value, at: "rooms"))
        #expect(rules.hasIndex(.child("w"), at: "halls"))
        #expect(rules.hasIndex(.child("z"), at: "halls/in/x"))
        #expect(rules.indexes(at: "halls/out/x").isEmpty)
        #expect(rules.indexes(at: "rooms/n/m").isEmpty)
    }
}
