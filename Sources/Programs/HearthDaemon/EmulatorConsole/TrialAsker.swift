import HearthBackend
import HearthModel
import HearthRules

/// Who asks in a trial: a user with the claims of a token.
struct TrialAsker: Sendable {
    private let uid: String
    /// All claims, the user's id among them.
    private let claims: [JSONValue.Member]

    /// Reads `{uid, claims}`.
    ///
    /// - Returns: `nil` for null, which is somebody who is not signed in.
    init?(_ json: JSONValue?) throws(HearthError) {
        guard let json, json != .null else { return nil }
        guard let uid = json["uid"]?.string, !uid.isEmpty else {
            throw EmulatorSource.argument("Who asks needs a user's id.")
        }
        let claims = json["claims"] ?? .object([])
        guard let members = claims.members else {
            throw EmulatorSource.argument("The claims of a token are an object.")
        }
        let usual = ["sub", "user_id"].filter { claims[$0] == nil }
        self.uid = uid
        self.claims = usual.map { JSONValue.Member(name: $0, value: .string(uid)) } + members
    }

    /// The user as Firestore's rules see one.
    var auth: RuleRequest.Auth {
        RuleRequest.Auth(
            uid: uid, token: MapValue(claims.map { ($0.name, Value(claim: $0.value)) }))
    }

    /// The user as the rules of the Realtime Database see one.
    var treeAuth: JSONValue? { RealtimeRuleRequest.auth(claims: .object(claims)) }
}
