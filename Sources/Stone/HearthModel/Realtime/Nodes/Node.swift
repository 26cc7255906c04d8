/// A tree of the Realtime Database: nothing, a leaf, or children by key; the last two may have a
/// priority.
///
/// A value: a copy is free, and a change of one child copies O(log n) of its siblings. What is empty
/// does not exist: no child is ever empty, and no empty node has a priority.
package struct Node: Sendable {
    private enum Storage: Sendable {
        case empty
        case leaf(LeafValue)
        case children(ChildTree)
        /// Children that are all leaves, in little memory.
        case packed(PackedLeaves)
        /// Priorities are rare, so only a node with a priority pays for an extra object.
        case prioritized(Prioritized)
    }

    private final class Prioritized: Sendable {
        let priority: LeafValue
        /// A leaf, or children, which may be packed.
        let content: Storage

        init(_ priority: LeafValue, _ content: Storage) {
            self.priority = priority
            self.content = content
        }
    }

    private let storage: Storage

    private init(_ storage: Storage) {
        self.storage = storage
    }

    private init(_ content: Storage, priority: LeafValue?) {
        guard let priority else {
            storage = content
            return
        }
        precondition(priority.canBePriority, "A flag is no priority")
        storage = .prioritized(Prioritized(priority, content))
    }

    /// The node that is not there.
    package static let empty = Node(.empty)

    /// A leaf. The priority may be no flag.
    package init(_ leaf: LeafValue, priority: LeafValue? = nil) {
        self.init(.leaf(leaf), priority: priority)
    }

    /// Children in any order. Empty ones are left out; without others the node is empty.
    ///
    /// - Parameter children: Of several with one key, the last counts.
    /// - Complexity: O(n log n), and O(n) if they are in order.
    package init(
        children: some Sequence<(key: ChildKey, node: Node)>, priority: LeafValue? = nil
    ) {
        var sorted: [ChildTree.Child] = []
        sorted.reserveCapacity(children.underestimatedCount)
        for child in children where !child.node.isEmpty {
            sorted.append(.init(key: child.key, node: child.node))
        }
        if !zip(sorted, sorted.dropFirst()).allSatisfy({ $0.key < $1.key }) {
            sorted = Self.ordered(sorted)
        }
        self.init(sorted: sorted, priority: priority)
    }

    /// Takes children that are in order already, none twice, none empty, without a look at each. O(n).
    package init(ordered children: [(key: ChildKey, node: Node)], priority: LeafValue? = nil) {
        guard !children.isEmpty else {
            self = .empty
            return
        }
        let tree = ChildTree(count: children.count) { places in
            children[places].map { .init(key: $0.key, node: $0.node) }
        }
        self.init(tree, priority: priority)
    }

    /// Takes children that are in order already, none twice, none empty, into as little memory as may
    /// be. Each look at a packed child reads it anew.
    package init(packing children: [(key: ChildKey, node: Node)], priority: LeafValue? = nil) {
        guard let leaves = PackedLeaves(children) else {
            self.init(ordered: children, priority: priority)
            return
        }
        self.init(.packed(leaves), priority: priority)
    }

    /// Takes leaves from bytes in the form of `NodeBytes`, without a look at each as a value.
    ///
    /// - Parameters:
    ///   - count: How many leaves are to come.
    ///   - bytes: The leaves, each with its key, and whatever follows them.
    ///   - priority: The node's own priority, which may be no flag.
    /// - Returns: `nil` if the bytes do not begin with so many leaves that can be packed.
    package init?(
        packing count: Int, from bytes: UnsafeRawBufferPointer, priority: LeafValue? = nil
    ) {
        guard let leaves = PackedLeaves(count: count, from: bytes) else { return nil }
        self.init(.packed(leaves), priority: priority)
    }

    /// The children's bytes in the form of `NodeBytes`, if the children are packed.
    package var packedBytes: ArraySlice<UInt8>? { packedLeaves?.body }

    /// The same node, with its own children packed if all are leaves.
    package var packed: Node {
        guard case .children(.page(let page)) = content,
            let leaves = PackedLeaves(page.children.map { ($0.key, $0.node) })
        else { return self }
        return Node(.packed(leaves), priority: priority)
    }

    /// Takes children that are in order already, none twice, none empty.
    init(sorted children: [ChildTree.Child], priority: LeafValue?) {
        self.init(children.isEmpty ? nil : ChildTree(sorted: children), priority: priority)
    }

    private init(_ tree: ChildTree?, priority: LeafValue?) {
        if let tree {
            self.init(.children(tree), priority: priority)
        } else {
            self = .empty
        }
    }

    private static func ordered(_ children: [ChildTree.Child]) -> [ChildTree.Child] {
        var result: [ChildTree.Child] = []
        // Swift's sort is stable, so the last of one key comes last.
        for child in children.sorted(by: { $0.key < $1.key }) {
            if result.last?.key == child.key { result.removeLast() }
            result.append(child)
        }
        return result
    }

    private var content: Storage {
        if case .prioritized(let node) = storage { return node.content }
        return storage
    }

    /// The children as a tree; `nil` for a leaf and for nothing.
    var tree: ChildTree? {
        switch content {
        case .children(let tree): tree
        case .packed(let leaves): leaves.tree
        case .empty, .leaf, .prioritized: nil
        }
    }

    private var packedLeaves: PackedLeaves? {
        if case .packed(let leaves) = content { leaves } else { nil }
    }

    /// About how many bytes the children have as JSON, with their keys; `nil` if there are none.
    var childrenByteCount: Int? { packedLeaves?.jsonByteCount ?? tree?.byteCount }

    /// Whether nothing is there.
    package var isEmpty: Bool {
        if case .empty = storage { return true }
        return false
    }

    /// What the leaf holds; `nil` if this is none.
    package var leaf: LeafValue? {
        if case .leaf(let leaf) = content { return leaf }
        return nil
    }

    /// Whether this is a leaf.
    package var isLeaf: Bool { leaf != nil }

    /// What siblings sort by if nothing else is asked for.
    package var priority: LeafValue? {
        if case .prioritized(let node) = storage { return node.priority }
        return nil
    }

    /// Whether this can be written as the priority of a node: a number or a string, or nothing.
    package var canBePriority: Bool {
        isEmpty || leaf?.canBePriority == true && priority == nil
    }

    /// How many children there are. O(1).
    package var childCount: Int { packedLeaves?.count ?? tree?.count ?? 0 }

    /// Whether a child has a priority; if not, the order of priorities is the order of keys. O(1).
    package var hasChildPriorities: Bool {
        packedLeaves == nil && tree?.hasPriorities ?? false
    }

    /// The child of this key, which may be empty.
    package func child(_ key: ChildKey) -> Node {
        if let packedLeaves { return packedLeaves.find(key) ?? .empty }
        return tree?.find(key) ?? .empty
    }

    /// Whether there is a child of this key.
    package func has(_ key: ChildKey) -> Bool { !child(key).isEmpty }

    /// What a path leads to from here, which may be empty.
    package func node(at path: RealtimePath) -> Node {
        guard let first = path.keys.first else { return self }
        return path.keys.dropFirst().reduce(child(first)) { $0.isEmpty ? .empty : $0.child($1) }
    }

    /// What a write names: a node, or the priority of one as a leaf.
    package func node(at place: WritePath) -> Node {
        let node = node(at: place.path)
        return place.isPriority ? node.priorityNode : node
    }

    /// The priority as a node: a leaf, or empty.
    package var priorityNode: Node { priority.map { Node($0) } ?? .empty }

    /// Whether both are the same in memory, or equal leaves: then no child need be looked at as a value.
    package func isSame(as other: Node) -> Bool {
        switch (storage, other.storage) {
        case (.empty, .empty): true
        case (.leaf(let left), .leaf(let right)): left == right
        case (.children(let left), .children(let right)): left.isSame(as: right)
        case (.packed(let left), .packed(let right)): left.isSame(as: right)
        case (.prioritized(let left), .prioritized(let right)): left === right
        default: false
        }
    }

    /// The children in the order of their keys.
    package var children: NodeChildren { NodeChildren(tree) }
}

