import HearthModel

/// The verdict of rules on one request, with the expressions that decided.
///
/// Rules make a verdict only if a recorder asks for it; see `RuleRecorder`.
package struct RuleVerdict: Hashable, Sendable {
    /// The outcome of one allow statement, or of one rule of the Realtime Database.
    package struct Ground: Hashable, Sendable {
        /// Where the allow statement begins, or the rule of the Realtime Database.
        package let statement: SourcePosition
        /// Where the expression begins that decided: perhaps in a function that the condition calls.
        package let position: SourcePosition
        /// The expression's text, at most `RulesLimits.groundByteCountMax` bytes.
        package let text: String
        /// "true", "false", or why the expression has no value.
        package let outcome: String
    }

    /// Whether the request may be carried out.
    package let isAllowed: Bool
    /// What the request does: the raw value of a `RuleMethod`; of the Realtime Database, `read` or
    /// `write`.
    package let method: String
    /// The document, or where the query looks, segments between slashes; or the place of a tree.
    package let path: String
    /// The statement that allowed the request; or each statement that was asked and did not allow,
    /// in the order of the source, at most `RulesLimits.reasonCountMax`. Empty if no statement
    /// matches the request.
    package let grounds: [Ground]

    /// The verdict on a request to Firestore.
    init(_ decision: RuleDecision, on request: RuleRequest, _ grounds: [Ground]) {
        isAllowed = decision.isAllowed
        method = request.method.rawValue
        path = request.subject.path
        self.grounds = Array(grounds.prefix(RulesLimits.reasonCountMax))
    }

    /// The verdict on a request to the Realtime Database.
    ///
    /// - Parameter grounds: The outcome of every asked rule. If the request is allowed, the true outcomes count; if the
    ///   request is denied, the other outcomes count.
    init(
        _ decision: RuleDecision, on method: String, at path: RealtimePath, _ grounds: [Ground]
    ) {
        isAllowed = decision.isAllowed
        self.method = method
        self.path = path.description
        let counting = grounds.filter { ($0.outcome == "true") == decision.isAllowed }
        self.grounds = Array(counting.prefix(RulesLimits.reasonCountMax))
    }
}

extension RuleRequest.Subject {
    /// The document's path, or where the query looks.
    fileprivate var path: String {
        switch self {
        case .document(let document): return document.key.path.string
        case .query(let query):
            switch query.scope {
            case .collection(let path): return path.string
            case .group(let id, let path): return path.isEmpty ? "**/\(id)" : "\(path)/**/\(id)"
            case .everything(let path): return path.isEmpty ? "**" : "\(path)/**"
            }
        }
    }
}
