import HearthModel
import HearthRules
import Testing

/// Which rule of the Realtime Database decided about a request, and by which of its expressions.
struct RealtimeVerdictTests {
    private static let source = """
        {"rules": {
          "rooms": {
            ".read": "auth != null && auth.uid == 'alice'",
            "$room": {
              ".write": "auth != null",
              ".validate": "newData.isString() || newData.isNumber()"
            }
          }
        }}
        """

    private func verdict(
        _ uid: String?, _ decide: (RealtimeRuleSet, inout RealtimeRuleRequest) -> RuleDecision
    ) throws -> RuleVerdict {
        let rules = try RealtimeRuleSet(Self.source)
        let auth: JSONValue =
            uid.map { .object([.init(name: "uid", value: .string($0))]) } ?? .null
        var request = RealtimeRuleRequest(auth: auth, now: 0, recorder: RuleRecorder())
        let decision = decide(rules, &request)
        let verdict = try #require(request.recorder?.verdicts.first)
        #expect(verdict.isAllowed == decision.isAllowed)
        return verdict
    }

    @Test func `of a read, the part of the rule that decided is told`() throws {
        let denied = try verdict("bob") { rules, request in
            rules.decideRead(at: "/rooms/hall", of: .empty, &request)
        }
        #expect(denied.method == "read")
        #expect(denied.path == "/rooms/hall")
        #expect(denied.grounds.map(\.text) == ["auth.uid == 'alice'"])
        #expect(denied.grounds.map(\.outcome) == ["false"])
        #expect(denied.grounds.first?.position.line == 3)
        let allowed = try verdict("alice") { rules, request in
            rules.decideRead(at: "/rooms/hall", of: .empty, &request)
        }
        #expect(allowed.grounds.map(\.outcome) == ["true"])
    }

    @Test func `of a write that is granted and not valid, the validation decided`() throws {
        let path: RealtimePath = "/rooms/hall"
        let data = try NodeReader.read(Array(#"{"rooms":{"hall":true}}"#.utf8)).template
        let denied = try verdict("bob") { rules, request in
            rules.decideWrite(at: [path], from: .empty, to: data, &request)
        }
        #expect(denied.method == "write")
        #expect(denied.grounds.map(\.text) == ["newData.isString() || newData.isNumber()"])
        #expect(denied.grounds.first?.statement.line == 6)
    }

    @Test func `a place without rules is refused without a ground`() throws {
        let denied = try verdict("alice") { rules, request in
            rules.decideRead(at: "/halls", of: .empty, &request)
        }
        #expect(!denied.isAllowed)
        #expect(denied.grounds.isEmpty)
    }
}
