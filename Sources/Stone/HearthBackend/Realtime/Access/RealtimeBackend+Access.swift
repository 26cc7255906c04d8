import HashTreeCollections
package import HearthModel
package import HearthRules

/// Who may, and what happens when that changes.
extension RealtimeBackend {
    /// Gives a tree other rules. Listens that they do not allow end; what they come to is counted
    /// anew.
    ///
    /// - Throws: `RulesError`; nothing is changed then. Its `brief` is what the service answers.
    package mutating func setRules(
        _ source: String, of namespace: RealtimeNamespace, at now: Timestamp
    ) throws(RulesError) {
        let rules = try RealtimeRuleSet(source)
        update(namespace) { state in
            state.rules = rules
            state.coverage = RuleCoverage()
            state.releaseUndeclared()
        }
        effect(.save(namespace, .rules(source)))
        for (id, connection) in connections where connection.namespace == namespace {
            judgeListens(of: id, at: now.milliseconds)
        }
    }

    /// The rules of a tree.
    package func rules(of namespace: RealtimeNamespace) -> RealtimeRuleSet {
        state(namespace).rules
    }

    /// What the rules of a tree have come to since they were given, or since somebody asked first.
    package mutating func ruleReport(of namespace: RealtimeNamespace) -> RuleReport {
        update(namespace) { state in
            let coverage = state.coverage ?? RuleCoverage()
            state.coverage = coverage
            return state.rules.report(of: coverage)
        }
    }

    /// Ends the listens of a connection that the rules do not allow to whoever it is now.
    mutating func judgeListens(of id: RealtimeConnectionID, at now: Int64) {
        guard let connection = connections[id], connection.caller != .admin else { return }
        let asker = Asker(
            namespace: connection.namespace, caller: connection.caller, now: now)
        for key in connection.listens.sorted(by: { $0.path < $1.path }) {
            let isAllowed = update(connection.namespace) { $0.mayRead(key.path, key.query, asker) }
            guard !isAllowed else { continue }
            end(key, of: id)
            effect(.revoke(key.path, key.query, from: RealtimeListener(id, tag: key.tag)))
        }
    }
}
