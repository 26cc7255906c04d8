package import HearthModel

/// What a file of rules says of each place of the Realtime Database.
struct RealtimeRuleTree: Sendable {
    /// Names a block within a tree.
    typealias BlockID = Int

    /// The blocks; each block comes after the block around it. The first is the root's.
    var blocks: [Block] = []

    /// The rules of one place, or of all that a wildcard matches.
    struct Block: Sendable {
        /// The names of wildcards from the root to here, each with its `$`.
        let wildcards: [String]
        var read: Rule?
        var write: Rule?
        var validate: Rule?
        var indexes: [RealtimeRuleIndex] = []
        /// The names that have rules, in the order of the file.
        var names: [ChildKey] = []
        var children: [ChildKey: BlockID] = [:]
        /// The rules of every other name.
        var wildcard: BlockID?
        /// Whether there is a `.validate` further down.
        var validatesBelow = false

        init(wildcards: [String]) {
            self.wildcards = wildcards
        }

        /// The rules of a child, and whether a wildcard has matched it: a name wins over a wildcard.
        func child(_ key: ChildKey) -> (block: BlockID, isWildcard: Bool)? {
            if let block = children[key] { return (block, false) }
            return wildcard.map { ($0, true) }
        }

        /// The blocks directly inside.
        var inner: [BlockID] { children.values + [wildcard].compactMap(\.self) }
    }

    /// One rule.
    struct Rule: Sendable {
        let condition: RealtimeExpression
        let position: SourcePosition
    }
}

/// What children of a place can be found by without looking at each.
package enum RealtimeRuleIndex: Hashable, Sendable {
    /// Their own values: `.value`.
    case value
    /// What lies at a path below them.
    case child(RealtimePath)
}
