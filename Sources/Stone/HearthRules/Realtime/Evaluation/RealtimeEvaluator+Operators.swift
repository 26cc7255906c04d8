import HearthModel

/// Operators. Operators never convert: an operand of a wrong type fails.
extension RealtimeEvaluator {
    mutating func negated(
        _ operand: RealtimeExpression
    ) throws(EvaluationError) -> RealtimeRuleValue {
        switch try value(operand) {
        case .integer(let number) where number != .min: return .integer(-number)
        case .integer(let number): return .double(-Double(number))
        case .double(let number): return .double(-number)
        case let other:
            throw EvaluationError("\"-\" needs a number, and is given \(other.typeName)")
        }
    }

    mutating func apply(
        _ op: RealtimeOperator, _ left: RealtimeRuleValue, _ right: RealtimeRuleValue
    ) throws(EvaluationError) -> RealtimeRuleValue {
        switch op {
        case .equal: return .boolean(try equals(left, right))
        case .notEqual: return .boolean(try !equals(left, right))
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            return .boolean(try orders(op, left, right))
        case .add: return try sum(left, right)
        case .subtract, .multiply, .divide, .remainder:
            return try RealtimeMath.apply(op, left, right)
        }
    }

    // MARK: Comparing

    private mutating func equals(
        _ left: RealtimeRuleValue, _ right: RealtimeRuleValue
    ) throws(EvaluationError) -> Bool {
        switch (left, right) {
        case (.null, .null): return true
        case (.boolean(let one), .boolean(let other)): return one == other
        case (.string(let one), .string(let other)):
            try spend(min(one.utf8.count, other.utf8.count) / 8)
            return utf8Equals(one, other)
        case (.claims(let one), .claims(let other)): return try equals(one, other)
        case (.tree(let one), .tree(let other)): return try equals(one, other)
        case (.integer, .integer), (.integer, .double), (.double, .integer), (.double, .double):
            return RealtimeMath.precedes(left, right) == false
                && RealtimeMath.precedes(right, left) == false
        case (.null, _), (.boolean, _), (.string, _), (.claims, _), (.tree, _), (.integer, _),
            (.double, _), (.snapshot, _):
            return false
        }
    }

    /// Whether two places hold the same, priorities aside. On a stack of its own.
    private mutating func equals(_ left: Node, _ right: Node) throws(EvaluationError) -> Bool {
        var rest = [(left, right)]
        while let (left, right) = rest.popLast() {
            try spend(1)
            if left.isLeaf || right.isLeaf || left.isEmpty || right.isEmpty {
                let isSame = try equals(RealtimeRuleValue(left.leaf), RealtimeRuleValue(right.leaf))
                guard isSame, left.isEmpty == right.isEmpty else { return false }
                continue
            }
            guard left.childCount == right.childCount else { return false }
            for (one, other) in zip(left.children, right.children) {
                guard one.key == other.key else { return false }
                try spend(1)
                rest.append((one.node, other.node))
            }
        }
        return true
    }

    /// Whether two parts of `auth` hold the same. On a stack of its own.
    private mutating func equals(
        _ left: JSONValue, _ right: JSONValue
    ) throws(EvaluationError) -> Bool {
        var rest = [(left, right)]
        while let (left, right) = rest.popLast() {
            try spend(1)
            if let ones = left.elements, let others = right.elements {
                guard ones.count == others.count else { return false }
                rest += zip(ones, others)
            } else if let ones = left.members, let others = right.members {
                guard ones.count == others.count else { return false }
                for (one, other) in zip(ones, others) {
                    guard utf8Equals(one.name, other.name) else { return false }
                    rest.append((one.value, other.value))
                }
            } else if left.holdsOthers || right.holdsOthers {
                return false
            } else {
                let isSame = try equals(
                    RealtimeRuleValue(claims: left), RealtimeRuleValue(claims: right))
                guard isSame else { return false }
            }
        }
        return true
    }

    private mutating func orders(
        _ op: RealtimeOperator, _ left: RealtimeRuleValue, _ right: RealtimeRuleValue
    ) throws(EvaluationError) -> Bool {
        let order: (before: Bool, after: Bool)
        if case .string(let one) = left, case .string(let other) = right {
            try spend(min(one.utf8.count, other.utf8.count) / 8)
            let sign = UTF16Order.compare(one, other)
            order = (sign < 0, sign > 0)
        } else if let before = RealtimeMath.precedes(left, right),
            let after = RealtimeMath.precedes(right, left)
        {
            order = (before, after)
        } else if left.number != nil, right.number != nil {
            return false  // One of them is no number that could be compared.
        } else {
            throw EvaluationError(
                "\"\(op.rawValue)\" needs two numbers or two strings, and is given "
                    + "\(left.typeName) and \(right.typeName)")
        }
        switch op {
        case .less: return order.before
        case .greater: return order.after
        case .lessOrEqual: return !order.after
        case .greaterOrEqual: return !order.before
        case .equal, .notEqual, .add, .subtract, .multiply, .divide, .remainder:
            preconditionFailure("\(op) orders nothing")
        }
    }

    // MARK: Counting

    private mutating func sum(
        _ left: RealtimeRuleValue, _ right: RealtimeRuleValue
    ) throws(EvaluationError) -> RealtimeRuleValue {
        if left.text == nil, right.text == nil { return try RealtimeMath.apply(.add, left, right) }
        guard let first = left.joinable, let second = right.joinable else {
            throw EvaluationError(
                "\"+\" needs numbers or strings, and is given \(left.typeName) and "
                    + right.typeName)
        }
        try spend((first.utf8.count + second.utf8.count) / 8)
        return .string(first + second)
    }
}

extension RealtimeRuleValue {
    /// The text that a string or a number is in a longer one.
    fileprivate var joinable: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .double(let number): RealtimeMath.text(of: number)
        case .null, .boolean, .claims, .tree, .snapshot: nil
        }
    }
}

extension JSONValue {
    fileprivate var holdsOthers: Bool { elements != nil || members != nil }
}
