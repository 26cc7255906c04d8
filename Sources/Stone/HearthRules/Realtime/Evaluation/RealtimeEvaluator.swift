import HearthModel

/// Evaluates the rules of one place for one request, within a budget.
///
/// An expression either has a value or fails, and a failure is the rule's: no operator goes on from
/// one. `&&`, `||` and `?:` leave out what does not matter, and that cannot fail.
struct RealtimeEvaluator {
    /// Who asks, and when.
    struct Caller: Sendable {
        let auth: RealtimeRuleValue
        let now: Int64
        let query: RealtimeRuleQuery
    }

    /// What is asked about.
    struct Site: Sendable {
        /// The database before the request.
        let root: RuleSnapshot
        /// The place before the request.
        let data: RuleSnapshot
        /// The place after the request, if it writes.
        let newData: RuleSnapshot?
        /// What the wildcards of the path have matched, from the root.
        let wildcards: [ChildKey]
    }

    let caller: Caller
    let site: Site
    /// What notes the values of expressions.
    var recorder: RuleRecorder?
    /// What may still be made and compared.
    var work: Int

    /// Whether a rule is true.
    mutating func outcome(
        of rule: RealtimeExpression
    ) -> Result<Bool, EvaluationError> {
        Result { () throws(EvaluationError) in
            // A rule that is a literal is told too: otherwise nobody could see that the rule was
            // asked.
            if rule.isLiteral, recorder != nil {
                return try noted(rule) { evaluator throws(EvaluationError) in
                    try evaluator.evaluate(rule)
                }.flag
            }
            return try boolean(rule)
        }
    }

    /// The value of an expression.
    mutating func value(
        _ expression: RealtimeExpression
    ) throws(EvaluationError) -> RealtimeRuleValue {
        try spend(1)
        // Nearly always, and then nothing is noted.
        if recorder == nil { return try evaluate(expression) }
        if expression.isLiteral {
            recorder?.decided(by: expression.range)
            return try evaluate(expression)
        }
        return try noted(expression) { evaluator throws(EvaluationError) in
            try evaluator.evaluate(expression)
        }
    }

    /// The value of an expression that is a boolean, by its type.
    mutating func boolean(_ expression: RealtimeExpression) throws(EvaluationError) -> Bool {
        try value(expression).flag
    }

    /// The value of an expression that must be a text.
    mutating func text(
        _ expression: RealtimeExpression, for use: String
    ) throws(EvaluationError) -> String {
        let value = try value(expression)
        guard let text = value.text else {
            throw EvaluationError("\(use) needs a string, and is given \(value.typeName)")
        }
        return text
    }

    /// Counts work, and stops when there is no more.
    mutating func spend(_ count: Int) throws(EvaluationError) {
        work -= count
        guard work > 0 else { throw .tooMuchWork }
    }

    private mutating func noted(
        _ expression: RealtimeExpression,
        _ body: (inout Self) throws(EvaluationError) -> RealtimeRuleValue
    ) throws(EvaluationError) -> RealtimeRuleValue {
        let mark = recorder?.mark ?? 0
        do throws(EvaluationError) {
            let value = try body(&self)
            recorder?.note(expression.range, .success(value.noted), since: mark)
            if !passesOn(expression, value) { recorder?.decided(by: expression.range) }
            return value
        } catch {
            recorder?.note(expression.range, .failure(error), since: mark)
            throw error
        }
    }

    /// Whether an expression's value is the value of a part that was evaluated last, so that the part
    /// decided.
    private func passesOn(_ expression: RealtimeExpression, _ value: RealtimeRuleValue) -> Bool {
        guard case .boolean(let flag) = value else { return false }
        switch expression.kind {
        case .all: return !flag
        case .any: return flag
        case .conditional: return true
        case .literal, .auth, .now, .root, .data, .newData, .query, .queryField, .wildcard, .member,
            .element, .length, .text, .matches, .place, .not, .negate, .binary:
            return false
        }
    }

    private mutating func evaluate(
        _ expression: RealtimeExpression
    ) throws(EvaluationError) -> RealtimeRuleValue {
        switch expression.kind {
        case .literal(let value): return value
        case .auth: return caller.auth
        case .now: return .integer(caller.now)
        case .root: return .snapshot(site.root)
        case .data: return .snapshot(site.data)
        case .newData: return site.newData.map { .snapshot($0) } ?? .null
        case .query: return .null
        case .queryField(let field): return caller.query.value(of: field)
        case .wildcard(let index): return .string(site.wildcards[index].text)
        case .member(let base, let name): return Self.member(name, of: try value(base))
        case .element(let base, let key): return try element(base, key)
        case .length(let base): return try length(base)
        case .text(let method, let base, let arguments): return try apply(method, base, arguments)
        case .matches(let base, let pattern): return .boolean(try matches(base, pattern))
        case .place(let method, let base, let arguments): return try apply(method, base, arguments)
        case .not(let operand): return .boolean(try !boolean(operand))
        case .negate(let operand): return try negated(operand)
        case .binary(let op, let left, let right):
            return try apply(op, value(left), value(right))
        case .all(let operands): return .boolean(try chain(operands, until: false))
        case .any(let operands): return .boolean(try chain(operands, until: true))
        case .conditional(let test, let first, let second):
            return try value(boolean(test) ? first : second)
        }
    }

    private mutating func chain(
        _ operands: [RealtimeExpression], until decisive: Bool
    ) throws(EvaluationError) -> Bool {
        for operand in operands where try boolean(operand) == decisive { return decisive }
        return !decisive
    }

    /// A member of a part of `auth`. What has no members has null for each.
    private static func member(
        _ name: String, of value: RealtimeRuleValue
    ) -> RealtimeRuleValue {
        guard case .claims(let claims) = value else { return .null }
        return RealtimeRuleValue(claims: claims[name])
    }

    private mutating func element(
        _ base: RealtimeExpression, _ key: RealtimeExpression
    ) throws(EvaluationError) -> RealtimeRuleValue {
        let base = try value(base)
        switch try value(key) {
        case .string(let name): return Self.member(name, of: base)
        case .integer(let index):
            guard case .claims(.array(let elements)) = base,
                let place = Int(exactly: index), elements.indices.contains(place)
            else { return .null }
            return RealtimeRuleValue(claims: elements[place])
        case let other:
            throw EvaluationError(
                "a member is named by a string or a whole number, not by \(other.typeName)")
        }
    }
}

extension RealtimeRuleValue {
    /// The flag of an expression that the types have proven to be a boolean.
    fileprivate var flag: Bool {
        get throws(EvaluationError) {
            guard case .boolean(let flag) = self else {
                throw EvaluationError("a boolean is needed, and this is \(typeName)")
            }
            return flag
        }
    }
}
