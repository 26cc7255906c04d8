package import HearthModel

/// The caller, the time and the query of a request, as the Realtime Database's rules see them.
package struct RealtimeRuleRequest: Sendable {
    /// `auth`: an object, or null for somebody who is not signed in.
    package let auth: JSONValue
    /// `now`, in milliseconds since 1970: what every timestamp of the request becomes.
    package let now: Int64
    /// `query`.
    package let query: RealtimeRuleQuery
    /// What notes the values of expressions; `nil` if nobody wants to know them.
    package var recorder: RuleRecorder?
    /// What all rules together may still make and compare.
    var work = RulesLimits.requestWorkMax

    /// Takes the parts.
    ///
    /// - Parameters:
    ///   - auth: What rules see as `auth`: an object, or null for somebody who is not signed in.
    ///   - now: What rules see as `now`, in milliseconds since 1970, and what every timestamp of
    ///     the request becomes.
    ///   - query: What rules see as `query`.
    ///   - recorder: What notes the values of expressions; `nil` if nobody wants to know them.
    package init(
        auth: JSONValue, now: Int64, query: RealtimeRuleQuery = RealtimeRuleQuery(),
        recorder: RuleRecorder? = nil
    ) {
        self.auth = auth
        self.now = now
        self.query = query
        self.recorder = recorder
    }
}

extension RealtimeRuleRequest {
    /// `auth` for somebody who is signed in, by the claims of the token.
    ///
    /// Shape: `{uid, provider, token}`, where `token` is all claims.
    ///
    /// - Returns: `nil` if the claims name no user, by `sub` or `user_id`.
    /// - Source: Firebase's reference "Security Rules API", `auth`.
    package static func auth(claims: JSONValue) -> JSONValue? {
        guard let user = claims["sub"]?.string ?? claims["user_id"]?.string else { return nil }
        let provider = claims["firebase"]?["sign_in_provider"]?.string ?? "custom"
        return .object([
            .init(name: "uid", value: .string(user)),
            .init(name: "provider", value: .string(provider)),
            .init(name: "token", value: claims),
        ])
    }
}
