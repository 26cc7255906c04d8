import HearthModel

/// Finds the meaning of a rule's names and the types of a rule's parts, and refuses impossible
/// rules.
///
/// Mistakes that only the data or the caller's token show are left to the evaluation, which then
/// fails.
///
/// - Source: Firebase's reference "Security Rules API", and what the hosted service refused.
struct RealtimeTypeChecker {
    private let scope: RealtimeScope
    let file: Lexer

    /// - Throws: `RulesError` at the first thing that cannot be.
    static func check(
        _ syntax: RealtimeSyntax, in scope: RealtimeScope, of file: Lexer
    ) throws(RulesError) -> RealtimeExpression {
        let checker = RealtimeTypeChecker(scope: scope, file: file)
        let rule = try checker.check(syntax)
        guard rule.type == .boolean else {
            throw checker.error(
                "a rule must be a boolean, and this is \(rule.type.text)", at: syntax)
        }
        return rule
    }

    func error(_ reason: String, at syntax: RealtimeSyntax) -> RulesError {
        RulesError(reason, at: file.position(ofPlace: syntax.range.start))
    }

    func check(_ syntax: RealtimeSyntax) throws(RulesError) -> RealtimeExpression {
        switch syntax.kind {
        case .literal(let value): return make(.literal(value), Self.type(of: value), syntax)
        case .pattern:
            throw error("a pattern may only be given to matches()", at: syntax)
        case .list:
            throw error("a list may only be given to hasChildren()", at: syntax)
        case .name(let name): return try check(name: name, syntax)
        case .member(let base, let name):
            return try checkMember(name, of: check(base), syntax)
        case .index(let base, let key): return try checkIndex(key, of: check(base), syntax)
        case .call(let callee, let arguments): return try checkCall(callee, arguments, syntax)
        case .not(let operand):
            return make(.not(try checkBoolean(operand, "the operand of \"!\"")), .boolean, syntax)
        case .negate(let operand): return try checkNegation(operand, syntax)
        case .binary(let op, let left, let right):
            return try checkBinary(op, check(left), check(right), syntax)
        case .all(let operands):
            return make(.all(try checkChain(operands, "&&")), .boolean, syntax)
        case .any(let operands):
            return make(.any(try checkChain(operands, "||")), .boolean, syntax)
        case .conditional(let test, let first, let second):
            return try checkConditional(test, first, second, syntax)
        }
    }

    func make(
        _ kind: RealtimeExpression.Kind, _ type: RealtimeType, _ syntax: RealtimeSyntax
    ) -> RealtimeExpression {
        RealtimeExpression(kind: kind, type: type, range: syntax.range)
    }

    private static func type(of literal: RealtimeRuleValue) -> RealtimeType {
        switch literal {
        case .null: .null
        case .boolean: .boolean
        case .integer, .double: .number
        case .string: .string
        case .claims, .tree, .snapshot: preconditionFailure("no literal stands for this")
        }
    }

    private func check(
        name: String, _ syntax: RealtimeSyntax
    ) throws(RulesError) -> RealtimeExpression {
        if let index = scope.wildcards.firstIndex(where: { utf8Equals($0, name) }) {
            return make(.wildcard(index), .string, syntax)
        }
        switch name {
        case "auth": return make(.auth, .any, syntax)
        case "now": return make(.now, .number, syntax)
        case "root": return make(.root, .snapshot, syntax)
        case "data": return make(.data, .snapshot, syntax)
        case "query": return make(.query, .query, syntax)
        case "newData":
            guard scope.hasNewData else {
                throw error("a read has no newData; it is for .write and .validate", at: syntax)
            }
            return make(.newData, .snapshot, syntax)
        default:
            let kind = name.hasPrefix("$") ? "wildcard of the path" : "variable"
            throw error("\(name) is no \(kind)", at: syntax)
        }
    }

