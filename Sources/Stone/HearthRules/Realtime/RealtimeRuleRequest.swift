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

/// What a read asks for besides a path.
package struct RealtimeRuleQuery: Hashable, Sendable {
    /// By what results are ordered.
    package enum Order: Hashable, Sendable {
        case key
        case value
        case priority
        /// By what is at a path below each child, without a leading slash.
        case child(String)
    }

    /// A member of `query`.
    enum Field: String, Sendable {
        case orderByKey, orderByValue, orderByPriority, orderByChild
        case startAt, endAt, equalTo
        case limitToFirst, limitToLast

        /// The member's type, if the query has the member.
        var type: RealtimeType {
            switch self {
            case .orderByKey, .orderByValue, .orderByPriority: .boolean
            case .orderByChild: .string
            case .startAt, .endAt, .equalTo: .primitive
            case .limitToFirst, .limitToLast: .number
            }
        }
    }

    /// By what results are ordered. A read without a query is ordered by key, as the service has it.
    package var order: Order
    /// The least value, if one is asked for.
    package var startAt: LeafValue?
    /// The greatest value, if one is asked for.
    package var endAt: LeafValue?
    /// The only value, if one is asked for.
    package var equalTo: LeafValue?
    /// How many of the first results are asked for.
    package var limitToFirst: Int?
    /// How many of the last results are asked for.
    package var limitToLast: Int?

    /// Takes the parts.
    package init(
        order: Order = .key, startAt: LeafValue? = nil, endAt: LeafValue? = nil,
        limitToFirst: Int? = nil, limitToLast: Int? = nil
    ) {
        self.order = order
        self.startAt = startAt
        self.endAt = endAt
        self.limitToFirst = limitToFirst
        self.limitToLast = limitToLast
    }

    /// What a rule reads of it.
    func value(of field: Field) -> RealtimeRuleValue {
        switch field {
        case .orderByKey: .boolean(order == .key)
        case .orderByValue: .boolean(order == .value)
        case .orderByPriority: .boolean(order == .priority)
        case .orderByChild:
            if case .child(let path) = order { .string(path) } else { .null }
        case .startAt: RealtimeRuleValue(startAt)
        case .endAt: RealtimeRuleValue(endAt)
        case .equalTo: RealtimeRuleValue(equalTo)
        case .limitToFirst: limitToFirst.map { .integer(Int64($0)) } ?? .null
        case .limitToLast: limitToLast.map { .integer(Int64($0)) } ?? .null
        }
    }
}
