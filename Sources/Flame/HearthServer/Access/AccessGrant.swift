package import HearthModel
package import HearthWire

/// What one peer may do in one database: a policy looked at once, for all requests of a session.
///
/// What a peer may do everywhere is known beforehand; for the rest the path and those above it are
/// looked up among the rules about the peer, which all sessions share.
package struct AccessGrant: Hashable, Sendable {
    private let peer: Peer
    private let trees: [AccessPolicy.Right: [AccessRuleTree]]
    /// Rights that hold for the whole database without exception.
    private let wholeRights: Set<AccessPolicy.Right>

    /// Looks at a policy for one peer.
    package init(_ policy: AccessPolicy, to peer: Peer, in database: DatabaseID) {
        self.peer = peer
        if peer.isAdministrator {
            trees = [:]
            wholeRights = Set(AccessPolicy.Right.allCases)
            return
        }
        var trees: [AccessPolicy.Right: [AccessRuleTree]] = [:]
        for right in AccessPolicy.Right.allCases {
            trees[right] = policy.trees(right, of: peer, in: database)
        }
        wholeRights = Set(
            trees.filter { _, trees in
                trees.contains { $0.holdsEverywhere } && !trees.contains { $0.hasDenials }
            }.keys)
        self.trees = trees
    }

    /// Whether a right holds everywhere, so that nothing need be asked.
    package func holdsEverywhere(_ right: AccessPolicy.Right) -> Bool {
        wholeRights.contains(right)
    }

    /// Whether the peer may do anything at all here, anywhere.
    package var holdsAnything: Bool {
        !wholeRights.isEmpty || trees.values.contains { $0.contains(where: \.allowsAnything) }
    }

    /// Why a right does not hold; `nil` if it does. O(depth of the path), however many rules.
    package func refusal(of right: AccessPolicy.Right, to scope: AccessScope) -> AccessRefusal? {
        if wholeRights.contains(right) { return nil }
        let trees = trees[right] ?? []
        let denial = trees.reduce(nil) { AccessRuleTree.first($0, $1.denial(of: scope)) }
        if let denial { return refusal(right, scope, by: denial.name) }
        if trees.contains(where: { $0.covers(scope) }) { return nil }
        return refusal(right, scope, by: nil)
    }

    private func refusal(
        _ right: AccessPolicy.Right, _ scope: AccessScope, by rule: String?
    ) -> AccessRefusal {
        let unit = peer.isUnitKnown ? peer.unitText : "of an unknown unit"
        return AccessRefusal(
            peer: "uid \(peer.uid)" + (unit.map { " (\($0))" } ?? ""), right: right,
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
