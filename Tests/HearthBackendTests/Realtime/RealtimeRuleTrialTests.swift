import HearthModel
import HearthRules
import Testing

@testable import HearthBackend

/// Requests to the Realtime Database that are tried against rules before the rules count.
struct RealtimeRuleTrialTests {
    private static let rules = #"""
        {"rules": {
          "rooms": {
            "$room": {
              ".read": "data.child('owner').val() === auth.uid",
              ".write": "auth != null && auth.token.admin === true",
              ".validate": "newData.hasChildren(['owner'])"
            }
          }
        }}
        """#
    private static let now = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)

    private static func node(_ json: String) throws -> UnresolvedNode {
        try NodeReader.read(Array(json.utf8))
    }

    private func auth(_ uid: String, isAdmin: Bool = false) throws -> JSONValue {
        let claims = JSONValue.object([
            .init(name: "sub", value: .string(uid)), .init(name: "admin", value: .boolean(isAdmin)),
        ])
        return try #require(RealtimeRuleRequest.auth(claims: claims))
    }

    private func outcome(
        _ action: RealtimeRuleTrial.Action, by auth: JSONValue, before: Node? = nil
    ) throws -> RuleTrial.Outcome {
        let stored = #"{"rooms": {"hall": {"owner": "ann"}, "attic": {"owner": "bob"}}}"#
        let root = try #require(try Self.node(stored).node)
        let trial = RealtimeRuleTrial(action, at: "/rooms/hall", by: auth, before: before)
        return try trial.outcome(by: Self.rules, in: root, at: Self.now)
    }

    @Test func `a read sees what is stored unless the trial says what is there`() throws {
        #expect(try outcome(.read, by: auth("ann")).verdict.isAllowed)
        let denied = try outcome(.read, by: auth("bob")).verdict
        #expect(!denied.isAllowed)
        #expect(denied.method == "read" && denied.path == "/rooms/hall")
        #expect(denied.grounds.map(\.text) == ["data.child('owner').val() === auth.uid"])
        #expect(denied.grounds.map(\.position.line) == [4])
        let bobs = try Self.node(#"{"owner": "bob"}"#).node
        #expect(try outcome(.read, by: auth("bob"), before: bobs).verdict.isAllowed)
        #expect(!(try outcome(.read, by: auth("ann"), before: .empty).verdict.isAllowed))
        #expect(!(try outcome(.read, by: .null).verdict.isAllowed))
    }

    @Test func `a write sees what it leaves, and the claims of who asks`() throws {
        let whole = try RealtimeRuleTrial.Action.write(Self.node(#"{"owner": "cat"}"#))
        #expect(try outcome(whole, by: auth("ann", isAdmin: true)).verdict.isAllowed)
        #expect(!(try outcome(whole, by: auth("ann")).verdict.isAllowed))
        let poor = try RealtimeRuleTrial.Action.write(Self.node(#"{"seats": 4}"#))
        let invalid = try outcome(poor, by: auth("ann", isAdmin: true)).verdict
        #expect(invalid.grounds.map(\.text) == ["newData.hasChildren(['owner'])"])
        // No `.validate` judges a deletion.
        let deletion = try RealtimeRuleTrial.Action.write(Self.node("null"))
        #expect(try outcome(deletion, by: auth("ann", isAdmin: true)).verdict.isAllowed)
    }

    @Test func `a place without rules has no ground, and the report counts this trial alone`()
        throws
    {
        let trial = RealtimeRuleTrial(.read, at: "/elsewhere", by: .null)
        let outcome = try trial.outcome(by: Self.rules, in: .empty, at: Self.now)
        #expect(!outcome.verdict.isAllowed && outcome.verdict.grounds.isEmpty)
        let first = try self.outcome(.read, by: auth("ann")).report
        let roots = try #require(first["report"]?.elements)
        #expect(roots.count == 3)
        #expect(roots[0]["values"]?.elements?.first?["count"] == .integer(1))
        #expect(roots[1]["values"] == nil)
    }

    @Test func `a source that is no rules is refused with its place`() throws {
        let trial = RealtimeRuleTrial(.read, at: .root, by: .null)
        let error = try #require(throws: RulesError.self) {
            try trial.outcome(
                by: #"{"rules": {".read": "auth.uid +"}}"#, in: .empty, at: Self.now)
        }
        #expect(error.position.line == 1)
    }

    @Test func `a value that is left to the server is the time of the trial`() throws {
        let rules = #"{"rules": {"at": {".write": "newData.val() === now"}}}"#
        let stamp = try Self.node(#"{".sv": "timestamp"}"#)
        let trial = RealtimeRuleTrial(.write(stamp), at: "/at", by: .null)
        #expect(try trial.outcome(by: rules, in: .empty, at: Self.now).verdict.isAllowed)
    }
}
