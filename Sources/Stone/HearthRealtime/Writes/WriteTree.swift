package import HearthModel

/// The pending writes in their order, and the joint effect of all visible writes on the tree.
///
///     local tree = server tree + pending writes in order
///
/// A write lies at each place that the write names, and nowhere else. A caller that asks for a write says
/// the write's places; the write's change on disk tells the places. The cost of a write depends on the
/// writes that touch the same places, and not on the number of pending writes.
package struct WriteTree: Sendable {
    private var root: WrittenPlace?
    /// How many writes there are.
    package private(set) var count = 0
    /// How many writes listeners do not see.
    package private(set) var hiddenCount = 0

    /// No write is pending.
    package init() {}

    /// All visible writes as one.
    package var visible: VisibleWrites { VisibleWrites(root) }

    /// A write by its name; `nil` if it is not pending.
    package func write(_ name: WriteName) -> PendingWrite? {
        var parts: [CompoundWrite.Part] = []
        var isVisible = true
        for place in name.places {
            guard let part = part(of: name.id, at: place.below(name.path)) else { return nil }
            parts.append((place, part.node))
            isVisible = part.isVisible
        }
        guard let first = parts.first else { return nil }
        return name.isMerge
            ? PendingWrite(name.id, update: name.path, parts)
            : PendingWrite(
                name.id, set: first.place.below(name.path), to: first.node, isVisible: isVisible)
    }

    private func part(of id: WriteID, at place: WritePath) -> WrittenPlace.Part? {
        written(at: place.path)?.part(of: id, isPriority: place.isPriority)
    }

    /// Adds a write behind all others.
    package mutating func add(_ write: PendingWrite) {
        let parts = write.parts
        guard !parts.isEmpty else { return }
        count += 1
        if !write.isVisible { hiddenCount += 1 }
        for (place, node) in parts {
            let part = WrittenPlace.Part(
                id: write.id, node: node, isVisible: write.isVisible, isPriority: place.isPriority)
            WrittenPlace.add(part, at: place.path.keys[...], to: &root, isCovered: false)
        }
    }

    /// Takes a write out, or some of its parts.
    ///
    /// - Parameter leavesParts: Whether `write` has some of the parts, and the others stay.
    /// - Returns: Whether views may look otherwise now: it was visible, and no later write covers it whole.
    package mutating func remove(_ write: PendingWrite, leavesParts: Bool = false) -> Bool {
        var (isFound, isCovered) = (false, true)
        var replaced: Set<RealtimePath> = []
        for (place, _) in write.parts {
            var removal = WrittenPlace.Removal(write.id, isPriority: place.isPriority)
            WrittenPlace.remove(&removal, at: place.path.keys[...], from: &root)
            guard removal.isFound else { continue }
            isFound = true
            isCovered = isCovered && removal.isCovered
            if let depth = removal.wholeDepth {
                replaced.insert(RealtimePath(place.path.keys[..<depth]))
            }
        }
        guard isFound else { return false }
        if !leavesParts {
            count -= 1
            if !write.isVisible { hiddenCount -= 1 }
        }
        guard write.isVisible, !isCovered else { return false }
        rebuild(replaced)
        return true
    }

    /// Puts another write in the place of a write with the same number, before all later writes.
    package mutating func replace(_ old: PendingWrite, with write: PendingWrite) {
        _ = remove(old)
        add(write)
        rebuild(Set(write.parts.compactMap { topmostReplaced(above: $0.place.path) }))
    }

    /// The topmost place on the way to a place that the visible writes replace; `nil` if none is.
    private func topmostReplaced(above path: RealtimePath) -> RealtimePath? {
        var depth: Int?
        walk(to: path) { written, reached in
            if written.whole != nil { depth = reached }
            return depth == nil
        }
        return depth.map { RealtimePath(path.keys[..<$0]) }
    }

    /// Computes anew what replaced places know.
    private mutating func rebuild(_ places: Set<RealtimePath>) {
        for place in places { WrittenPlace.rebuild(&root, at: place.keys[...]) }
    }

    // MARK: Finding

    /// Goes from the root to a place, both included, as long as writes lie there or below.
    ///
    /// - Parameter body: Takes a place and how many keys lead to it; ends the walk with `false`.
    private func walk(to path: RealtimePath, _ body: (WrittenPlace, Int) -> Bool) {
        guard var written = root, body(written, 0) else { return }
        for (index, key) in path.keys.enumerated() {
            guard let child = written.below[key], body(child, index + 1) else { return }
            written = child
        }
    }

    private func written(at path: RealtimePath) -> WrittenPlace? {
        var written = root
        for key in path.keys { written = written?.below[key] }
        return written
    }

    /// The writes that name a place at, above or below another, each once, in their order.
    func ids(touching path: RealtimePath) -> [WriteID] {
        var found: Set<WriteID> = []
        walk(to: path) { written, depth in
            if depth < path.depth {
                written.visitParts { found.insert($0.id) }
            } else {
                written.collect(from: .root) { found.insert($0.part.id) }
            }
            return true
        }
        return found.sorted()
    }

    /// The joint effect of some writes on a place, seen from the place.
    ///
    /// - Parameters:
    ///   - path: The place.
    ///   - excluded: Writes that do not count.
    ///   - includesHidden: Whether writes count that listeners do not see.
    package func layered(
        at path: RealtimePath, without excluded: some SetAlgebra<WriteID>, includesHidden: Bool
    ) -> CompoundWrite {
        var found: [WrittenPlace.Placed] = []
        walk(to: path) { written, depth in
            guard depth < path.depth else {
                written.collect(from: .root) { found.append($0) }
                return false
            }
            // A write that replaces a place above replaces this place too, by a part of the write's node.
            written.visitParts { part in
                if part.isPriority { return }
                let node = part.node.node(at: RealtimePath(path.keys[depth...]))
                found.append((WritePath(.root), part.with(node)))
            }
            return true
        }
        var layers = CompoundWrite()
        for (place, part) in found.inOrder where !excluded.contains(part.id) {
            if part.isVisible || includesHidden { layers.set(place, to: part.node) }
        }
        return layers
    }
}