    private func checkBoolean(
        _ syntax: RealtimeSyntax, _ role: String
    ) throws(RulesError) -> RealtimeExpression {
        let expression = try check(syntax)
        guard expression.type == .boolean else {
            throw error(
                "\(role) must be a boolean, and this is \(expression.type.text); "
                    + "compare it, as in \"... == true\"", at: syntax)
        }
        return expression
    }

    private func checkChain(
        _ operands: [RealtimeSyntax], _ sign: String
    ) throws(RulesError) -> [RealtimeExpression] {
        var result: [RealtimeExpression] = []
        for operand in operands {
            result.append(try checkBoolean(operand, "an operand of \"\(sign)\""))
        }
        return result
    }

    private func checkNegation(
        _ operand: RealtimeSyntax, _ syntax: RealtimeSyntax
    ) throws(RulesError) -> RealtimeExpression {
        let expression = try check(operand)
        guard expression.type.admits(.number) else {
            throw error("\"-\" needs a number, and this is \(expression.type.text)", at: operand)
        }
        return make(.negate(expression), .number, syntax)
    }

    private func checkConditional(
        _ test: RealtimeSyntax, _ first: RealtimeSyntax, _ second: RealtimeSyntax,
        _ syntax: RealtimeSyntax
    ) throws(RulesError) -> RealtimeExpression {
        let condition = try checkBoolean(test, "the condition of \"?\"")
        let one = try check(first)
        let other = try check(second)
        let type: RealtimeType
        if one.type == other.type {
            type = one.type
        } else if one.type == .any && other.type.isValue || other.type == .any && one.type.isValue {
            type = .any
        } else if one.type == .primitive && other.type.isValue
            || other.type == .primitive && one.type.isValue
        {
            type = .primitive
        } else {
            throw error(
                "both branches of \"?\" must be of one type, and these are \(one.type.text) and "
                    + other.type.text, at: syntax)
        }
        return make(.conditional(condition, one, other), type, syntax)
    }

    private func checkBinary(
        _ op: RealtimeOperator, _ left: RealtimeExpression, _ right: RealtimeExpression,
        _ syntax: RealtimeSyntax
    ) throws(RulesError) -> RealtimeExpression {
        let sides = [left, right]
        switch op {
        case .equal, .notEqual:
            try require(sides, op, "values; compare what a snapshot's val() gives", syntax) {
                $0.isValue
            }
            return make(.binary(op, left, right), .boolean, syntax)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            try require(sides, op, "numbers or strings", syntax) {
                $0.admits(.number) || $0.admits(.string) || $0 == .null
            }
            guard left.type == right.type || left.type.isOpen || right.type.isOpen else {
                throw error(
                    "\"\(op.rawValue)\" needs two of one type, and these are \(left.type.text) and "
                        + right.type.text, at: syntax)
            }
            return make(.binary(op, left, right), .boolean, syntax)
        case .add:
            try require(sides, op, "numbers or strings", syntax) {
                $0.admits(.number) || $0.admits(.string)
            }
            return make(.binary(op, left, right), Self.sum(left.type, right.type), syntax)
        case .subtract, .multiply, .divide, .remainder:
            try require(sides, op, "numbers", syntax) { $0.admits(.number) }
            return make(.binary(op, left, right), .number, syntax)
        }
    }

    private func require(
        _ sides: [RealtimeExpression], _ op: RealtimeOperator, _ needed: String,
        _ syntax: RealtimeSyntax, _ admits: (RealtimeType) -> Bool
    ) throws(RulesError) {
        for side in sides where !admits(side.type) {
            throw RulesError(
                "\"\(op.rawValue)\" needs \(needed), and this is \(side.type.text)",
                at: file.position(ofPlace: side.range.start))
        }
    }

    private static func sum(_ left: RealtimeType, _ right: RealtimeType) -> RealtimeType {
        if left == .string || right == .string { return .string }
        return left == .number && right == .number ? .number : .primitive
    }
}

extension RealtimeType {
    /// Whether it can be compared.
    var isValue: Bool { self != .snapshot && self != .query }
}