/// Changing.
extension Node {
    /// The node with a child put in its place; an empty one is taken out.
    ///
    /// A leaf gives way to the child, and the new node keeps the leaf's priority. An empty child
    /// below a leaf changes nothing. Removing the last child leaves an empty node without a
    /// priority.
    package func settingChild(_ key: ChildKey, to child: Node) -> Node {
        guard !child.isEmpty else {
            guard let tree else { return self }
            return Node(tree.removing(key), priority: priority)
        }
        let entry = ChildTree.Child(key: key, node: child)
        return Node(tree?.setting(entry) ?? ChildTree(sorted: [entry]), priority: priority)
    }

    /// The node with what a path leads to replaced, by the rules of `settingChild` on each level.
    package func setting(_ path: RealtimePath, to node: Node) -> Node {
        setting(path.keys[...], to: node)
    }

    private func setting(_ keys: ArraySlice<ChildKey>, to node: Node) -> Node {
        guard let key = keys.first else { return node }
        return settingChild(key, to: child(key).setting(keys.dropFirst(), to: node))
    }

    /// The node with this priority, or none. Nothing cannot have one.
    package func settingPriority(_ priority: LeafValue?) -> Node {
        isEmpty ? self : Node(content, priority: priority)
    }

    /// The node with what a write names replaced.
    ///
    /// - Parameter node: If a priority is named, a leaf, or empty to take it away.
    package func setting(_ place: WritePath, to node: Node) -> Node {
        guard place.isPriority else { return setting(place.path, to: node) }
        return setting(place.path, to: self.node(at: place.path).settingPriority(node.leaf))
    }
}

extension Node: Hashable {
    package static func == (lhs: Self, rhs: Self) -> Bool {
        guard lhs.priority == rhs.priority else { return false }
        switch (lhs.content, rhs.content) {
        case (.empty, .empty): return true
        case (.leaf(let left), .leaf(let right)): return left == right
        case (.children(let left), .children(let right)): return left == right
        case (.packed(let left), .packed(let right)): return left == right
        case (.packed(let left), .children(let right)), (.children(let right), .packed(let left)):
            return left.count == right.count && left.tree == right
        default: return false
        }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(priority)
        hasher.combine(leaf)
        hasher.combine(childCount)
        for child in children {
            hasher.combine(child.key)
            hasher.combine(child.node)
        }
    }
}

extension Node: CustomStringConvertible {
    /// The node as JSON with its priorities.
    package var description: String { String(decoding: json(.export), as: UTF8.self) }
}
