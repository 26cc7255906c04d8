import HearthModel

/// What a program has asked of a query so far. Each call checks what FirebaseDatabase checks.
struct QueryConstraints: Hashable, Sendable {
    /// One end of the range, as a program names it.
    struct End {
        /// The function that the program called, for messages.
        let call: String
        /// The value that children are compared with.
        let value: Any?
        /// The key that breaks ties; `nil` if the program names none.
        let key: String?
        /// Whether a child at the end is inside.
        let isInclusive: Bool
    }

    private var order: QueryIndex?
    private var start: QueryParameters.Bound?
    private var end: QueryParameters.Bound?
    private var limit: QueryParameters.Limit?

    /// No constraints: the whole value in the order of priorities.
    init() {}

    private var index: QueryIndex { order ?? .priority }

    /// The query.
    var parameters: QueryParameters {
        QueryParameters(index: index, start: start, end: end, limit: limit)
    }

    /// Sets the order.
    mutating func sort(by index: QueryIndex, _ call: String) throws(DatabaseError) {
        guard order == nil else {
            throw Self.refused(call, "the query has an order already, and can have one")
        }
        order = index
        try check(start, call)
        try check(end, call)
    }

    /// Sets the order to what lies at a path below each child.
    mutating func sort(byChild text: String) throws(DatabaseError) {
        let call = "queryOrdered(byChild:)"
        let orders = ["$key": "Key", "$value": "Value", "$priority": "Priority"]
        if let order = orders[text] {
            throw Self.refused(call, "\"\(text)\" is no child; use queryOrderedBy\(order)()")
        }
        guard let path = RealtimePath(text), !path.isRoot, !path.isInfo else {
            throw Self.refused(call, "\"\(text)\" is no path to a child")
        }
        try sort(by: .child(path), call)
    }

    /// Sets how many children are asked for.
    mutating func limit(
        to count: Int, from side: QueryParameters.Limit.Side, _ call: String
    ) throws(DatabaseError) {
        guard limit == nil else {
            throw Self.refused(call, "the query has a limit already, and can have one")
        }
        guard let limit = QueryParameters.Limit(count, from: side) else {
            throw Self.refused(
                call, "a limit of \(count) lies outside 1 to \(QueryParameters.Limit.countMax)")
        }
        self.limit = limit
    }

    /// Sets where the query begins.
    mutating func start(at given: End) throws(DatabaseError) {
        guard start == nil else {
            throw Self.refused(given.call, "the query has a start already, and can have one")
        }
        start = try bound(given)
    }

    /// Sets where the query ends.
    mutating func end(at given: End) throws(DatabaseError) {
        guard end == nil else {
            throw Self.refused(given.call, "the query has an end already, and can have one")
        }
        end = try bound(given)
    }

    /// Asks for the children that equal a value, or for the child with the value and the key.
    mutating func equal(to given: End) throws(DatabaseError) {
        guard start == nil, end == nil else {
            throw Self.refused(
                given.call, "the query has a start or an end already, and equality is both")
        }
        start = try bound(given)
        end = start
    }

    private func bound(_ given: End) throws(DatabaseError) -> QueryParameters.Bound {
        var leaf: LeafValue?
        if let value = UserNode.unwrapped(given.value) {
            leaf = try UserNode.leaf(value)
            guard leaf != nil else {
                throw Self.refused(
                    given.call, "a \(type(of: value)) is no string, flag, number or nil")
            }
        }
        if order == .key, given.key != nil {
            throw Self.refused(
                given.call, "a query in the order of keys takes the key as its value, and no other")
        }
        var key: KeyBound?
        if let text = given.key {
            guard let read = ChildKey(text) else {
                throw Self.refused(
                    given.call, "\"\(text)\" is no key: \(ChildKey.fault(of: text) ?? "")")
            }
            key = .key(read)
        }
        let bound = QueryParameters.Bound(leaf, key: key, isInclusive: given.isInclusive)
        try check(bound, given.call)
        return bound
    }

    /// Checks that a bound goes with the order.
    private func check(
        _ bound: QueryParameters.Bound?, _ call: String
    ) throws(DatabaseError) {
        guard let bound else { return }
        switch order {
        case .key:
            guard bound.key == nil else {
                throw Self.refused(
                    call, "a query in the order of keys takes keys as its values, and no others")
            }
            // The string need not be a key: people type the beginning of a key, or nothing yet.
            guard case .string? = bound.value else {
                throw Self.refused(
                    call, "in the order of keys a bound is a string, as keys are")
            }
        case .priority:
            guard bound.value?.canBePriority ?? true else {
                throw Self.refused(
                    call, "in the order of priorities a bound is a string, a number or nil")
            }
        case .value, .child, nil: break
        }
    }

    /// Checks the bounds of a query that has no order, and so asks in the order of priorities.
    func checkOrder() throws(DatabaseError) {
        guard order == nil else { return }
        for bound in [start, end].compactMap(\.self) {
            guard bound.value?.canBePriority ?? true else {
                throw DatabaseError(
                    .invalidArgument,
                    "The query has no order, so its bounds are priorities, and a flag is none. Call "
                        + "queryOrdered(byChild:) or queryOrderedByValue().")
            }
        }
    }

    private static func refused(_ call: String, _ why: String) -> DatabaseError {
        DatabaseError(.invalidArgument, "\(call) cannot be asked: \(why).")
    }
}
