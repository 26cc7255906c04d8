/// What a name means where an expression stands.
struct EvaluationScope {
    /// The match statement or service that the expression, or the function around it, stands in.
    let block: RuleTree.BlockID
    /// The variables of the path, from the outside in.
    let captures: [RuleMatch.Capture]
    /// Parameters and variables of the function, in the order in which they were bound.
    var locals: [(name: String, value: Result<RuleValue, EvaluationError>)] = []
}
