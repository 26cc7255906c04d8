/// A place in a tree of children, for a walk through two versions side by side.
///
/// At the place stands a tree, until the walk goes into it, or a child.
private struct ChildCursor {
    /// The trees that are still to come, the next one last, each with its height; a page has 0.
    private var trees: [(tree: ChildTree, height: Int)]
    /// The children that come before all trees.
    private var children: ArraySlice<ChildTree.Child> = []

    init(_ tree: ChildTree) {
        trees = [(tree, tree.height)]
    }

    /// The least key that is still to come; `nil` at the end.
    var key: ChildKey? { children.first?.key ?? trees.last?.tree.firstKey }

    /// The height of the tree at the place; below 0 for a child.
    var height: Int { children.isEmpty ? trees.last?.height ?? -1 : -1 }

    /// Whether both places have the same in memory.
    func isSame(as other: ChildCursor) -> Bool {
        if let left = children.first, let right = other.children.first {
            return left.node.isSame(as: right.node) && left.key == right.key
        }
        guard children.isEmpty, other.children.isEmpty, let left = trees.last,
            let right = other.trees.last
        else { return false }
        return left.tree.isSame(as: right.tree)
    }

    /// Goes behind what stands at the place.
    mutating func pass() {
        if children.isEmpty { trees.removeLast() } else { children.removeFirst() }
    }

    /// Goes into the tree at the place, or behind the child.
    mutating func step() {
        guard height >= 0 else { return pass() }
        let (tree, height) = trees.removeLast()
        switch tree {
        case .page(let page): children = page.children[...]
        case .branch(let branch):
            for tree in branch.trees.reversed() { trees.append((tree, height - 1)) }
        }
    }
}

extension Node {
    /// The keys of the children that this node and another do not share in memory.
    ///
    /// Children of other keys are equal. A child whose content is equal, but stored twice, may be
    /// among the keys.
    ///
    /// - Parameters:
    ///   - other: Another version of the node, or any node.
    ///   - countMax: How many keys may be told.
    /// - Returns: `nil` if there are more.
    /// - Complexity: O(keys log n) for versions of one node, and never more than O(`countMax` log n).
    package func unsharedKeys(with other: Node, atMost countMax: Int) -> [ChildKey]? {
        guard let tree, let otherTree = other.tree else {
            let children = childCount == 0 ? other.children : children
            return children.count <= countMax ? children.map(\.key) : nil
        }
        var (left, right) = (ChildCursor(tree), ChildCursor(otherTree))
        var keys: [ChildKey] = []
        while let key = left.key ?? right.key {
            if left.isSame(as: right) {
                left.pass()
                right.pass()
                continue
            }
            let order = ChildTree.order(left.key, right.key)
            let height = max(order > 0 ? -1 : left.height, order < 0 ? -1 : right.height)
            if height < 0 {
                guard keys.count < countMax else { return nil }
                keys.append(order > 0 ? right.key ?? key : key)
            }
            // The lesser key first; of two trees that begin with one key, the higher tree.
            if order <= 0, left.height == height { left.step() }
            if order >= 0, right.height == height { right.step() }
        }
        return keys
    }
}
