import HearthModel

/// What a write did to a tree.
struct TreeChange: Sendable {
    /// The tree before and after.
    let before: Node
    let after: Node
    /// Where the write was made. All places are there or below.
    let base: RealtimePath
    /// Whether it is told as a merge.
    let isMerge: Bool
    /// The written places, in the order of paths; no place lies at or below another.
    let places: [WritePath]

    /// Takes the written places, in the order of paths.
    ///
    /// If one update gave a place a priority and children, listeners are told the whole place.
    /// Clients would take the priority before the children, and lose a priority that comes before
    /// any content.
    init(before: Node, after: Node, base: RealtimePath, isMerge: Bool, writing places: [WritePath])
    {
        self.before = before
        self.after = after
        self.places = places.enumerated().reduce(into: []) { result, item in
            let (index, place) = item
            if let last = result.last, last.covers(place) { return }
            let next = index + 1 < places.count ? places[index + 1] : nil
            let isWhole = place.isPriority && next.map { place.path.contains($0.path) } ?? false
            result.append(isWhole ? WritePath(place.path) : place)
        }
        let isOne = self.places.count == 1 && self.places[0] == WritePath(base)
        self.base = base
        self.isMerge = isMerge && !isOne
    }

    /// Whether the tree holds something else than before at one of the places.
    var isAny: Bool {
        places.contains { before.node(at: $0) != after.node(at: $0) }
    }

    /// The change as told to the listeners at the place of the write, or above.
    var told: PushedChange {
        if !isMerge, let place = places.first {
            return .overwrite(place, after.node(at: place))
        }
        return .merge(base, children)
    }

    /// The new content of the places of a merge, by the paths from the place of the merge.
    var children: [RealtimeTold] {
        places.map { RealtimeTold($0.dropFirst(base.depth), after.node(at: $0)) }
    }

    /// The smallest set of places to save that covers everything that changed.
    ///
    /// A write that removes a last child removes the child's parents too, and a write below a leaf
    /// replaces the leaf.
    var saved: [(WritePath, Node)] {
        var result: [(WritePath, Node)] = []
        for place in places {
            let widened = widened(place)
            if let last = result.last?.0, !last.isPriority, last.path.contains(widened.path) {
                continue
            }
            result.append((widened, after.node(at: widened)))
        }
        return result
    }

    private func widened(_ place: WritePath) -> WritePath {
        var (old, new) = (before, after)
        for (depth, key) in place.path.keys.enumerated() {
            if new.isEmpty || old.isLeaf {
                return WritePath(RealtimePath(place.path.keys[..<depth]))
            }
            old = old.child(key)
            new = new.child(key)
        }
        return new.isEmpty ? WritePath(place.path) : place
    }
}
