import HearthModel

/// Asks the rules along a path, and within what is written there.
struct RealtimeJudge {
    private typealias Rule = RealtimeRuleTree.Rule

    /// A place with its rules.
    private struct Level {
        let block: RealtimeRuleTree.BlockID
        let keys: [ChildKey]
        let wildcards: [ChildKey]
        let node: Node
        let newNode: Node
    }

    private let tree: RealtimeRuleTree
    private let text: RuleText
    private let caller: RealtimeEvaluator.Caller
    private let root: RuleSnapshot
    private let newRoot: RuleSnapshot?
    /// The request, with the notes so far and the rest of its budget.
    private(set) var request: RealtimeRuleRequest
    private var reasons: [String] = []
    /// What the rules that were asked came to, if there is a recorder.
    private var grounds: [RuleVerdict.Ground] = []

    init(
        _ tree: RealtimeRuleTree, _ text: RuleText, _ request: RealtimeRuleRequest, data: Node,
        newData: Node?
    ) {
        self.tree = tree
        self.text = text
        self.request = request
        caller = RealtimeEvaluator.Caller(
            auth: RealtimeRuleValue(claims: request.auth), now: request.now, query: request.query)
        root = RuleSnapshot(root: data)
        newRoot = newData.map { RuleSnapshot(root: $0) }
    }

    /// Whether a place may be read: at least one `.read` on the way to the place must be true.
    mutating func read(_ path: RealtimePath) -> RuleDecision {
        noted("read", path) { $0.decideRead(path) }
    }

    private mutating func decideRead(_ path: RealtimePath) -> RuleDecision {
        for level in levels(of: path) {
            if let rule = tree.blocks[level.block].read, holds(rule, ".read", level) {
                return .allowed
            }
        }
        return .denied(reasons)
    }

    /// Whether a place may be written.
    ///
    /// At least one `.write` on the way to the place must be true, and every `.validate` on the way
    /// and within must be true. No `.validate` judges a deletion.
    mutating func write(_ path: RealtimePath) -> RuleDecision {
        noted("write", path) { $0.decideWrite(path) }
    }

    private mutating func decideWrite(_ path: RealtimePath) -> RuleDecision {
        let levels = levels(of: path)
        let isGranted = levels.contains { level in
            guard let rule = tree.blocks[level.block].write else { return false }
            return holds(rule, ".write", level)
        }
        guard isGranted else { return .denied(reasons) }
        let newRoot = newRoot?.node ?? .empty
        if newRoot.node(at: path).isEmpty { return .allowed }
        reasons = []
        grounds.removeAll { $0.outcome != "true" }
        for level in levels where !validates(level) { return .denied(reasons) }
        // The rules may end before the path does, and then there are none within.
        guard let last = levels.last, last.keys.count == path.keys.count else { return .allowed }
        return validatesInside(last) ? .allowed : .denied(reasons)
    }

    /// Decides, and has the recorder note the verdict, if there is one.
    private mutating func noted(
        _ method: String, _ path: RealtimePath, _ decide: (inout Self) -> RuleDecision
    ) -> RuleDecision {
        grounds = []
        let decision = decide(&self)
        request.recorder?.note(RuleVerdict(decision, on: method, at: path, grounds))
        return decision
    }

    // MARK: Walking

    /// The places from the root to a path, as far as there are rules.
    private func levels(of path: RealtimePath) -> [Level] {
        var level = Level(
            block: 0, keys: [], wildcards: [], node: root.node, newNode: newRoot?.node ?? .empty)
        var levels = [level]
        for key in path.keys {
            guard let next = child(key, of: level) else { break }
            level = next
            levels.append(level)
        }
        return levels
    }

    private func child(_ key: ChildKey, of level: Level) -> Level? {
        guard let (block, isWildcard) = tree.blocks[level.block].child(key) else { return nil }
        return Level(
            block: block, keys: level.keys + [key],
            wildcards: isWildcard ? level.wildcards + [key] : level.wildcards,
            node: level.node.child(key), newNode: level.newNode.child(key))
    }

    private mutating func validates(_ level: Level) -> Bool {
        guard let rule = tree.blocks[level.block].validate else { return true }
        return holds(rule, ".validate", level)
    }

    /// Whether all below a place is valid. Goes no deeper than the rules do.
    private mutating func validatesInside(_ level: Level) -> Bool {
        let block = tree.blocks[level.block]
        guard block.validatesBelow else { return true }
        if block.wildcard != nil {
            for (key, _) in level.newNode.children where !validatesAll(key, of: level) {
                return false
            }
        } else {
            for key in block.names where !level.newNode.child(key).isEmpty {
                guard validatesAll(key, of: level) else { return false }
            }
        }
        return true
    }

    private mutating func validatesAll(_ key: ChildKey, of level: Level) -> Bool {
        guard let child = child(key, of: level) else { return true }
        request.work += RulesLimits.placeWork - child.keys.count
        return validates(child) && validatesInside(child)
    }

    // MARK: Asking

    private func site(of level: Level) -> RealtimeEvaluator.Site {
        RealtimeEvaluator.Site(
            root: root, data: RuleSnapshot(root: root.node, keys: level.keys, node: level.node),
            newData: newRoot.map {
                RuleSnapshot(root: $0.node, keys: level.keys, node: level.newNode)
            },
            wildcards: level.wildcards)
    }

    private mutating func holds(_ rule: Rule, _ word: String, _ level: Level) -> Bool {
        // A condition that is always true is common, and should cost nothing.
        if case .literal(.boolean(true)) = rule.condition.kind, request.recorder == nil {
            return true
        }
        let budget = max(0, request.work)
        var evaluator = RealtimeEvaluator(
            caller: caller, site: site(of: level), recorder: request.recorder, work: budget)
        // With two holders each note would copy all earlier notes.
        request.recorder = nil
        evaluator.recorder?.decided(by: rule.condition.range)
        let outcome = evaluator.outcome(of: rule.condition)
        request.recorder = evaluator.recorder
        request.work -= budget - max(0, evaluator.work)
        let reason: String
        switch outcome {
        case .success(true): reason = "true"
        case .success(false): reason = "false"
        case .failure(let error): reason = error.reason
        }
        if let recorder = request.recorder {
            let decider = recorder.decider ?? rule.condition.range
            grounds.append(text.ground(at: rule.position, reason, decider))
        }
        if case .success(true) = outcome { return true }
        if reasons.count < RulesLimits.reasonCountMax {
            let place = RealtimePath(level.keys)
            reasons.append("\(word) of \(place): \(reason) @ L\(rule.position.line)")
        }
        return false
    }
}
