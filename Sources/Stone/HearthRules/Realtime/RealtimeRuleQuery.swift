package import HearthModel

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
    ///
    /// - Parameters:
    ///   - order: By what results are ordered. A read without a query is ordered by key, as the
    ///     service has it.
    ///   - startAt: The least value; `nil` for no bound.
    ///   - endAt: The greatest value; `nil` for no bound.
    ///   - limitToFirst: How many of the first results; `nil` for all.
    ///   - limitToLast: How many of the last results; `nil` for all.
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
