import HearthModel

/// Security rules: who may read and change which documents.
///
///     source > Lexer > Parser > RuleTree     once, refused with line and column
///     request > RuleMatch > Evaluator        for each document or query
///
/// A request is allowed if, and only if, an allow statement of a matching path allows the request.
/// A condition that fails to evaluate allows nothing. The rules do not run a query: a query is
/// allowed if its filters prove the condition for every document that the query could find.
package struct RuleSet: Sendable {
    /// The source.
    package let source: String
    /// What the file was called that the source came from.
    package let fileName: String
    let tree: RuleTree
    private let text: RuleText

    /// Reads a source.
    ///
    /// - Throws: `RulesError` with line and column.
    package init(
        _ source: String, fileName: String = "firestore.rules"
    ) throws(RulesError) {
        self.source = source
        self.fileName = fileName
        text = RuleText(source)
        tree = try Parser.parse(source)
        try RuleChecker.check(tree)
    }

    /// Whether a request is allowed.
    ///
    /// - Parameters:
    ///   - request: Who asks, and for what.
    ///   - documents: The documents that rules may look up.
    ///   - accesses: What the whole request has looked up so far; more is added.
    package func decide(
        _ request: RuleRequest, reading documents: some RuleDocuments,
        _ accesses: inout RuleAccesses
    ) -> RuleDecision {
        var grounds: [RuleVerdict.Ground] = []
        let decision = decide(request, documents, &accesses, &grounds)
        accesses.recorder?.note(RuleVerdict(decision, on: request, grounds))
        return decision
    }

    /// - Parameter grounds: Gets what each asked statement came to, if there is a recorder.
    private func decide(
        _ request: RuleRequest, _ documents: some RuleDocuments, _ accesses: inout RuleAccesses,
        _ grounds: inout [RuleVerdict.Ground]
    ) -> RuleDecision {
        var match = RuleMatch(tree)
        guard let hits = match.hits(of: RuleMatch.segments(of: request)) else {
            return .denied(["The path matches in too many ways."])
        }
        var evaluator = Evaluator(
            tree: tree, request: request, documents: documents, accesses: accesses)
        defer { accesses = evaluator.accesses }
        var reasons: [String] = []
        for hit in hits {
            for allow in tree.blocks[hit.block].allows where allow.methods.contains(request.method)
            {
                guard let condition = allow.condition else {
                    if accesses.recorder != nil {
                        grounds = [text.ground(at: allow.position, "true", nil)]
                    }
                    return .allowed
                }
                let scope = EvaluationScope(block: hit.block, captures: hit.captures)
                evaluator.accesses.recorder?.decided(by: condition.range)
                let outcome = evaluator.outcome(of: condition, in: scope)
                if let recorder = evaluator.accesses.recorder {
                    let ground = text.ground(
                        at: allow.position, outcome ?? "true", recorder.decider)
                    grounds = outcome == nil ? [ground] : grounds + [ground]
                }
                if outcome == nil { return .allowed }
                if let outcome, reasons.count < RulesLimits.reasonCountMax {
                    reasons.append(
                        "\(outcome) for '\(request.method.rawValue)' @ L\(allow.position.line)")
                }
            }
        }
        return .denied(reasons)
    }
}
