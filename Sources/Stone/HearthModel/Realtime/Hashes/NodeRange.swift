/// A stretch of a tree's leaves in the order of their paths.
///
/// A priority of children counts as a leaf of the key `.priority` among them.
package struct NodeRange: Hashable, Sendable {
    /// The last leaf before the stretch; `nil` if that begins with the first of all.
    package let start: RealtimePath?
    /// The last leaf of the stretch; `nil` if that ends with the last of all.
    package let end: RealtimePath?

    /// Names a stretch.
    package init(after start: RealtimePath?, through end: RealtimePath?) {
        self.start = start
        self.end = end
    }

    /// The key that stands for the priority of a node with children.
    static let priorityKey = ChildKey(unchecked: ".priority")

    /// Reads the path of an edge, which may end with `.priority`.
    package static func edge(_ text: String) -> RealtimePath? {
        guard let place = WritePath(text) else { return nil }
        return place.isPriority ? place.path.appending(priorityKey) : place.path
    }

    /// Whether all leaves at and below a path come after the start.
    func isAfterStart(_ path: RealtimePath) -> Bool { start.map { $0 < path } ?? true }

    /// Whether a leaf at this path would be in the stretch.
    func containsLeaf(_ path: RealtimePath) -> Bool {
        isAfterStart(path) && end.map { path <= $0 } ?? true
    }

    /// Whether the start is at or below a path.
    func startsIn(_ path: RealtimePath) -> Bool { start.map(path.contains) ?? false }

    /// Whether the end is at or below a path.
    func endsIn(_ path: RealtimePath) -> Bool { end.map(path.contains) ?? false }

    /// The part of a tree that lies in the stretch. O(log n) and what is cut at its two ends.
    package func part(of node: Node) -> Node { part(of: node, at: .root) }

    private func part(of node: Node, at path: RealtimePath) -> Node {
        if node.isLeaf { return containsLeaf(path) ? node : .empty }
        guard !node.isEmpty else { return .empty }
        let isAfter = isAfterStart(path)
        let isBefore = end.map { path < $0 } ?? true
        if isAfter, isBefore, !endsIn(path) { return node }
        guard isAfter || startsIn(path), isBefore || endsIn(path) else { return .empty }
        let children = node.children[places(in: node.children, at: path)]
        let parts = children.map {
            (key: $0.key, node: part(of: $0.node, at: path.appending($0.key)))
        }
        let hasPriority = containsLeaf(path.appending(Self.priorityKey))
        return Node(children: parts, priority: hasPriority ? node.priority : nil)
    }

    /// The places of the children that may have leaves in the stretch.
    func places(in children: NodeChildren, at path: RealtimePath) -> Range<Int> {
        var range = children.startIndex..<children.endIndex
        let depth = path.keys.count
        if let start, start.keys.count > depth, path.contains(start) {
            range = children.index(atOrAfter: start.keys[depth])..<range.upperBound
        }
        if let end, path.contains(end) {
            guard end.keys.count > depth else { return range.lowerBound..<range.lowerBound }
            let key = end.keys[depth]
            var upper = children.index(atOrAfter: key)
            if upper < children.endIndex, children[upper].key == key { upper += 1 }
            range = min(range.lowerBound, upper)..<upper
        }
        return range
    }
}
