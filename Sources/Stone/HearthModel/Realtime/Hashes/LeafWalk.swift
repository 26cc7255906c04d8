/// Goes through the leaves of a tree in the order of their paths, a priority of children as a leaf
/// `.priority`.
///
/// Such a priority comes before the first key that sorts after `.priority`. If no key sorts after
/// `.priority`, the priority does not come, as in SDKs.
struct LeafWalk: Sendable {
    /// A leaf, and where it is.
    struct Leaf: Sendable {
        let path: RealtimePath
        let value: LeafValue
        let priority: LeafValue?
    }

    /// A node with children, as far as the walk has come.
    private struct Level: Sendable {
        let path: RealtimePath
        /// The node's priority, until it has come.
        var priority: LeafValue?
        var child: NodeChildren.Element?
        private var rest: NodeChildren.Iterator

        init(_ node: Node, at path: RealtimePath) {
            self.path = path
            priority = node.priority
            rest = node.children.makeIterator()
            child = rest.next()
        }

        mutating func advance() { child = rest.next() }
    }

    private var levels: [Level] = []
    private var only: Leaf?
    /// Whether a priority did not come, as far as the walk has come.
    private(set) var hasUntoldPriority = false

    /// Begins before the first leaf.
    init(_ node: Node) {
        if let leaf = node.leaf {
            only = Leaf(path: .root, value: leaf, priority: node.priority)
        } else {
            levels = [Level(node, at: .root)]
        }
    }

    /// The next leaf; `nil` if there is none. O(depth), spread over all leaves.
    mutating func next() -> Leaf? {
        if let leaf = only {
            only = nil
            return leaf
        }
        while let top = levels.indices.last {
            guard let child = levels[top].child else {
                hasUntoldPriority = hasUntoldPriority || levels[top].priority != nil
                levels.removeLast()
                continue
            }
            if let priority = levels[top].priority, NodeRange.priorityKey < child.key {
                levels[top].priority = nil
                let path = levels[top].path.appending(NodeRange.priorityKey)
                return Leaf(path: path, value: priority, priority: nil)
            }
            levels[top].advance()
            let path = levels[top].path.appending(child.key)
            if let leaf = child.node.leaf {
                return Leaf(path: path, value: leaf, priority: child.node.priority)
            }
            levels.append(Level(child.node, at: path))
        }
        return nil
    }
}
