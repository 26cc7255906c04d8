import HashTreeCollections
package import HearthModel

/// Several writes as one: the new node of each written place, independent of the tree's content.
///
/// At each place, either a node replaces the whole content, or the write changes only places below
/// and perhaps the priority. A write below a replaced place changes the replacing node; a write
/// above a place replaces all writes below.
package struct CompoundWrite: Hashable, Sendable {
    /// Most places are replaced whole, so only a way to places below pays for more than a node.
    private enum Content: Hashable, Sendable {
        case nothing
        case whole(Node)
        indirect case below(PriorityWrite?, TreeDictionary<ChildKey, CompoundWrite>)
    }

    private var content = Content.nothing

    /// The node that replaces all at this place and below; `nil` if nothing does.
    package var node: Node? { if case .whole(let node) = content { node } else { nil } }

    private var priority: PriorityWrite? {
        if case .below(let priority, _) = content { priority } else { nil }
    }

    private var children: TreeDictionary<ChildKey, CompoundWrite> {
        if case .below(_, let children) = content { children } else { [:] }
    }

    /// Changes what is written below a place that is not replaced whole.
    private mutating func change(
        _ body: (inout PriorityWrite?, inout TreeDictionary<ChildKey, CompoundWrite>) -> Void
    ) {
        var (priority, children) = (priority, children)
        content = .nothing  // So that the children are changed where they are.
        body(&priority, &children)
        content = priority == nil && children.isEmpty ? .nothing : .below(priority, children)
    }

    /// What a node's priority becomes.
    private struct PriorityWrite: Hashable, Sendable {
        let value: LeafValue?

        /// The priority as a node: a leaf, or empty.
        var node: Node { value.map { Node($0) } ?? .empty }
    }

    /// One part: what is replaced, and by what.
    package typealias Part = (place: WritePath, node: Node)

    /// No write.
    package init() {}

    /// A node in the place of everything.
    package init(_ node: Node) {
        content = .whole(node)
    }

    /// Joins writes in their order; a later write goes over an earlier write.
    package init(_ parts: some Sequence<Part>) {
        for part in parts { set(part.place, to: part.node) }
    }

    /// Whether nothing is written.
    package var isEmpty: Bool { if case .nothing = content { true } else { false } }

    /// Lays one write over all earlier writes. O(depth).
    package mutating func set(_ place: WritePath, to node: Node) {
        set(place.path.keys[...], isPriority: place.isPriority, to: node)
    }

    private mutating func set(_ keys: ArraySlice<ChildKey>, isPriority: Bool, to new: Node) {
        if let old = node {
            let place = WritePath(RealtimePath(keys), isPriority: isPriority)
            content = .whole(old.setting(place, to: new))
        } else if let key = keys.first {
            change { _, children in
                children[key, default: CompoundWrite()]
                    .set(keys.dropFirst(), isPriority: isPriority, to: new)
            }
        } else if isPriority {
            change { priority, _ in priority = PriorityWrite(value: new.leaf) }
        } else {
            self = CompoundWrite(new)
        }
    }

    /// Lays another compound write, which counts from a place, over all.
    package mutating func set(_ path: RealtimePath, to write: CompoundWrite) {
        for part in write.parts { set(part.place.below(path), to: part.node) }
    }

    /// Forgets the writes at and below a place. A place above stays replaced.
    package mutating func remove(_ place: WritePath) {
        remove(place.path.keys[...], isPriority: place.isPriority)
    }

    private mutating func remove(_ keys: ArraySlice<ChildKey>, isPriority: Bool) {
        guard let key = keys.first else {
            guard isPriority else { return self = CompoundWrite() }
            if node == nil { change { priority, _ in priority = nil } }
            return
        }
        guard var child = children[key] else { return }
        child.remove(keys.dropFirst(), isPriority: isPriority)
        change { _, children in children[key] = child.isEmpty ? nil : child }
    }

    /// The writes at and below a place, seen from the place. O(depth).
    package func child(_ path: RealtimePath) -> CompoundWrite {
        var write = self
        for (depth, key) in path.keys.enumerated() {
            if let node = write.node {
                return CompoundWrite(node.node(at: RealtimePath(path.keys[depth...])))
            }
            guard let child = write.children[key] else { return CompoundWrite() }
            write = child
        }
        return write
    }

    /// The writes at and below a child, if the whole node is not replaced.
    func child(_ key: ChildKey) -> CompoundWrite { children[key] ?? CompoundWrite() }

    /// How many next keys there are below which something is written.
    var childCount: Int { children.count }

    /// The node that a place has whatever was there; `nil` if that is not known. O(depth).
    package func completeNode(at place: WritePath) -> Node? {
        let write = child(place.path)
        guard place.isPriority else { return write.node }
        if let node = write.node { return node.priorityNode }
        return write.priority?.node
    }

    /// The same for a place that is no priority.
    package func completeNode(at path: RealtimePath) -> Node? { child(path).node }

    /// The children that are replaced whole, in any order.
    package var completeChildren: [(key: ChildKey, node: Node)] {
        if let node { return node.children.map { ($0.key, $0.node) } }
        return children.compactMap { key, child in child.node.map { (key, $0) } }
    }

    /// The next keys below which something is written, in order; none if everything is replaced.
    package var childKeys: [ChildKey] { children.keys.sorted() }

    /// The node after the write. O(written places, each times the logarithm of its siblings).
    package func apply(to base: Node) -> Node {
        if let node { return node }
        let written = children.reduce(base) { node, entry in
            let child = node.child(entry.key)
            return node.settingChild(entry.key, to: entry.value.apply(to: child))
        }
        return priority.map { written.settingPriority($0.value) } ?? written
    }

    /// All parts, a place before the places below, in the order of keys.
    ///
    /// A priority comes last among the parts of its place.
    package var parts: [Part] {
        var parts: [Part] = []
        collect(from: .root, into: &parts)
        return parts
    }

    private func collect(from path: RealtimePath, into parts: inout [Part]) {
        if let node {
            parts.append((WritePath(path), node))
            return
        }
        for key in childKeys {
            children[key]?.collect(from: path.appending(key), into: &parts)
        }
        if let priority { parts.append((WritePath(path, isPriority: true), priority.node)) }
    }
}
