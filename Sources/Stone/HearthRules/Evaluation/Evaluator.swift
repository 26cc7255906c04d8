import HearthModel

/// Evaluates conditions for one request, within limits.
///
/// An expression either has a value or fails; a failure passes through every operator but `||` with
/// a true side, `&&` with a false side, and a branch that is not taken.
struct Evaluator<Documents: RuleDocuments> {
    let tree: RuleTree
    let request: RuleRequest
    let documents: Documents
    /// What the request has looked up.
    var accesses: RuleAccesses
    /// What may still be made and compared.
    var work = RulesLimits.workMax
    /// Documents looked up for this document alone.
    var accessCount = 0
    private var expressionCount = 0
    private var depth = 0
    private var callDepth = 0
    private var requestValue: RuleValue?
    private var resourceValue: RuleValue?

    init(
        tree: RuleTree, request: RuleRequest, documents: Documents, accesses: RuleAccesses
    ) {
        self.tree = tree
        self.request = request
        self.documents = documents
        self.accesses = accesses
    }

    /// What becomes of a condition: `nil` if it is true, else "false" or what went wrong.
    mutating func outcome(of condition: Expression, in scope: EvaluationScope) -> String? {
        do throws(EvaluationError) {
            return try boolean(condition, scope) ? nil : "false"
        } catch {
            return error.reason
        }
    }

    /// The value of an expression.
    mutating func value(
        _ expression: Expression, _ scope: EvaluationScope
    ) throws(EvaluationError) -> RuleValue {
        expressionCount += 1
        guard expressionCount <= RulesLimits.expressionCountMax else {
            throw EvaluationError(
                "Unable to evaluate the expression as the maximum of "
                    + "\(RulesLimits.expressionCountMax) expressions to evaluate has been reached.",
                isFinal: true)
        }
        guard depth < RulesLimits.evaluationDepthMax else {
            throw EvaluationError("The expression is nested too deeply.", isFinal: true)
        }
        depth += 1
        defer { depth -= 1 }
        // Nearly always, and then nothing is noted.
        guard accesses.recorder != nil else { return try evaluate(expression, scope) }
        let value =
            expression.isLiteral
            ? try evaluate(expression, scope)
            : try noted(expression.range) { evaluator throws(EvaluationError) in
                try evaluator.evaluate(expression, scope)
            }
        if !passesOn(expression, value, scope) {
            accesses.recorder?.decided(by: expression.range)
        }
        return value
    }

    /// The value of an expression that must be a boolean.
    mutating func boolean(
        _ expression: Expression, _ scope: EvaluationScope
    ) throws(EvaluationError) -> Bool {
        let value = try value(expression, scope)
        guard case .boolean(let flag) = value else { throw .type(value, expected: "bool") }
        return flag
    }

    /// The values of several expressions.
    mutating func values(
        _ expressions: [Expression], _ scope: EvaluationScope
    ) throws(EvaluationError) -> [RuleValue] {
        var result: [RuleValue] = []
        result.reserveCapacity(expressions.count)
        for expression in expressions { result.append(try value(expression, scope)) }
        return result
    }

    /// Counts work, and stops when there is no more.
    mutating func spend(_ count: Int) throws(EvaluationError) {
        work -= count
        guard work > 0 else { throw .tooMuchWork }
    }

    private mutating func evaluate(
        _ expression: Expression, _ scope: EvaluationScope
    ) throws(EvaluationError) -> RuleValue {
        switch expression.kind {
        case .literal(let value): return value
        case .name(let name): return try named(name, scope)
        case .member(let base, let name): return try member(name, of: value(base, scope))
        case .index(let base, let place):
            return try element(value(place, scope), of: value(base, scope))
        case .range(let base, let start, let end):
            return try range(start, end, of: value(base, scope), scope)
        case .call(let name, let arguments): return try call(name, arguments, scope)
        case .method(let base, let name, let arguments):
            return try method(name, of: base, arguments, scope)
        case .not(let operand): return .boolean(try !negatable(operand, scope))
        case .negate(let operand): return try negated(value(operand, scope))
        case .binary(let op, let left, let right):
            return try apply(op, value(left, scope), value(right, scope))
        case .all(let operands): return .boolean(try chain(operands, until: false, scope))
        case .any(let operands): return .boolean(try chain(operands, until: true, scope))
        case .conditional(let test, let first, let second):
            return try value(boolean(test, scope) ? first : second, scope)
        case .isType(let operand, let name):
            return .boolean(try isType(name, value(operand, scope)))
        case .list(let elements): return .list(try values(elements, scope))
        case .map(let entries): return try map(entries, scope)
        case .path(let parts): return try path(parts, scope)
        }
    }

    private mutating func negatable(
        _ operand: Expression, _ scope: EvaluationScope
    ) throws(EvaluationError) -> Bool {
        let value = try value(operand, scope)
        guard case .boolean(let flag) = value else { throw .unsupported("!\(value.typeName)") }
        return flag
    }

