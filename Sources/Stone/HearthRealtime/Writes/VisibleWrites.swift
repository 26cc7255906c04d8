package import HearthModel

/// The joint effect of the visible pending writes, seen from one place.
///
/// Either a node replaces all at the place, or the writes change only places below and perhaps the
/// priority.
package struct VisibleWrites: Sendable {
    private enum Content: Sendable {
        case whole(Node)
        case place(WrittenPlace?)
    }

    private let content: Content

    private init(_ content: Content) {
        self.content = content
    }

    /// The effect of the writes at and below a place. No write replaces a place above.
    init(_ place: WrittenPlace?) {
        content = .place(place)
    }

    private var place: WrittenPlace? {
        if case .place(let place) = content { place } else { nil }
    }

    /// Whether no write waits here or below, and none replaces this place. A hidden write counts.
    var isEmpty: Bool { if case .place(nil) = content { true } else { false } }

    /// The node that replaces all at this place and below; `nil` if nothing does.
    package var node: Node? {
        switch content {
        case .whole(let node): node
        case .place(let place): place?.whole
        }
    }

    /// What the priority becomes, as a node, if not all is replaced; `nil` if it stays.
    private var priority: Node? { place?.priority?.node }

    /// The writes at and below a child.
    package func child(_ key: ChildKey) -> VisibleWrites {
        if let node { return VisibleWrites(.whole(node.child(key))) }
        return VisibleWrites(place?.below[key])
    }

    /// The writes at and below a place, seen from the place. O(depth log n).
    package func child(_ path: RealtimePath) -> VisibleWrites {
        path.keys.reduce(self) { $0.child($1) }
    }

    /// The node that a place has whatever was there; `nil` if that is not known. O(depth log n).
    package func completeNode(at place: WritePath) -> Node? {
        let writes = child(place.path)
        guard place.isPriority else { return writes.node }
        return writes.node.map(\.priorityNode) ?? writes.priority
    }

    /// The same for a place that is no priority.
    package func completeNode(at path: RealtimePath) -> Node? { child(path).node }

    /// The next keys below which writes wait, in order; none if everything is replaced.
    package var childKeys: [ChildKey] {
        var keys: [ChildKey] = []
        visit { key, _ in keys.append(key) }
        return keys
    }

    /// The children that are replaced whole, in order.
    package var completeChildren: [(key: ChildKey, node: Node)] {
        if let node { return node.children.map { ($0.key, $0.node) } }
        var children: [(key: ChildKey, node: Node)] = []
        visit { key, child in if let node = child.node { children.append((key, node)) } }
        return children
    }

    /// Visits the next keys below which writes wait, unless all is replaced here.
    private func visit(_ body: (ChildKey, VisibleWrites) -> Void) {
        if node != nil { return }
        place?.below.visit { body($0, VisibleWrites($1)) }
    }

    /// The node after the writes. O(written places, each times the logarithm of its siblings).
    package func apply(to base: Node) -> Node {
        if let node { return node }
        var written = base
        visit { key, child in
            written = written.settingChild(key, to: child.apply(to: written.child(key)))
        }
        return priority.map { written.settingPriority($0.leaf) } ?? written
    }
}
