import HearthModel

/// A place of the database as rules see it: `root`, `data`, `newData` and what lies around them.
struct RuleSnapshot: Sendable {
    /// The whole database that the place is in, before a write or after it.
    let root: Node
    /// The way to the place. The way may hold texts that cannot be keys: nothing is ever stored
    /// there.
    let keys: [ChildKey]
    /// What is there.
    let node: Node

    /// The root of a database.
    init(root: Node) {
        self.init(root: root, keys: [], node: root)
    }

    /// A place where something is known to be.
    init(root: Node, keys: [ChildKey], node: Node) {
        self.root = root
        self.keys = keys
        self.node = node
    }

    /// The place at a path below this place; empty segments do not count. O(segments).
    func child(_ path: String) -> RuleSnapshot {
        var keys = keys
        var node = node
        for segment in path.utf8.split(separator: UInt8(ascii: "/")) {
            let key = ChildKey(unchecked: String(Substring(segment)))
            keys.append(key)
            node = node.child(key)
        }
        return RuleSnapshot(root: root, keys: keys, node: node)
    }

    /// The place around this place; `nil` for the root.
    var parent: RuleSnapshot? {
        guard !keys.isEmpty else { return nil }
        let outer = Array(keys.dropLast())
        return RuleSnapshot(
            root: root, keys: outer, node: outer.reduce(root) { node, key in node.child(key) })
    }
}
