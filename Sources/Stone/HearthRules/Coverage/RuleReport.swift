package import HearthModel

/// Every expression of a set of rules that is no literal, with what it has come to.
///
/// Functions and conditions are the roots, in the order of the source. A chain of `&&` or `||` is told as
/// pairs inside each other, and a function's `let` holds the statements behind it, as Google's emulator
/// tells them.
package struct RuleReport: Sendable {
    /// What an expression came to.
    package struct Value: Hashable, Sendable {
        /// In the form of Google's emulator; an empty object if it was not evaluated, though what is
        /// around it was.
        package let json: JSONValue
        /// How often.
        package var count: Int
    }

    /// One expression.
    package struct Node: Sendable {
        /// Where it stands.
        package let range: SourceRange
        /// What it came to; empty if nothing around it was ever evaluated.
        package let values: [Value]
        /// Those inside.
        package let children: [Node]
    }

    /// The set of rules.
    package let rules: RuleSet
    /// Functions and conditions.
    package let roots: [Node]

    init(_ rules: RuleSet, _ coverage: RuleCoverage) {
        self.rules = rules
        var outlines: [Outline] = []
        for block in rules.tree.blocks {
            outlines += block.functions.values.map { Outline($0) }
            outlines += block.allows.compactMap { allow in
                allow.condition.flatMap { Outline($0) }
            }
        }
        roots = outlines.sorted { $0.range.start < $1.range.start }.map {
            Self.node($0, coverage, count: nil)
        }
    }

    /// The report as JSON.
    ///
    /// Shape: `{rules: {files: [{content, name}]}, report: [{sourcePosition, values, children}]}`.
    package var json: JSONValue {
        let places = SourcePlaces(rules.source)
        let file = Self.file(name: rules.fileName, content: rules.source)
        return .object(
            file + [.init(name: "report", value: .array(roots.map { Self.json($0, places) }))])
    }

    /// What stands for rules where there are none.
    package static var jsonWithoutRules: JSONValue {
        .object(
            file(
                name: "OPEN_RULES",
                content: """
                    rules_version = '2';
                    service cloud.firestore {
                      match /{document=**} { allow read, write: if true; }
                    }

                    """))
    }

    /// The range of a chain up to one of its operands.
    static func chainRange(_ operands: [Expression], to index: Int) -> SourceRange {
        SourceRange(start: operands[0].range.start, end: operands[index].range.end)
    }

    private static func file(name: String, content: String) -> [JSONValue.Member] {
        let file = JSONValue.object([
            .init(name: "content", value: .string(content)),
            .init(name: "name", value: .string(name)),
        ])
        let files = JSONValue.object([.init(name: "files", value: .array([file]))])
        return [.init(name: "rules", value: files)]
    }

    private static func json(_ node: Node, _ places: SourcePlaces) -> JSONValue {
        var members = [JSONValue.Member(name: "sourcePosition", value: places.json(node.range))]
        if !node.values.isEmpty {
            let values = node.values.map { value in
                JSONValue.object([
                    .init(name: "value", value: value.json),
                    .init(name: "count", value: .integer(Int64(value.count))),
                ])
            }
            members.append(.init(name: "values", value: .array(values)))
        }
        if !node.children.isEmpty {
            members.append(
                .init(name: "children", value: .array(node.children.map { json($0, places) })))
        }
        return .object(members)
    }

    /// - Parameter count: How often what is around it was evaluated, or could have been.
    private static func node(_ outline: Outline, _ coverage: RuleCoverage, count: Int?) -> Node {
        let entry = coverage.entries[outline.range] ?? RuleCoverage.Entry()
        let total = max(count ?? 0, entry.count)
        var values = entry.values
        if total > entry.count {
            values.append(Value(json: .object([]), count: total - entry.count))
        }
        return Node(
            range: outline.range, values: values,
            children: outline.children.map { node($0, coverage, count: total) })
    }
}

/// Which expressions are told, and inside which others.
private struct Outline {
    let range: SourceRange
    let children: [Outline]

    private init(range: SourceRange, children: [Outline]) {
        self.range = range
        self.children = children
    }

    /// `nil` for a literal.
    init?(_ expression: Expression) {
        if case .literal = expression.kind { return nil }
        let children: [Outline]
        switch expression.kind {
        case .all(let operands), .any(let operands):
            children = Self.pair(operands, to: operands.count - 1)
        // The list or map is what is asked.
        case .binary(.isIn, let left, let right):
            children = [right, left].compactMap { Outline($0) }
        case .method(let base, _, let arguments) where base.isNamespace:
            children = arguments.compactMap { Outline($0) }
        case .literal, .name, .member, .index, .range, .call, .method, .not, .negate, .binary,
            .conditional, .isType, .list, .map, .path:
            children = expression.kind.operands.compactMap { Outline($0) }
        }
        self.init(range: expression.range, children: children)
    }

    /// A function: its statements inside each other.
    init(_ function: RuleTree.Function) {
        let result = Outline(function.result)
        let end = function.result.range.end
        let last = result ?? Outline(range: function.result.range, children: [])
        self = function.bindings.reversed().reduce(last) { inner, binding in
            Outline(
                range: SourceRange(start: binding.start, end: end),
                children: [Outline(binding.value), inner].compactMap(\.self))
        }
    }

    /// What the chain up to an operand holds: the chain before it, and itself.
    private static func pair(_ operands: [Expression], to index: Int) -> [Outline] {
        let before =
            index == 1
            ? Outline(operands[0])
            : Outline(
                range: RuleReport.chainRange(operands, to: index - 1),
                children: pair(operands, to: index - 1))
        return [before, Outline(operands[index])].compactMap(\.self)
    }
}

extension Expression {
    /// Whether it stands before a function that every source has, such as `math`.
    fileprivate var isNamespace: Bool {
        if case .name(let name) = kind { return RuleNamespaces.names.contains(name) }
        return false
    }
}
