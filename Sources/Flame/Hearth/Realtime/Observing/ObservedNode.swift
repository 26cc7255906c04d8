import HearthModel

/// The daemon's view of a query, kept once for all observers in the program.
///
/// The view outlasts lost connections: after a lost connection, the whole new node is compared with
/// the node before.
struct ObservedNode: Sendable {
    /// What news changed in the view.
    struct Difference: Sendable {
        /// One change of each child that changed; empty if nobody wants to know, or if there were no
        /// children before: then each child is new.
        var changes: [ChildChange] = []
        /// The place from which on all children are new, if those before are as they were, and in front;
        /// `changes` then names none of the new ones.
        var restFrom: Int?
        /// Whether somebody wants to know the changes of children.
        let namesChildren: Bool
        /// Whether observers of the value are told.
        var isValueTold = false
        /// Whether there were no children before.
        var beganEmpty = false
    }

    /// The node, with its children in the order of the query.
    private(set) var view: IndexedNode
    /// Whether the whole result is known.
    private(set) var isComplete = false
    /// Whether the daemon has said anything.
    private(set) var hasBegun = false

    /// An empty, unknown view in an order.
    init(by index: QueryIndex) {
        view = IndexedNode(.empty, by: index)
    }

    /// Takes news of the daemon.
    ///
    /// - Parameter wantsChildren: Whether the difference names the children that changed.
    /// - Complexity: O(d log n) for d changes among n children; O(n) for a whole node.
    mutating func received(_ news: ViewNews, wantsChildren: Bool) -> Difference {
        let wasComplete = isComplete
        hasBegun = true
        isComplete = news.isComplete
        var difference = Difference(
            namesChildren: wantsChildren, beganEmpty: view.count == 0)
        switch news.content {
        case .whole(let node):
            // After a lost connection the daemon tells everything again; observers hear only of
            // differences.
            let isChanged = view.node != node
            difference.isValueTold = isComplete && (isChanged || !wasComplete)
            if isChanged { replace(by: node, wantsChildren, &difference) }
        case .changes(let places):
            difference.isValueTold = isComplete && news.isValueTold
            var changes = ChangeAccumulator()
            for placed in places {
                if placed.place == WritePath(.root) {
                    note(placed.node, in: &changes)
                    view = IndexedNode(placed.node, by: view.index)
                } else {
                    apply(placed, noting: &changes)
                }
            }
            if wantsChildren, !difference.beganEmpty { difference.changes = changes.changes }
        }
        return difference
    }

    private mutating func replace(
        by node: Node, _ wantsChildren: Bool, _ difference: inout Difference
    ) {
        let new = IndexedNode(node, by: view.index)
        if wantsChildren, !difference.beganEmpty {
            if Self.isBeginning(view, of: new) {
                difference.restFrom = view.count
            } else {
                var changes = ChangeAccumulator()
                note(node, in: &changes)
                difference.changes = changes.changes
            }
        }
        view = new
    }

    /// Whether a view's children are the first children of another view. O(children up to the first
    /// that differs).
    private static func isBeginning(_ old: IndexedNode, of new: IndexedNode) -> Bool {
        old.count < new.count
            && (0..<old.count).allSatisfy { place in
                let (before, after) = (old[place], new[place])
                return before.key == after.key && before.node == after.node
            }
    }

    /// Notes what becomes of each child if another node takes the place of all.
    private func note(_ node: Node, in changes: inout ChangeAccumulator) {
        for child in node.childDifferences(from: view.node) {
            changes.note(child.key, from: child.old, to: child.new)
        }
    }

    private mutating func apply(
        _ placed: ViewNews.Placed, noting changes: inout ChangeAccumulator
    ) {
        guard let key = placed.place.path.keys.first else {
            return view.setPriority(placed.node.leaf)
        }
        let old = view.node.child(key)
        let new = old.setting(placed.place.dropFirst(1), to: placed.node).packed
        guard old != new else { return }
        changes.note(key, from: old, to: new)
        view.setChild(key, to: new)
    }
}
