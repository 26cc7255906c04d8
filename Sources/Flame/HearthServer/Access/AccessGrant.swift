package import HearthEngine
package import HearthModel
package import HearthWire

/// The rights of one peer in one database.
///
/// Making a grant looks at the policy once, so that the requests of a session need not.
///
/// Rights that hold everywhere are known beforehand. For the other rights the grant looks up the
/// path and the path's ancestors among the rules about the peer. All sessions share the rules.
package struct AccessGrant: Hashable, Sendable {
    private let peer: Peer
    private let trees: [AccessPolicy.Right: [AccessRuleTree]]
    /// Rights that hold for the whole database without exception.
    private let wholeRights: Set<AccessPolicy.Right>

    /// Looks at a policy for one peer.
    ///
    /// - Parameters:
    ///   - policy: Who may do what.
    ///   - peer: The peer.
    ///   - key: The database that the grant is for.
    package init(_ policy: AccessPolicy, to peer: Peer, in key: EngineKey) {
        self.peer = peer
        if peer.isAdministrator {
            trees = [:]
            wholeRights = Set(AccessPolicy.Right.allCases)
            return
        }
        var trees: [AccessPolicy.Right: [AccessRuleTree]] = [:]
        for right in AccessPolicy.Right.allCases {
            trees[right] = policy.trees(right, of: peer, in: key)
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
    /// The client that made the request, in words for people.
    package let peer: String
    /// The right that the client lacks.
    package let right: AccessPolicy.Right
    /// The part of the database that the request concerns.
    package let scope: AccessScope
    /// The rule that denies the request; `nil` if no rule allows the request.
    package let rule: String?

    /// The error that the client gets.
    package var error: HearthError {
        let reason =
            rule.map { "the access rule \"\($0)\" denies it" } ?? "no access rule allows all of it"
        return HearthError(
            code: .permissionDenied,
            message: "\(peer) may not \(right.rawValue) \(scope): \(reason). Rules are in [access] "
                + "of hearthd.toml.")
    }
}
