/// The expressions that a report tells, as a tree of expressions inside expressions.
struct RuleOutline {
    let range: SourceRange
    let children: [RuleOutline]

    init(range: SourceRange, children: [RuleOutline]) {
        self.range = range
        self.children = children
    }

    /// `nil` for a literal.
    init?(_ expression: Expression) {
        if case .literal = expression.kind { return nil }
        let children: [RuleOutline]
        switch expression.kind {
        case .all(let operands), .any(let operands):
            children = Self.pair(operands, to: operands.count - 1)
        // The list or map is what is asked.
        case .binary(.isIn, let left, let right):
            children = [right, left].compactMap { RuleOutline($0) }
        case .method(let base, _, let arguments) where base.isNamespace:
            children = arguments.compactMap { RuleOutline($0) }
        case .literal, .name, .member, .index, .range, .call, .method, .not, .negate, .binary,
            .conditional, .isType, .list, .map, .path:
            children = expression.kind.operands.compactMap { RuleOutline($0) }
        }
        self.init(range: expression.range, children: children)
    }

    /// A function: its statements inside each other.
    init(_ function: RuleTree.Function) {
        let result = RuleOutline(function.result)
        let end = function.result.range.end
        let last = result ?? RuleOutline(range: function.result.range, children: [])
        self = function.bindings.reversed().reduce(last) { inner, binding in
            RuleOutline(
                range: SourceRange(start: binding.start, end: end),
                children: [RuleOutline(binding.value), inner].compactMap(\.self))
        }
    }

    /// What the chain up to an operand holds: the chain before it, and itself.
    private static func pair(_ operands: [Expression], to index: Int) -> [RuleOutline] {
        let before =
            index == 1
            ? RuleOutline(operands[0])
            : RuleOutline(
                range: RuleReport.chainRange(operands, to: index - 1),
                children: pair(operands, to: index - 1))
        return [before, RuleOutline(operands[index])].compactMap(\.self)
    }
}

extension Expression {
    /// Whether the expression is the namespace of functions that every source has, such as `math`.
    fileprivate var isNamespace: Bool {
        if case .name(let name) = kind { return RuleNamespaces.names.contains(name) }
        return false
    }
}
