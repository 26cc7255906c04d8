import HearthModel
import Testing

@testable import HearthBackend

struct RealtimeAccessTests {
    private static let namespace = RealtimeSpec.namespace

    @Test func `rules that are none are refused, and those before stay`() throws {
        var spec = RealtimeSpec()
        _ = try spec.setRules(#"{".read":false}"#)
        let error = try #require(throws: RealtimeRefusal.self) {
            try spec.setRules(#"{".read":"auth.uid +"}"#)
        }
        #expect(error.reason.hasPrefix("1:") && error.reason.hasSuffix("\n"))
        #expect(throws: error) {
            try RealtimeBackend.checkRules(#"{"rules":{".read":"auth.uid +"}}"#)
        }
        #expect(spec.get("/") == ["permission_denied"])
        #expect(spec.backend.rules(of: Self.namespace) == #"{"rules":{".read":false}}"#)
    }

    @Test func `rules see what a query asks for, and the order of keys where there is none`() throws
    {
        var spec = RealtimeSpec(#"{"p":{"a":1,"b":2}}"#)
        _ = try spec.setRules(
            #"""
            {"p": {".read": "query.orderByKey && query.limitToFirst <= 1"},
             "q": {".read": "query.orderByKey"}}
            """#
        )
        #expect(spec.get("/p") == ["permission_denied"])
        #expect(spec.get("/p", .byKey(first: 2)) == ["permission_denied"])
        #expect(spec.get("/p", .byKey(last: 1)) == ["permission_denied"])
        #expect(spec.get("/p", .byKey(first: 1)) == [#"{"a":1}"#])
        #expect(spec.get("/q") == ["null"])
        #expect(
            spec.get("/q", QueryParameters(limit: .init(1, from: .first)))
                == ["permission_denied"])
    }

    @Test func `what is written is held to the rules above it, and a deletion is not`() throws {
        var spec = RealtimeSpec(#"{"a":{"b":1}}"#)
        _ = try spec.setRules(
            #"{".write":true,"a":{".validate":"newData.hasChildren(['b'])"}}"#)
        #expect(spec.put(1, "/a/c", "2") == ["ok"])
        #expect(spec.put(1, "/a/b", "null") == ["ok"])
        #expect(spec.put(1, "/a/c", "3") == ["permission_denied"])
        #expect(spec.put(1, "/a", "5") == ["permission_denied"])
    }

    @Test func `the time of a request is the same in its rules and in what it writes`() throws {
        var spec = RealtimeSpec()
        _ = try spec.setRules(#"{"t":{".write":"newData.val() === now"}}"#)
        #expect(spec.put(1, "/t", #"{".sv":"timestamp"}"#) == ["ok"])
        #expect(spec.put(1, "/t", "1") == ["permission_denied"])
    }

    @Test func `what rules come to is counted from when they are given`() throws {
        var spec = RealtimeSpec()
        _ = try spec.setRules(#"{".read":"auth != null"}"#)
        _ = spec.get("/")
        _ = spec.get("/")
        func counts() -> [Int64?] {
            let rules = spec.backend.ruleReport(of: Self.namespace)["report"]?.elements ?? []
            return rules.flatMap { $0["values"]?.elements ?? [] }.map { $0["count"]?.integer }
        }
        #expect(counts() == [2])
        #expect(spec.backend.rulePage(of: Self.namespace).hasPrefix("<!DOCTYPE html>"))
        _ = try spec.setRules(#"{".read":"auth == null"}"#)
        #expect(counts() == [])
    }

    @Test func `trees know nothing of each other, and a new one has the common rules`() throws {
        var backend = try RealtimeBackend(rules: #"{"rules":{".write":true}}"#)
        let other = try #require(RealtimeNamespace("Other"))
        let open = #"{"rules":{".read":true}} // everybody"#
        try backend.restore(node(#"{"a":1}"#), rules: open, in: Self.namespace)
        #expect(backend.rules(of: Self.namespace) == open)
        #expect(backend.strictRules(of: Self.namespace) == #"{"rules":{".read":true}} "#)
        backend.connect(.init(1), to: Self.namespace)
        backend.connect(.init(2), to: other)
        let now = Timestamp(seconds: 0, nanoseconds: 0)
        #expect(backend.take(.get("/", .all), from: .init(1), at: now) == .value(node(#"{"a":1}"#)))
        #expect(backend.take(.get("/", .all), from: .init(2), at: now) == .refused(.denied))
        #expect(
            backend.take(.put(place("/b"), written("2"), hash: nil), from: .init(2), at: now)
                == .done)
        #expect(backend.namespaceNames.map(\.name) == ["other", "spec"])
        #expect(backend.root(of: Self.namespace) == node(#"{"a":1}"#))
        #expect(backend.root(of: other) == node(#"{"b":2}"#))
    }

    @Test func `settings are kept and saved`() {
        var spec = RealtimeSpec()
        var settings = spec.backend.settings(of: Self.namespace)
        #expect(settings.defaultWriteSizeLimit == .large && settings.strictTriggerValidation)
        settings.defaultWriteSizeLimit = .unlimited
        spec.backend.setSettings(settings, of: Self.namespace)
        #expect(spec.backend.takeEffects() == [.save(Self.namespace, .settings(settings))])
        #expect(spec.backend.settings(of: Self.namespace) == settings)
    }

    @Test(arguments: ["", "a.b", "a/b", "..", "é", String(repeating: "x", count: 64)])
    func `a name that could not be a file's is none`(_ name: String) {
        #expect(RealtimeNamespace(name) == nil)
    }
}
