import HearthModel
import HearthRules
import Testing

@testable import HearthBackend

/// Requests that are tried against rules before the rules count.
struct RuleTrialTests {
    private static func source(_ body: String) -> String {
        """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents {
        \(body)
          }
        }
        """
    }

    private static let own = source(
        """
        match /rooms/{room} {
          allow read: if resource.data.owner == request.auth.uid;
          allow create, update: if request.resource.data.seats > 0 && request.auth.token.admin;
          allow delete: if get(/databases/$(database)/documents/owners/$(room)).data.n == 1;
        }
        """)
    private static let alice = RuleRequest.Auth(uid: "alice", token: ["admin": .boolean(true)])

    private func outcome(
        _ method: RuleMethod, _ path: String, by auth: RuleRequest.Auth? = alice,
        resource: RuleTrial.Resource = .stored, newFields: MapValue? = nil
    ) throws -> RuleTrial.Outcome {
        var spec = BackendSpec()
        try spec.put("rooms/hall", ["owner": .string("alice")])
        try spec.put("owners/hall", ["n": .integer(1)])
        let trial = try RuleTrial(
            method, try ResourcePath(parsing: path), by: auth, resource: resource,
            newFields: newFields)
        let before = try spec.view()
        let outcome = try trial.outcome(by: Self.own, in: before, at: spec.now)
        #expect(
            try spec.view().document(key("rooms/hall")).version
                == before.document(
                    key("rooms/hall")
                ).version)
        return outcome
    }

    @Test func `a trial sees the stored document unless it says how the document is`() throws {
        #expect(try outcome(.get, "rooms/hall").verdict.isAllowed)
        #expect(!(try outcome(.get, "rooms/hall", by: nil).verdict.isAllowed))
        let bobs = RuleTrial.Resource.found(["owner": .string("bob")])
        let denied = try outcome(.get, "rooms/hall", resource: bobs).verdict
        #expect(denied.grounds.map(\.text) == ["resource.data.owner == request.auth.uid"])
        #expect(denied.grounds.map(\.position.line) == [5])
        #expect(!(try outcome(.get, "rooms/hall", resource: .missing).verdict.isAllowed))
    }

    @Test func `a write sees the fields after it, and the claims of who asks`() throws {
        let seats: MapValue = ["seats": .integer(2)]
        #expect(try outcome(.update, "rooms/hall", newFields: seats).verdict.isAllowed)
        #expect(try outcome(.create, "rooms/new", newFields: seats).verdict.isAllowed)
        let none = try outcome(.create, "rooms/new", newFields: ["seats": .integer(0)]).verdict
        #expect(none.grounds.map(\.text) == ["request.resource.data.seats > 0"])
        let bob = RuleRequest.Auth(uid: "bob", token: ["admin": .boolean(false)])
        let denied = try outcome(.update, "rooms/hall", by: bob, newFields: seats).verdict
        #expect(denied.grounds.map(\.text) == ["request.auth.token.admin"])
    }

    @Test func `rules look up the stored documents`() throws {
        #expect(try outcome(.delete, "rooms/hall").verdict.isAllowed)
        #expect(!(try outcome(.delete, "rooms/attic").verdict.isAllowed))
    }

    @Test func `a list is of a collection, and everything else of a document`() throws {
        let denied = try outcome(.list, "rooms").verdict
        #expect(!denied.isAllowed)
        #expect(denied.method == "list")
        #expect(throws: HearthError.self) { try outcome(.list, "rooms/hall") }
        #expect(throws: HearthError.self) { try outcome(.get, "rooms") }
        #expect(throws: HearthError.self) { try outcome(.list, "") }
    }

    @Test func `the report tells what each expression came to in the trial alone`() throws {
        let report = try outcome(.get, "rooms/hall").report["report"]?.elements ?? []
        let counts = report.map { $0["values"]?.elements?.first?["count"] }
        #expect(counts == [.integer(1), nil, nil])
    }

    @Test func `a source that is no rules is refused with line and column`() throws {
        var spec = BackendSpec()
        try spec.put("rooms/hall", [:])
        let trial = try RuleTrial(.get, try ResourcePath(parsing: "rooms/hall"), by: nil)
        let view = try spec.view()
        let error = #expect(throws: RulesError.self) {
            try trial.outcome(by: "rules_version = '2';\nservice", in: view, at: spec.now)
        }
        #expect(error?.position == SourcePosition(line: 2, column: 8))
    }
}

/// Verdicts that a backend keeps of its requests.
struct KeptVerdictTests {
    @Test func `verdicts are kept only if somebody wants them, and no more than a few`() throws {
        var spec = try BackendSpec(rules: "match /c/{x} { allow get: if x != 'b'; }")
        _ = spec.get("c/a", by: .alice)
        #expect(spec.backend.takeVerdicts().isEmpty)
        spec.backend.keepsVerdicts = true
        #expect(spec.get("c/a", by: .alice) == .ok)
        #expect(spec.backend.takeVerdicts().map(\.isAllowed) == [true])
        #expect(spec.backend.takeVerdicts().isEmpty)
        _ = spec.get("c/b", by: .alice)
        _ = spec.get("c/a", by: .admin)
        #expect(spec.backend.takeVerdicts().map(\.grounds.first?.text) == ["x != 'b'"])
        for _ in 1...100 { _ = spec.get("c/a", by: .alice) }
        #expect(spec.backend.takeVerdicts().count == Backend.verdictCountMax)
    }

    @Test func `only few of the projects that the common rules judge are counted unasked`() throws {
        var spec = try BackendSpec(rules: "match /c/{x} { allow get: if true; }")
        let common = """
            rules_version = '2';
            service cloud.firestore {
              match /databases/{database}/documents { match /c/{x} { allow get: if true; } }
            }
            """
        try spec.backend.setRules(common, project: nil)
        spec.backend.keepsVerdicts = true
        let subject = ReadSubject.documents([key("c/a")])
        let now = spec.now
        for number in 0..<2 * Backend.coverageCountMax {
            let database = DatabaseID(project: "invented-\(number)", database: "(default)")
            _ = try spec.backend.read(subject, in: database, .latest, by: .alice, at: now)
        }
        #expect(spec.backend.coverageCount == Backend.coverageCountMax)
        #expect(spec.get("c/a", by: .alice) == .ok)
        #expect(spec.backend.coverageCount == Backend.coverageCountMax + 1)
    }

    @Test func `what a commit lets a listener see is no verdict on the commit`() throws {
        var spec = try BackendSpec(rules: "match /c/{x} { allow read, write: if true; }")
        spec.backend.keepsVerdicts = true
        spec.backend.open(BackendSpec.stream, in: BackendSpec.database, by: .bob)
        _ = try spec.listen(2, .query(.all("c")))
        _ = spec.backend.takeVerdicts()
        #expect(spec.commit(.set("c/a", ["n": .integer(1)]), by: .alice) == .ok)
        #expect(spec.backend.takeVerdicts().map(\.method) == ["create"])
    }
}
