package import HearthModel
package import HearthRules

/// A request to the Realtime Database that is tried against rules before the rules count.
///
/// Nothing is read or written for anybody. Rules see the stored tree. The trial may replace what is at
/// the place that the request is about.
package struct RealtimeRuleTrial: Sendable {
    /// What is to be done.
    package enum Action: Hashable, Sendable {
        /// The place is read, without a query.
        case read
        /// The place has this node afterwards.
        case write(UnresolvedNode)
    }

    /// What is to be done.
    package let action: Action
    /// The place.
    package let path: RealtimePath
    /// What rules see as `auth`; null for somebody who is not signed in.
    package let auth: JSONValue
    /// What is at the place before the request; `nil` for what is stored there.
    package let before: Node?

    /// Describes a request.
    ///
    /// - Parameters:
    ///   - action: What is to be done.
    ///   - path: The place.
    ///   - auth: What rules see as `auth`; null for somebody who is not signed in.
    ///   - before: What is at the place before the request; `nil` for what is stored there.
    package init(_ action: Action, at path: RealtimePath, by auth: JSONValue, before: Node? = nil) {
        self.action = action
        self.path = path
        self.auth = auth
        self.before = before
    }

    /// Asks rules about the request.
    ///
    /// - Parameters:
    ///   - rules: The source.
    ///   - root: The tree as it is stored.
    ///   - now: The time that rules see as `now`.
    /// - Throws: `RulesError` with line and column for a source that is no rules.
    package func outcome(
        by rules: String, in root: Node, at now: Timestamp
    ) throws(RulesError) -> RuleTrial.Outcome {
        let rules = try RealtimeRuleSet(rules)
        let data = before.map { root.setting(path, to: $0) } ?? root
        var request = RealtimeRuleRequest(
            auth: auth, now: now.milliseconds, recorder: RuleRecorder())
        switch action {
        case .read: _ = rules.decideRead(at: path, of: data, &request)
        case .write(let node):
            let written = node.resolved(over: data.node(at: path), at: now.milliseconds)
            let newData = data.setting(path, to: written)
            _ = rules.decideWrite(at: [path], from: data, to: newData, &request)
        }
        guard let recorder = request.recorder, let verdict = recorder.verdicts.first else {
            preconditionFailure("A recorder was there, and the rules gave no verdict")
        }
        var coverage = RuleCoverage()
        coverage.add(recorder, of: rules)
        return RuleTrial.Outcome(verdict: verdict, report: rules.report(of: coverage).json)
    }
}
