import HashTreeCollections
package import HearthModel
package import HearthRules

/// Who may, and what happens when that changes.
extension RealtimeBackend {
    /// Gives a tree other rules.
    ///
    /// Listens that the new rules do not allow end, and the count of the rules' outcomes begins
    /// anew.
    ///
    /// - Parameters:
    ///   - source: The source of the rules.
    ///   - namespace: The tree.
    ///   - now: The time that the new rules see when they judge listens.
    /// - Throws: `failed` with line and column in the service's form; nothing is changed then.
    package mutating func setRules(
        _ source: String, of namespace: RealtimeNamespace, at now: Timestamp
    ) throws(RealtimeRefusal) {
        let rules = try Self.compiled(source)
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

    /// Refuses a source that `setRules` would refuse.
    ///
    /// - Throws: `failed`, as `setRules` does.
    package static func checkRules(_ source: String) throws(RealtimeRefusal) {
        _ = try compiled(source)
    }

    /// What the rules of a tree have said since the last call, if verdicts are kept.
    package mutating func takeVerdicts(of namespace: RealtimeNamespace) -> [RuleVerdict] {
        guard let verdicts = namespaces[namespace]?.verdicts, !verdicts.isEmpty else { return [] }
        update(namespace) { $0.verdicts = [] }
        return verdicts
    }

    /// The tree of an open connection, and whom the connection acts for.
    package func party(
        of id: RealtimeConnectionID
    ) -> (namespace: RealtimeNamespace, caller: RealtimeCaller)? {
        connections[id].map { ($0.namespace, $0.caller) }
    }

    /// The rules of a tree as they were given.
    package func rules(of namespace: RealtimeNamespace) -> String {
        state(namespace).rules.source
    }

    /// The rules of a tree as JSON that any reader takes: `format=strict`.
    package func strictRules(of namespace: RealtimeNamespace) -> String {
        state(namespace).rules.strictSource
    }

    /// What the rules of a tree have come to since they were given, or since somebody asked first.
    ///
    /// Shape: as `RuleReport.json` has it.
    package mutating func ruleReport(of namespace: RealtimeNamespace) -> JSONValue {
        report(of: namespace).json
    }

    /// The same as a page of HTML.
    package mutating func rulePage(of namespace: RealtimeNamespace) -> String {
        report(of: namespace).page
    }

    private mutating func report(of namespace: RealtimeNamespace) -> RuleReport {
        update(namespace) { state in
            let coverage = state.coverage ?? RuleCoverage()
            state.coverage = coverage
            return state.rules.report(of: coverage)
        }
    }

    /// Reads rules.
    static func compiled(_ source: String) throws(RealtimeRefusal) -> RealtimeRuleSet {
        do throws(RulesError) {
            return try RealtimeRuleSet(source)
        } catch {
            throw RealtimeRefusal(.failed, error.brief + "\n")
        }
    }

    /// Ends the listens of a connection that the rules do not allow to its present caller.
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
