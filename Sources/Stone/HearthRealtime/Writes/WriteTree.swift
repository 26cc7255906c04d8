import HashTreeCollections
package import HearthModel

/// The pending writes in their order, and the joint effect of all visible writes on the tree.
///
///     local tree = server tree + pending writes in order
///
/// The tree finds writes by place. The cost of a write therefore depends on the writes that touch
/// the same places, and not on the number of pending writes.
package struct WriteTree: Sendable {
    private var writes: TreeDictionary<WriteID, PendingWrite> = [:]
    /// For each place that a write names, the writes that name the place.
    private var places = PathTree<OrderedTree<WriteID>>()
    /// All visible writes as one.
    package private(set) var visible = CompoundWrite()
    /// How many writes listeners do not see.
    package private(set) var hiddenCount = 0

    /// No write is pending.
    package init() {}

    /// How many writes there are.
    package var count: Int { writes.count }

    /// A write by its number.
    package func write(_ id: WriteID) -> PendingWrite? { writes[id] }

    /// Adds a write behind all others.
    package mutating func add(_ write: PendingWrite) {
        precondition(writes[write.id] == nil, "Write \(write.id) is pending already")
        writes[write.id] = write
        if !write.isVisible { hiddenCount += 1 }
        for part in write.parts {
            var ids = places[part.place.path] ?? OrderedTree()
            ids.insert(write.id, by: Self.order)
            places[part.place.path] = ids
            if write.isVisible { visible.set(part.place, to: part.node) }
        }
    }

    /// Takes a write out.
    ///
    /// - Returns: Whether views may look otherwise now: it was visible, and no later write covers it whole.
    package mutating func remove(_ id: WriteID) -> Bool {
        guard let write = writes[id] else { return false }
        writes[id] = nil
        if !write.isVisible { hiddenCount -= 1 }
        for part in write.parts {
            var ids = places[part.place.path] ?? OrderedTree()
            ids.remove(id, by: Self.order)
            places[part.place.path] = ids.count == 0 ? nil : ids
        }
        guard write.isVisible, !isCovered(write) else { return false }
        rebuild(write)
        return true
    }

    /// Puts another write in the place of the write with the same number, before all later writes.
    package mutating func replace(_ write: PendingWrite) {
        _ = remove(write.id)
        add(write)
        rebuild(write)
    }

    /// Whether later visible writes replace every place that `write` replaces.
    private func isCovered(_ write: PendingWrite) -> Bool {
        write.parts.allSatisfy { part in
            var isCovered = false
            // From the newest back: mostly the newest write of a place covers the older ones.
            places.walk(to: part.place.path) { ids, _ in
                ids.walkBack(from: ids.count) { id in
                    guard id > write.id else { return false }
                    guard let later = writes[id], later.isVisible else { return true }
                    isCovered = later.covers(part.place)
                    return !isCovered
                }
                return !isCovered
            }
            return isCovered
        }
    }

    /// Recomputes the effect of the writes on the places of one, each replaced place once.
    private mutating func rebuild(_ write: PendingWrite) {
        var rebuilt: Set<RealtimePath> = []
        for part in write.parts {
            let root = visible.rootOfReplacement(above: part.place.path)
            if let root, !rebuilt.insert(root).inserted { continue }
            rebuild(at: part.place)
        }
    }

    /// Recomputes the effect of the writes on a place after a write has left.
    ///
    /// If a write above replaces the place, the removed write may have changed the replacing node.
    /// The whole replaced place is then recomputed.
    private mutating func rebuild(at place: WritePath) {
        guard let root = visible.rootOfReplacement(above: place.path) else {
            guard ids(touching: place.path).isEmpty else { return rebuild(below: place.path) }
            return visible.remove(place)
        }
        rebuild(below: root)
    }

    private mutating func rebuild(below root: RealtimePath) {
        visible.remove(WritePath(root))
        for id in ids(touching: root) {
            guard let write = writes[id], write.isVisible else { continue }
            for part in write.parts where root.contains(part.place.path) {
                visible.set(part.place, to: part.node)
            }
            if let whole = write.coveringNode(of: root) { visible.set(WritePath(root), to: whole) }
        }
    }

    // MARK: Finding

    private static func order(_ lhs: WriteID, _ rhs: WriteID) -> Int {
        lhs == rhs ? 0 : lhs < rhs ? -1 : 1
    }

    /// The writes that name a place on the way to another, or that place.
    private func ids(above path: RealtimePath) -> [WriteID] {
        var found: [WriteID] = []
        places.walk(to: path) { ids, _ in
            found += ids.elements
            return true
        }
        return found
    }

    /// The writes that name a place at, above or below another, each once, in their order.
    func ids(touching path: RealtimePath) -> [WriteID] {
        var found = Set(ids(above: path))
        places.subtree(at: path)?.walkDown { ids, _ in
            found.formUnion(ids.elements)
            return true
        }
        return found.sorted()
    }

    /// The joint effect of some writes on a place, seen from the place.
    ///
    /// - Parameters:
    ///   - excluded: Writes that do not count.
    ///   - includesHidden: Whether writes count that listeners do not see.
    package func layered(
        at path: RealtimePath, without excluded: some SetAlgebra<WriteID>, includesHidden: Bool
    ) -> CompoundWrite {
        var layers = CompoundWrite()
        for id in ids(touching: path) where !excluded.contains(id) {
            guard let write = writes[id], write.isVisible || includesHidden else { continue }
            if let whole = write.coveringNode(of: path) {
                layers.set(WritePath(.root), to: whole)
                continue
            }
            for part in write.parts {
                guard let place = part.place.relative(to: path) else { continue }
                layers.set(place, to: part.node)
            }
        }
        return layers
    }
}

extension PendingWrite {
    /// The new node of a place if the write replaces the whole place or a place above; else `nil`.
    fileprivate func coveringNode(of path: RealtimePath) -> Node? {
        self.path.relative(path).flatMap { content.completeNode(at: $0) }
    }
}
