import HashTreeCollections
package import HearthModel
import HearthRules

/// Coverage of rules: the backend counts the outcomes of a project's rules from the first request
/// for them.
///
/// In a project whose coverage nobody has asked for, the backend counts nothing unless it keeps
/// verdicts, and judging a request costs no more than without coverage.
extension Backend {
    /// Begins to count what the rules of a project come to, if that is not done yet.
    package mutating func coverRules(of project: String) {
        if coverage[UTF8Text(project)] == nil { coverage[UTF8Text(project)] = RuleCoverage() }
    }

    /// In how many projects outcomes are counted.
    var coverageCount: Int { coverage.count }

    /// What the rules of a project have come to, and from now on it is counted.
    ///
    /// Shape: as `RuleReport.json` has it; of a project without rules, rules that allow everything.
    package mutating func ruleReport(of project: String) -> JSONValue {
        report(of: project)?.json ?? RuleReport.jsonWithoutRules
    }

    /// The same as a page of HTML.
    package mutating func rulePage(of project: String) -> String {
        report(of: project)?.page ?? RuleReport.pageWithoutRules
    }

    private mutating func report(of project: String) -> RuleReport? {
        coverRules(of: project)
        guard let rules = projectRules[UTF8Text(project)] ?? commonRules else { return nil }
        return coverage[UTF8Text(project)]?.report(of: rules)
    }
}
