package import HearthModel

/// Security rules of the Realtime Database: who may read and write which places.
///
///     file > RealtimeRulesReader > RealtimeParser > RealtimeTypeChecker > RealtimeRuleTree   once
///     request > RealtimeJudge > RealtimeEvaluator                                    for each path
///
/// A `.read` or `.write` that is true on the way to a place grants everything below, and no rule
/// takes the grant away again. Besides, every `.validate` on the way to written data and within the
/// data must be true. A rule that fails to evaluate is false as a whole.
package struct RealtimeRuleSet: Sendable {
    /// The source.
    package let source: String
    /// What the file was called that the source came from.
    package let fileName: String
    let tree: RealtimeRuleTree
    private let text: RuleText

    /// Reads a source.
    ///
    /// - Throws: `RulesError`, whose `brief` is what the service answers.
    package init(
        _ source: String, fileName: String = "database.rules.json"
    ) throws(RulesError) {
        self.source = source
        self.fileName = fileName
        text = RuleText(source)
        tree = try RealtimeRulesReader.read(source)
    }

    /// Rules that let everybody do everything.
    package static let open: RealtimeRuleSet = {
        guard let rules = try? RealtimeRuleSet(#"{"rules": {".read": true, ".write": true}}"#)
        else {
            preconditionFailure("the open rules are no rules")
        }
        return rules
    }()

    /// Whether somebody may read a place with all that it holds.
    ///
    /// - Parameters:
    ///   - path: The place.
    ///   - data: The whole database.
    ///   - request: Who asks. The request's recorder, if there is one, notes the outcomes of the
    ///     rules.
    /// - Complexity: O(depth) rules.
    package func decideRead(
        at path: RealtimePath, of data: Node, _ request: inout RealtimeRuleRequest
    ) -> RuleDecision {
        var judge = RealtimeJudge(tree, text, request, data: data, newData: nil)
        request.recorder = nil
        defer { request = judge.request }
        return judge.read(path)
    }

    /// Whether somebody may write at a place.
    ///
    /// The priority of a place is a part of it. The rules judge the paths of an update one by one,
    /// each path with the database as the whole update leaves it.
    ///
    /// - Parameters:
    ///   - data: The whole database before the write.
    ///   - newData: The whole database after it.
    ///   - request: Who asks. The request's recorder, if there is one, notes the outcomes of the
    ///     rules.
    /// - Complexity: O(depth) rules, and one for each written place that has a `.validate`.
    package func decideWrite(
        at paths: [RealtimePath], from data: Node, to newData: Node,
        _ request: inout RealtimeRuleRequest
    ) -> RuleDecision {
        var judge = RealtimeJudge(tree, text, request, data: data, newData: newData)
        request.recorder = nil
        defer { request = judge.request }
        for path in paths {
            let decision = judge.write(path)
            guard decision.isAllowed else { return decision }
        }
        return .allowed
    }

    /// Whether the children of a place can be found by an index. Keys and priorities need none.
    package func hasIndex(_ index: RealtimeRuleIndex, at path: RealtimePath) -> Bool {
        indexes(at: path).contains(index)
    }

    /// By what the children of a place can be found. O(depth).
    package func indexes(at path: RealtimePath) -> [RealtimeRuleIndex] {
        var block = tree.blocks[0]
        for key in path.keys {
            guard let next = block.child(key) else { return [] }
            block = tree.blocks[next.block]
        }
        return block.indexes
    }
}
