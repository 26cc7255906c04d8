/// What became of a node.
extension Node {
    /// If more than so many places of a node changed, the node may be told whole.
    private static let placeCountMax = 8

    /// The places where another node differs, with this node's nodes there.
    ///
    /// A place is named as deep as possible, unless a node above has changed in most of its leaves.
    /// If one of both nodes is a leaf or empty, the only place is the root.
    ///
    /// - Complexity: In proportion to the difference, for versions of one tree: parts that both
    ///   share are not looked at.
    package func differences(from old: Node) -> [ViewNews.Placed] {
        var places: [ViewNews.Placed] = []
        collectDifferences(from: old, at: .root, into: &places)
        return places
    }

    /// The children that another node has otherwise; of a leaf or of nothing, there are none.
    ///
    /// - Complexity: In proportion to the difference, as `differences(from:)`.
    package func childDifferences(from other: Node) -> [(key: ChildKey, old: Node, new: Node)] {
        var children: [(key: ChildKey, old: Node, new: Node)] = []
        guard let tree else {
            return other.children.map { ($0.key, $0.node, .empty) }
        }
        guard let otherTree = other.tree else {
            return self.children.map { ($0.key, .empty, $0.node) }
        }
        ChildTree.visitDifferences(from: otherTree, to: tree) { key, old, new in
            if old != new { children.append((key, old, new)) }
        }
        return children
    }

    private func collectDifferences(
        from old: Node, at path: RealtimePath, into places: inout [ViewNews.Placed]
    ) {
        guard let tree, let oldTree = old.tree else {
            if self != old { places.append(.init(WritePath(path), self)) }
            return
        }
        let start = places.count
        // Told last: a node loses its priority together with its last child.
        var removed: [ViewNews.Placed] = []
        ChildTree.visitDifferences(from: oldTree, to: tree) { key, old, new in
            let path = path.appending(key)
            if new.isEmpty {
                removed.append(.init(WritePath(path), new))
            } else if old.isEmpty {
                places.append(.init(WritePath(path), new))
            } else {
                new.collectDifferences(from: old, at: path, into: &places)
            }
        }
        places += removed
        if priority != old.priority {
            places.append(.init(WritePath(path, isPriority: true), priorityNode))
        }
        let changed = places[start...]
        guard changed.count > Self.placeCountMax else { return }
        let limit = 2 * changed.reduce(0) { $0 + $1.node.leafCount(upTo: .max) }
        guard leafCount(upTo: limit + 1) <= limit else { return }
        places.removeLast(changed.count)
        places.append(.init(WritePath(path), self))
    }

    /// How many leaves there are, counted no further than to a limit. O(limit).
    private func leafCount(upTo limit: Int) -> Int {
        if isLeaf { return 1 }
        var count = 0
        for child in children {
            guard count < limit else { break }
            count += child.node.leafCount(upTo: limit - count)
        }
        return count
    }
}

extension ChildTree {
    /// Visits the children that two trees do not share, in the order of keys.
    ///
    /// - Parameter body: Takes a key with the old child and the new child; either may be empty. A
    ///   child whose content is equal, but stored twice, may be visited too.
    static func visitDifferences(
        from old: ChildTree, to new: ChildTree, _ body: (ChildKey, Node, Node) -> Void
    ) {
        if old.isSame(as: new) { return }
        switch (old, new) {
        case (.page(let left), .page(let right)):
            visitChildren(left.children, right.children, body)
        case (.branch(let left), .branch(let right)) where left.keys == right.keys:
            // Trees at one place have the same stretch of keys, whatever became of the keys there.
            for (left, right) in zip(left.trees, right.trees) {
                visitDifferences(from: left, to: right, body)
            }
        case (.branch, .branch), (.page, .branch), (.branch, .page): visit([old], [new], body)
        }
    }

    private static func visit(
        _ old: [ChildTree], _ new: [ChildTree], _ body: (ChildKey, Node, Node) -> Void
    ) {
        let (oldHeight, newHeight) = (old.first?.height ?? 0, new.first?.height ?? 0)
        if oldHeight == 0, newHeight == 0 {
            return visitChildren(old.flatMap { $0.page }, new.flatMap { $0.page }, body)
        }
        // Trees of one height stand against each other; where both sides have the same tree, what
        // is on its left cannot be met again on its right.
        let oldTrees = oldHeight >= newHeight ? old.flatMap { $0.trees } : old
        let newTrees = newHeight >= oldHeight ? new.flatMap { $0.trees } : new
        var (first, second) = (0, 0)
        var (oldRest, newRest): ([ChildTree], [ChildTree]) = ([], [])
        while first < oldTrees.count || second < newTrees.count {
            let left = first < oldTrees.count ? oldTrees[first] : nil
            let right = second < newTrees.count ? newTrees[second] : nil
            if let left, let right, left.isSame(as: right) {
                visitRest(&oldRest, &newRest, body)
                (first, second) = (first + 1, second + 1)
                continue
            }
            let order = order(left?.firstKey, right?.firstKey)
            if order <= 0, let left {
                oldRest.append(left)
                first += 1
            }
            if order >= 0, let right {
                newRest.append(right)
                second += 1
            }
        }
        visitRest(&oldRest, &newRest, body)
    }

    private static func visitRest(
        _ old: inout [ChildTree], _ new: inout [ChildTree],
        _ body: (ChildKey, Node, Node) -> Void
    ) {
        if !old.isEmpty || !new.isEmpty { visit(old, new, body) }
        (old, new) = ([], [])
    }

    private static func visitChildren(
        _ old: [Child], _ new: [Child], _ body: (ChildKey, Node, Node) -> Void
    ) {
        var (first, second) = (0, 0)
        while first < old.count || second < new.count {
            let left = first < old.count ? old[first] : nil
            let right = second < new.count ? new[second] : nil
            if let left, let right, left.node.isSame(as: right.node), left.key == right.key {
                (first, second) = (first + 1, second + 1)
                continue
            }
            let order = order(left?.key, right?.key)
            let key = order <= 0 ? left?.key : right?.key
            if let key {
                body(
                    key, order <= 0 ? left?.node ?? .empty : .empty,
                    order >= 0 ? right?.node ?? .empty : .empty)
            }
            if order <= 0 { first += 1 }
            if order >= 0 { second += 1 }
        }
    }

    /// Orders two keys; a side that has come to its end comes last.
    static func order(_ left: ChildKey?, _ right: ChildKey?) -> Int {
        guard let left else { return 1 }
        return right.map { ChildKey.compare(left, $0) } ?? -1
    }

    /// How many branches lie one below the other; 0 for a page. O(height).
    var height: Int {
        var (tree, height) = (self, 0)
        while case .branch(let branch) = tree { (tree, height) = (branch.trees[0], height + 1) }
        return height
    }

    private var trees: [ChildTree] {
        if case .branch(let branch) = self { return branch.trees }
        return [self]
    }

    private var page: [Child] {
        if case .page(let page) = self { return page.children }
        return []
    }

    /// Whether both are the same in memory.
    func isSame(as other: ChildTree) -> Bool {
        switch (self, other) {
        case (.branch(let left), .branch(let right)): left === right
        case (.page(let left), .page(let right)):
            left.children.count == right.children.count
                && left.children.withUnsafeBufferPointer { $0.baseAddress }
                    == right.children.withUnsafeBufferPointer { $0.baseAddress }
        case (.page, .branch), (.branch, .page): false
        }
    }
}
