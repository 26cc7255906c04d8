/// Computes the part of a node that a query shows, and updates that part after a change.
///
/// If a query has bounds or a limit, the shown node has no priority of its own, and a leaf shows
/// nothing.
///
/// - Source: firebase-js-sdk `core/view/filter`: indexed, ranged and limited.
package struct NodeFilter: Sendable {
    /// The query.
    package let query: QueryParameters

    /// Filters for a query.
    package init(_ query: QueryParameters) {
        self.query = query
    }

    /// Finds the child that comes next to a window, for a limit that has room again.
    ///
    /// - Parameters:
    ///   - child: The last one of the window that is known.
    ///   - backwards: Whether the window grows towards the first child.
    /// - Returns: `nil` if there is none, or none is known.
    package typealias Successor = (_ child: NodeChildren.Element, _ backwards: Bool) ->
        NodeChildren.Element?

    /// What the query shows of a node. O(log n) and what is shown.
    package func view(of node: IndexedNode) -> IndexedNode {
        guard !query.isComplete else { return node }
        let window = node.window(of: query)
        guard window.count < node.count || node.node.isLeaf else {
            var all = node
            all.setPriority(nil)
            return all
        }
        return IndexedNode(Node(children: window.map { node[$0] }), by: query.index)
    }

    /// Shows another node, and notes what became of each child.
    ///
    /// - Parameters:
    ///   - view: What the query shows of the node; changed in place.
    ///   - node: The whole node, sorted by the query's index.
    ///   - changes: Gets the changes of the children that the view shows or has shown.
    /// - Complexity: In proportion to the difference, for versions of one node that are shown
    ///   whole; else O(what is shown).
    package func update(
        _ view: inout IndexedNode, to node: IndexedNode, noting changes: inout ChangeAccumulator
    ) {
        let next = self.view(of: node)
        for child in next.node.childDifferences(from: view.node) {
            changes.note(child.key, from: child.old, to: child.new)
        }
        view = next
    }

    /// Shows another priority of the node itself, where that is shown.
    package func updatePriority(_ view: inout IndexedNode, to priority: LeafValue?) {
        if query.isComplete { view.setPriority(priority) }
    }

    /// Updates one child of `view`, and notes every change among the children that `view` shows.
    /// O(log n).
    ///
    /// - Parameters:
    ///   - view: What the query shows of the node; changed in place.
    ///   - key: The child's key.
    ///   - child: What the child is now; empty if it is gone.
    ///   - successor: Answers with the node as it is after the change.
    ///   - changes: Gets the changes of the children that the view shows or has shown.
    package func updateChild(
        _ view: inout IndexedNode, _ key: ChildKey, to child: Node,
        successor: Successor, noting changes: inout ChangeAccumulator
    ) {
        let isShown = !child.isEmpty && query.admits((key, child))
        let next = isShown ? child : .empty
        let old = view.node.child(key)
        guard old != next else { return }
        if let limit = query.limit, view.count >= limit.count {
            updateFullWindow(
                &view, (key, next), side: limit.side, successor: successor, noting: &changes)
        } else {
            changes.note(key, from: old, to: next)
            view.setChild(key, to: next)
        }
    }

    private static func set(
        _ view: inout IndexedNode, _ key: ChildKey, to child: Node,
        noting changes: inout ChangeAccumulator
    ) {
        changes.note(key, from: view.node.child(key), to: child)
        view.setChild(key, to: child)
    }

    private func updateFullWindow(
        _ view: inout IndexedNode, _ child: NodeChildren.Element, side: QueryParameters.Limit.Side,
        successor: Successor, noting changes: inout ChangeAccumulator
    ) {
        guard let edge = side == .first ? view.last : view.first else { return }
        if view.node.has(child.key) {
            var next = successor(edge, side == .last)
            // Passes over who is in the window already, and over the child as it was or is.
            while let found = next, found.key == child.key || view.node.has(found.key) {
                next = successor(found, side == .last)
            }
            let stays =
                !child.node.isEmpty && (next.map { isCloser(child, than: $0, side) } ?? true)
            Self.set(&view, child.key, to: stays ? child.node : .empty, noting: &changes)
            if !stays, let next, query.admits(next) {
                Self.set(&view, next.key, to: next.node, noting: &changes)
            }
        } else if !child.node.isEmpty, isCloser(child, than: edge, side) {
            Self.set(&view, edge.key, to: .empty, noting: &changes)
            Self.set(&view, child.key, to: child.node, noting: &changes)
        }
    }

    /// Whether a child comes before another one as the window counts.
    private func isCloser(
        _ child: NodeChildren.Element, than other: NodeChildren.Element,
        _ side: QueryParameters.Limit.Side
    ) -> Bool {
        let (left, right) = (query.index.position(of: child), query.index.position(of: other))
        return side == .first ? left < right : left > right
    }
}