    /// A chain of `&&` or `||`: `decisive` decides, wherever it stands; else any failure counts.
    private mutating func chain(
        _ operands: [Expression], until decisive: Bool, _ scope: EvaluationScope
    ) throws(EvaluationError) -> Bool {
        var failure: EvaluationError?
        for (index, operand) in operands.enumerated() {
            do throws(EvaluationError) {
                if try boolean(operand, scope) == decisive {
                    note(operands, from: index, .success(.boolean(decisive)))
                    return decisive
                }
            } catch {
                if error.isFinal { throw error }
                failure = failure ?? error
            }
            if accesses.recorder != nil, (1..<operands.count - 1).contains(index) {
                let result =
                    failure.map { Result.failure($0) } ?? .success(RuleValue.boolean(!decisive))
                note(operands, at: index, result)
            }
        }
        if let failure { throw failure }
        return !decisive
    }

    private mutating func named(
        _ name: String, _ scope: EvaluationScope
    ) throws(EvaluationError) -> RuleValue {
        if let local = scope.locals.last(where: { utf8Equals($0.name, name) }) {
            return try local.value.get()
        }
        if let capture = capture(name, scope) {
            guard let value = capture.value else { throw .nullValue }
            return value
        }
        switch name {
        case "request":
            let value = requestValue ?? RuleValue(request)
            requestValue = value
            return value
        case "resource":
            if let resourceValue { return resourceValue }
            let value = try resource()
            resourceValue = value
            return value
        default: throw .nullValue
        }
    }

    /// The stored document, also if a query names it; else the facts that a query tells of all its
    /// possible results.
    private func resource() throws(EvaluationError) -> RuleValue {
        switch request.subject {
        case .document(let document): return RuleValue.document(document, in: request.database)
        case .query(let query):
            guard let key = query.documentKey else { return RuleValue(resultOf: query) }
            let document = documents.document(key)
            guard document.isFound else { throw .nullValue }
            return RuleValue.document(document, in: request.database)
        }
    }

    /// A variable of a path, as seen from a block: bound by it or around it.
    func capture(_ name: String, _ scope: EvaluationScope) -> RuleMatch.Capture? {
        scope.captures.last { capture in
            utf8Equals(capture.name, name) && tree.holds(scope.block, in: capture.block)
        }
    }

    /// Whether a name means something that the source has bound.
    func isBound(_ name: String, _ scope: EvaluationScope) -> Bool {
        scope.locals.contains { utf8Equals($0.name, name) } || capture(name, scope) != nil
    }

    /// Calls a function of the source, or one that every source has.
    private mutating func call(
        _ name: String, _ arguments: [Expression], _ scope: EvaluationScope
    ) throws(EvaluationError) -> RuleValue {
        guard let (block, function) = tree.function(name, seenFrom: scope.block) else {
            return try callGlobal(name, values(arguments, scope))
        }
        guard arguments.count == function.parameters.count else {
            throw EvaluationError(
                "Incorrect number of arguments. Received: \(arguments.count). Expected: "
                    + "\(name)(\(function.parameters.joined(separator: ", "))).")
        }
        guard callDepth < RulesLimits.callDepthMax else {
            throw EvaluationError(
                "More than \(RulesLimits.callDepthMax) functions call each other.", isFinal: true)
        }
        var inner = EvaluationScope(block: block, captures: scope.captures)
        for (parameter, argument) in zip(function.parameters, arguments) {
            inner.locals.append((parameter, try bind(argument, scope)))
        }
        callDepth += 1
        defer { callDepth -= 1 }
        for binding in function.bindings {
            inner.locals.append((binding.name, try bind(binding.value, inner)))
        }
        if accesses.recorder != nil { return try notedResult(of: function, inner) }
        return try value(function.result, inner)
    }

    /// A value for a variable. That it has none matters only where the variable is used.
    private mutating func bind(
        _ expression: Expression, _ scope: EvaluationScope
    ) throws(EvaluationError) -> Result<RuleValue, EvaluationError> {
        do throws(EvaluationError) {
            return .success(try value(expression, scope))
        } catch {
            if error.isFinal { throw error }
            return .failure(error)
        }
    }

    private mutating func map(
        _ entries: [(key: Expression, value: Expression)], _ scope: EvaluationScope
    ) throws(EvaluationError) -> RuleValue {
        var pairs: [(String, RuleValue)] = []
        for entry in entries {
            let key = try value(entry.key, scope)
            guard case .string(let text) = key else { throw .type(key, expected: "string") }
            pairs.append((text, try value(entry.value, scope)))
        }
        return .map(RuleMap(pairs))
    }

    private mutating func path(
        _ parts: [Expression.PathPart], _ scope: EvaluationScope
    ) throws(EvaluationError) -> RuleValue {
        var segments: [String] = []
        for part in parts {
            switch part {
            case .segment(let text): segments.append(text)
            case .value(let expression):
                let value = try value(expression, scope)
                if case .path(let path) = value {
                    segments += path.segments.map(\.string)
                } else {
                    segments.append(try text(of: value))
                }
            }
        }
        try spend(segments.count)
        return .path(RulePath(segments))
    }
}

extension RuleTree {
    /// Whether a block is another or lies in it.
    func holds(_ block: BlockID, in other: BlockID) -> Bool {
        var next: BlockID? = block
        while let id = next {
            if id == other { return true }
            next = blocks[id].parent
        }
        return false
    }
}
