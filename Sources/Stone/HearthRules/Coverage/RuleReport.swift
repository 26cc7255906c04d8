package import HearthModel

/// Every expression of a set of rules, except literals, with its outcomes.
///
/// Functions and conditions are the roots, in the order of the source. As in Google's emulator, the
/// report tells a chain of `&&` or `||` as pairs inside each other, and a function's `let` holds
/// the statements behind.
package struct RuleReport: Sendable {
    /// What an expression came to.
    package struct Value: Hashable, Sendable {
        /// In the form of Google's emulator; an empty object if the expression was not evaluated
        /// though the expression around it was.
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
        /// The nodes inside.
        package let children: [Node]
    }

    /// The source of the rules.
    let source: String
    /// What the file was called that the source came from.
    let fileName: String
    /// Functions and conditions.
    package let roots: [Node]

    init(_ rules: RuleSet, _ coverage: RuleCoverage) {
        var outlines: [RuleOutline] = []
        for block in rules.tree.blocks {
            outlines += block.functions.values.map { RuleOutline($0) }
            outlines += block.allows.compactMap { allow in
                allow.condition.flatMap { RuleOutline($0) }
            }
        }
        self.init(source: rules.source, fileName: rules.fileName, outlines, coverage)
    }

    init(
        source: String, fileName: String, _ outlines: [RuleOutline], _ coverage: RuleCoverage
    ) {
        self.source = source
        self.fileName = fileName
        roots = outlines.sorted { $0.range.start < $1.range.start }.map {
            Self.node($0, coverage, count: nil)
        }
    }

    /// The report as JSON.
    ///
    /// Shape: `{rules: {files: [{content, name}]}, report: [{sourcePosition, values, children}]}`.
    package var json: JSONValue {
        let places = SourcePlaces(source)
        let file = Self.file(name: fileName, content: source)
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
    private static func node(_ outline: RuleOutline, _ coverage: RuleCoverage, count: Int?) -> Node
    {
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
