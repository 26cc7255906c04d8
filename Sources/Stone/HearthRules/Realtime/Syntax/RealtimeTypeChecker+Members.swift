import HearthModel

/// Members and methods.
extension RealtimeTypeChecker {
    func checkMember(
        _ name: String, of base: RealtimeExpression, _ syntax: RealtimeSyntax
    ) throws(RulesError) -> RealtimeExpression {
        switch base.type {
        case .query:
            guard let field = RealtimeRuleQuery.Field(rawValue: name) else {
                throw error("a query has no \(name)", at: syntax)
            }
            return make(.queryField(field), field.type, syntax)
        case .any where name != "length": return make(.member(base, name), .any, syntax)
        case .any: return make(.length(base), .any, syntax)
        case .string where name == "length", .primitive where name == "length":
            return make(.length(base), .number, syntax)
        case .snapshot where RealtimeExpression.SnapshotMethod(rawValue: name) != nil,
            .string where Self.isTextMethod(name), .primitive where Self.isTextMethod(name):
            throw error("\(name) is a method: call it, as in \"\(name)(...)\"", at: syntax)
        case .string, .primitive, .snapshot, .boolean, .number, .null:
            throw error("\(base.type.text) has no \(name)", at: syntax)
        }
    }

    func checkIndex(
        _ key: RealtimeSyntax, of base: RealtimeExpression, _ syntax: RealtimeSyntax
    ) throws(RulesError) -> RealtimeExpression {
        if case .literal(.string(let name)) = key.kind {
            return try checkMember(name, of: base, syntax)
        }
        let element = try check(key)
        guard base.type == .any else {
            throw error(
                "only parts of auth have members by computed names; \(base.type.text) has none",
                at: key)
        }
        guard element.type.admits(.string) || element.type.admits(.number) else {
            throw error("\(element.type.text) names no member", at: key)
        }
        return make(.element(base, element), .any, syntax)
    }

    func checkCall(
        _ callee: RealtimeSyntax, _ arguments: [RealtimeSyntax], _ syntax: RealtimeSyntax
    ) throws(RulesError) -> RealtimeExpression {
        switch callee.kind {
        case .member(let base, let name):
            return try checkMethod(name, of: check(base), arguments, syntax)
        case .index(let base, let key):
            guard case .literal(.string(let name)) = key.kind else {
                throw error("a method may not be named by a computed value", at: key)
            }
            return try checkMethod(name, of: check(base), arguments, syntax)
        case .name(let name): throw error("there is no function \(name)", at: callee)
        case .literal, .pattern, .call, .not, .negate, .binary, .all, .any, .conditional, .list:
            throw error("only methods can be called", at: callee)
        }
    }

    private static func isTextMethod(_ name: String) -> Bool {
        name == "matches" || RealtimeExpression.TextMethod(rawValue: name) != nil
    }

    private func checkMethod(
        _ name: String, of base: RealtimeExpression, _ arguments: [RealtimeSyntax],
        _ syntax: RealtimeSyntax
    ) throws(RulesError) -> RealtimeExpression {
        if base.type == .snapshot, let method = RealtimeExpression.SnapshotMethod(rawValue: name) {
            let checked = try check(arguments, of: method, syntax)
            return make(.place(method, base, checked), method.type, syntax)
        }
        guard base.type.admits(.string), Self.isTextMethod(name) else {
            throw error("\(base.type.text) has no method \(name)", at: syntax)
        }
        guard let method = RealtimeExpression.TextMethod(rawValue: name) else {
            try expect(1, arguments, name, syntax)
            guard case .pattern(let pattern) = arguments[0].kind else {
                throw error("matches() needs a pattern, as in \"/^a/\"", at: arguments[0])
            }
            return make(.matches(base, pattern), .boolean, syntax)
        }
        try expect(method.argumentCount, arguments, name, syntax)
        return make(
            .text(method, base, try checkTexts(arguments, of: name)), method.type, syntax)
    }

    private func check(
        _ arguments: [RealtimeSyntax], of method: RealtimeExpression.SnapshotMethod,
        _ syntax: RealtimeSyntax
    ) throws(RulesError) -> [RealtimeExpression] {
        switch method {
        case .val, .parent, .exists, .getPriority, .isNumber, .isString, .isBoolean:
            try expect(0, arguments, method.rawValue, syntax)
            return []
        case .child, .hasChild:
            try expect(1, arguments, method.rawValue, syntax)
            return try checkTexts(arguments, of: method.rawValue)
        case .hasChildren:
            guard let argument = arguments.first else { return [] }
            guard arguments.count == 1, case .list(let names) = argument.kind else {
                throw error("hasChildren() takes one list of names, or nothing", at: argument)
            }
            guard !names.isEmpty else {
                throw error("the list of hasChildren() is empty; leave it out", at: argument)
            }
            return try checkTexts(names, of: method.rawValue)
        }
    }

    private func expect(
        _ count: Int, _ arguments: [RealtimeSyntax], _ name: String, _ syntax: RealtimeSyntax
    ) throws(RulesError) {
        guard arguments.count == count else {
            throw error(
                "\(name)() takes \(count) arguments, and is given \(arguments.count)", at: syntax)
        }
    }

    private func checkTexts(
        _ arguments: [RealtimeSyntax], of name: String
    ) throws(RulesError) -> [RealtimeExpression] {
        var result: [RealtimeExpression] = []
        for argument in arguments {
            let expression = try check(argument)
            guard expression.type.admits(.string) else {
                throw error(
                    "\(name)() needs strings, and this is \(expression.type.text)", at: argument)
            }
            result.append(expression)
        }
        return result
    }
}
