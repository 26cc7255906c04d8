import HearthModel

/// What rules have come to.
extension RealtimeRuleSet {
    /// Every rule and every part of a rule, except literals, with its outcomes so far.
    ///
    /// Places are places in the file, and so `RuleReport.json` and `.page` show the file as it is.
    package func report(of coverage: RuleCoverage) -> RuleReport {
        let rules = tree.blocks.flatMap { [$0.read, $0.write, $0.validate].compactMap(\.self) }
        return RuleReport(
            source: source, fileName: fileName, rules.map { RuleOutline($0.condition) }, coverage)
    }
}

extension RuleCoverage {
    /// Adds what was noted of a request.
    package mutating func add(_ recorder: RuleRecorder, of rules: RealtimeRuleSet) {
        add(recorder, source: rules.source)
    }
}

extension RuleOutline {
    /// A rule, or a part of one that is no literal.
    fileprivate init(_ expression: RealtimeExpression) {
        self.init(
            range: expression.range,
            children: expression.kind.operands.filter { $0.isNoted }.map { RuleOutline($0) })
    }
}

extension RealtimeExpression {
    /// Whether its values are noted where it is a part of another. `query` has none itself.
    fileprivate var isNoted: Bool {
        if case .query = kind { return false }
        return !isLiteral
    }
}
