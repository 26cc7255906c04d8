/// How much a set of rules may ask for. Production's limits where production names limits.
///
/// - Source: Firebase's guide "Security rules", limits.
package enum RulesLimits {
    /// The longest source, in bytes.
    package static let sourceByteCountMax = 256 * 1_024
    /// Match statements inside each other.
    package static let matchDepthMax = 10
    /// Segments of a path through nested match statements.
    package static let pathSegmentCountMax = 100
    /// Variables that a path through nested match statements binds.
    package static let captureCountMax = 20
    /// Parameters of a function.
    package static let parameterCountMax = 7
    /// Variables that a function binds by `let`.
    package static let bindingCountMax = 10
    /// Functions that call each other.
    package static let callDepthMax = 20
    /// Expressions evaluated for one document of a request.
    package static let expressionCountMax = 1_000
    /// Documents that the rules may look up for a request about one document, or for a query.
    package static let accessCountMax = 10
    /// Documents that the rules may look up for a request about several documents.
    package static let sharedAccessCountMax = 20
    /// Brackets and operators inside each other in a source. Bounds the stack of the parser.
    package static let nestingMax = 64
    /// Expressions inside each other, chains of operators included. Bounds the depth of the tree.
    package static let heightMax = 128
    /// Evaluations inside each other, over all functions. Bounds the stack of the evaluator.
    package static let evaluationDepthMax = 200
    /// Elements and bytes that one evaluation may make, in all. Bounds its time and memory.
    package static let workMax = 4 * 1_024 * 1_024
    /// What all rules of one request to the Realtime Database may make and compare together.
    ///
    /// Two looks at the longest text, of ten million bytes, and a hundredth of a second: while rules
    /// are asked, no other request is.
    package static let requestWorkMax = 3 * 1_024 * 1_024
    /// Each place in a write of the Realtime Database adds this much work to the budget, so a large
    /// write may be judged like a small write.
    package static let placeWork = 64
    /// Names inside each other in rules of the Realtime Database. No data lies deeper than 32.
    package static let ruleDepthMax = 64
    /// Different values that are told of one expression.
    package static let notedValueCountMax = 64
    /// Elements or members that are told of such a value.
    package static let notedElementCountMax = 64
    /// Bytes that are told of a text in such a value.
    package static let notedTextByteCountMax = 1_024
    /// Bytes of an expression's text that a verdict tells.
    package static let groundByteCountMax = 400
    /// Reasons that are named in a refusal.
    package static let reasonCountMax = 20
}
