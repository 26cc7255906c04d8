package import HearthModel

/// What one peer may do in one database: a policy looked at once, for all requests of a session.
///
/// What a peer may do everywhere is known beforehand; for the rest the few rules about the peer are
/// held against the path.
package struct AccessGrant: Hashable, Sendable {
    private let peer: Peer
    private let allowing: [AccessPolicy.Rule]
    private let denying: [AccessPolicy.Rule]
    /// Rights that hold for the whole database without exception.
    private let wholeRights: Set<AccessPolicy.Right>

    /// Looks at a policy for one peer.
    package init(_ policy: AccessPolicy, to peer: Peer, in database: DatabaseID) {
        self.peer = peer
        if peer.isAdministrator {
            allowing = []
            denying = []
            wholeRights = Set(AccessPolicy.Right.allCases)
            return
        }
        let rules = policy.rules.filter { $0.concerns(peer, database) }
        let allowing = rules.filter { !$0.isDenial }
        let denying = rules.filter(\.isDenial)
        self.allowing = allowing
        self.denying = denying
        wholeRights = Set(
            AccessPolicy.Right.allCases.filter { right in
                allowing.contains { $0.path.isEmpty && $0.rights.contains(right) }
                    && !denying.contains { $0.rights.contains(right) }
            })
    }

    /// Whether a right holds everywhere, so that nothing need be asked.
    package func holdsEverywhere(_ right: AccessPolicy.Right) -> Bool {
        wholeRights.contains(right)
    }

    /// Why a right does not hold; `nil` if it does.
    package func refusal(of right: AccessPolicy.Right, to scope: AccessScope) -> AccessRefusal? {
        if wholeRights.contains(right) { return nil }
        let denial = denying.first { $0.rights.contains(right) && $0.touches(scope) }
        if let denial { return refusal(right, scope, by: denial.name) }
        if allowing.contains(where: { $0.rights.contains(right) && $0.covers(scope) }) {
            return nil
        }
        return refusal(right, scope, by: nil)
    }

    private func refusal(
        _ right: AccessPolicy.Right, _ scope: AccessScope, by rule: String?
    ) -> AccessRefusal {
        AccessRefusal(
            peer: "uid \(peer.uid)" + (peer.unit.map { " (\($0))" } ?? ""), right: right,
            scope: scope, rule: rule)
    }
}

/// A request that the access rules do not allow.
package struct AccessRefusal: Hashable, Sendable {
    /// Who asked, for people.
    package let peer: String
    /// What was missing.
    package let right: AccessPolicy.Right
    /// For what.
    package let scope: AccessScope
    /// The rule that denies it; `nil` if none allows it.
    package let rule: String?

    /// The refusal as its client is told it.
    package var error: HearthError {
        let reason =
            rule.map { "the access rule \"\($0)\" denies it" } ?? "no access rule allows all of it"
        return HearthError(
            code: .permissionDenied,
            message: "\(peer) may not \(right.rawValue) \(scope): \(reason). Rules are in [access] "
                + "of hearthd.toml.")
    }
}
