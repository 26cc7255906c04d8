import HearthModel
import HearthRules
import Testing

/// Which expression decided about a request, and where it stands.
struct RuleVerdictTests {
    private struct Told: Equatable {
        let place: String
        let text: String
        let outcome: String

        init(_ place: String, _ text: String, _ outcome: String) {
            self.place = place
            self.text = text
            self.outcome = outcome
        }
    }

    /// What the grounds of a get of `rooms/hall` are, by rules whose fourth line is the body's first.
    private func verdict(
        _ body: String, by uid: String? = "alice", _ method: RuleMethod = .get
    ) throws -> RuleVerdict {
        let rules = try RuleSet(RulesSpec.framed(body))
        let key = RulesSpec.key("rooms/hall")
        let request = RuleRequest(
            method, .found(key, at: .zero, ["owner": .string("bob"), "seats": .integer(40)]),
            in: RulesSpec.database, by: uid.map { RuleRequest.Auth(uid: $0, token: [:]) },
            at: Timestamp(seconds: 0, nanoseconds: 0))
        var accesses = RuleAccesses(recorder: RuleRecorder())
        let decision = rules.decide(request, reading: RulesSpec.Documents(), &accesses)
        let verdict = try #require(accesses.recorder?.verdicts.first)
        #expect(verdict.isAllowed == decision.isAllowed)
        #expect(verdict.path == "rooms/hall")
        #expect(verdict.method == method.rawValue)
        return verdict
    }

    private func told(_ body: String, by uid: String? = "alice") throws -> [Told] {
        try verdict(body, by: uid).grounds.map {
            Told("\($0.position.line):\($0.position.column)", $0.text, $0.outcome)
        }
    }

    @Test func `of a chain that is false, the operand that was false decided`() throws {
        let told = try told(
            "match /rooms/{r} { allow get: if request.auth != null && resource.data.owner == "
                + "request.auth.uid; }")
        #expect(told == [Told("4:58", "resource.data.owner == request.auth.uid", "false")])
    }

    @Test func `of a chain that is true, the operand that was true decided`() throws {
        let told = try told(
            "match /rooms/{r} { allow get: if resource.data.seats > 50 || request.auth != null; }")
        #expect(told == [Told("4:62", "request.auth != null", "true")])
    }

    @Test func `a chain decided itself if no operand alone did`() throws {
        let all = try told("match /rooms/{r} { allow get: if 1 < 2 && 2 < 3; }")
        #expect(all == [Told("4:34", "1 < 2 && 2 < 3", "true")])
        let any = try told("match /rooms/{r} { allow get: if (1 > 2 || 2 > 3); }")
        #expect(any == [Told("4:34", "(1 > 2 || 2 > 3)", "false")])
    }

    @Test func `the place in a function of the source is named, not the call`() throws {
        let told = try told(
            """
            function isOwner() { return request.auth.uid == resource.data.owner; }
            match /rooms/{r} { allow get: if isOwner(); }
            """)
        #expect(told == [Told("4:29", "request.auth.uid == resource.data.owner", "false")])
    }

    @Test func `a failure decided where it began`() throws {
        let told = try told(
            "match /rooms/{r} { allow get: if resource.data.colour == 'red' && 1 < 2; }", by: nil)
        #expect(told.count == 1)
        #expect(told[0].text == "resource.data.colour")
        #expect(told[0].outcome.contains("colour is undefined"))
    }

    @Test func `a literal decides too, and so does a statement without a condition`() throws {
        #expect(
            try told("match /rooms/{r} { allow get: if false; }") == [
                Told("4:34", "false", "false")
            ]
        )
        #expect(
            try told("match /rooms/{r} { allow read; }") == [Told("4:20", "allow read", "true")])
    }

    @Test func `every statement that was asked is a ground of a refusal`() throws {
        let body = """
            match /rooms/{r} {
              allow get: if 1 > 2;
              allow list: if true;
              allow read: if request.auth == null;
            }
            """
        #expect(
            try told(body) == [
                Told("5:17", "1 > 2", "false"), Told("7:18", "request.auth == null", "false"),
            ])
        #expect(try told(body, by: nil) == [Told("7:18", "request.auth == null", "true")])
    }

    @Test func `a request that no statement is for has no grounds`() throws {
        let verdict = try verdict("match /halls/{r} { allow get; }")
        #expect(!verdict.isAllowed)
        #expect(verdict.grounds.isEmpty)
    }

    @Test func `a long expression is cut, and a failing evaluation still has its ground`() throws {
        let long = String(repeating: "x", count: 1_000)
        let cut = try told("match /rooms/{r} { allow get: if '\(long)' == 'y'; }")
        #expect(cut.first?.text.utf8.count == RulesLimits.groundByteCountMax)
        let deep = (0..<60).map { "request.auth.uid == '\($0)'" }.joined(separator: " || ")
        let body = """
            function f(x) { return g(x) || g(x) || g(x) || g(x); }
            function g(x) { return h(x) || h(x) || h(x) || h(x); }
            function h(x) { return \(deep); }
            match /rooms/{r} { allow get: if f(1); }
            """
        #expect(try told(body).first?.outcome.contains("1000 expressions") == true)
    }

    @Test(arguments: [3, 355, 1_000])
    func `the brackets that close an expression are cut with it`(byteCount: Int) throws {
        let long = String(repeating: "x", count: byteCount)
        let open = String(repeating: "(", count: 28)
        let close = String(repeating: ")", count: 28)
        let body = "match /rooms/{r} { allow get: if '\(long)' == \(open)'y'\(close); }"
        let text = try #require(try told(body).first?.text)
        #expect(text.utf8.count <= RulesLimits.groundByteCountMax)
        #expect(text.hasPrefix("'xxx"))
    }

    @Test func `rules without a recorder make no verdict, and decide the same`() throws {
        let rules = try RuleSet(RulesSpec.framed("match /rooms/{r} { allow get: if false; }"))
        let request = RuleRequest(
            .get, .missing(RulesSpec.key("rooms/hall"), at: .zero), in: RulesSpec.database, by: nil,
            at: Timestamp(seconds: 0, nanoseconds: 0))
        var accesses = RuleAccesses()
        #expect(!rules.decide(request, reading: RulesSpec.Documents(), &accesses).isAllowed)
        #expect(accesses.recorder == nil)
    }
}
