/// Computes the hashes of a tree a slice at a time.
package struct ListenHashing: Sendable {
    /// A node with children, as far as the children are hashed.
    private struct Level: Sendable {
        var text = RunningSHA1()
        private var rest: NodeChildren.Iterator
        /// The children in the order of the hash, if that is not the order of keys.
        private var sorted: [NodeChildren.Element]?
        private var count = 0

        init(_ node: Node) {
            rest = node.children.makeIterator()
            if node.hasChildPriorities {
                sorted = node.children.sorted { NodeHash.precedes($0, $1) }
            }
            guard let priority = node.priority else { return }
            var start: [UInt8] = []
            NodeHash.appendPriority(priority, to: &start, quoting: false)
            text.add(start)
        }

        mutating func next() -> NodeChildren.Element? {
            guard let sorted else { return rest.next() }
            count += 1
            return count <= sorted.count ? sorted[count - 1] : nil
        }
    }

    /// The tree.
    package let node: Node
    /// How many nodes were hashed so far; a leaf in a stretch counts again.
    package private(set) var hashedCount = 0
    private var levels: [Level] = []
    private var simple: String?
    private var stretches: StretchHasher?
    private var ranges: CompoundHash?

    /// Begins with the first node.
    package init(_ node: Node) {
        self.node = node
        if node.isEmpty || node.isLeaf {
            simple = NodeHash.hash(of: node)
            hashedCount = node.isEmpty ? 0 : 1
        } else {
            levels = [Level(node)]
        }
        if NodeSize.estimate(node) > NodeSize.compoundHashByteCountMin {
            stretches = StretchHasher(node)
        }
    }

    /// Goes on.
    ///
    /// - Parameter count: How many nodes to hash at most.
    /// - Returns: The hashes, once there is no node left.
    package mutating func advance(by count: Int) -> ListenHash? {
        var left = count
        while left > 0, simple == nil {
            hashNext()
            left -= 1
        }
        while left > 0, stretches != nil {
            stretchNext()
            left -= 1
        }
        guard let simple, stretches == nil else { return nil }
        return ListenHash(simple: simple, ranges: ranges)
    }

    private mutating func hashNext() {
        guard let top = levels.indices.last else { return }
        guard let child = levels[top].next() else {
            let hash = levels.removeLast().text.base64
            hashedCount += 1
            guard let above = levels.indices.last else { return simple = hash }
            return levels[above].text.add(hash.utf8)
        }
        levels[top].text.add(":\(child.key.text):".utf8)
        guard child.node.isLeaf else { return levels.append(Level(child.node)) }
        levels[top].text.add(NodeHash.hash(of: child.node).utf8)
        hashedCount += 1
    }

    private mutating func stretchNext() {
        guard stretches?.step() != true else {
            hashedCount += 1
            return
        }
        ranges = stretches?.hasUntoldPriority == true ? nil : stretches?.hash
        stretches = nil
    }
}
