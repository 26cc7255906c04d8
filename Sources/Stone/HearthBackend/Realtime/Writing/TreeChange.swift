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
    /// What was written: in the order of paths, and none at or below another.
    let places: [WritePath]

    /// Takes what was written, in the order of paths.
    ///
    /// Of a place that got a priority and children in one update the whole is told: clients take
    /// one before the other, and lose a priority that comes before there is anything.
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

    /// What is at a place: a node, or a priority as a leaf.
    static func content(of place: WritePath, in root: Node) -> Node {
        let node = root.node(at: place.path)
        guard place.isPriority else { return node }
        return node.priority.map { Node($0) } ?? .empty
    }

    /// Whether the tree holds something else than before at one of the places.
    var isAny: Bool {
        places.contains { Self.content(of: $0, in: before) != Self.content(of: $0, in: after) }
    }

    /// The change as those are told it who listen where it was made, or above.
    var told: PushedChange {
        if !isMerge, let place = places.first {
            return .overwrite(place, Self.content(of: place, in: after))
        }
        return .merge(base, children)
    }

    /// What is at the places of a merge now, by their ways from where it was made.
    var children: [PushedChild] {
        places.map { PushedChild($0.relative(to: base), Self.content(of: $0, in: after)) }
    }

    /// The smallest set of places to be saved, with which nothing else has changed.
    ///
    /// A write that takes away the last child takes its parents too, and one below a leaf takes its
    /// place.
    var saved: [(WritePath, Node)] {
        var result: [(WritePath, Node)] = []
        for place in places {
            let widened = widened(place)
            if let last = result.last?.0, !last.isPriority, last.path.contains(widened.path) {
                continue
            }
            result.append((widened, Self.content(of: widened, in: after)))
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

extension WritePath {
    /// The same place, seen from one at or above it.
    func relative(to parent: RealtimePath) -> WritePath {
        WritePath(
            RealtimePath(path.keys.dropFirst(parent.depth)), isPriority: isPriority)
    }

    /// Whether another place is this one or lies below it, so that one write cannot name both.
    func covers(_ other: WritePath) -> Bool {
        if isPriority { return other.isPriority && path == other.path }
        return path.contains(other.path)
    }

    /// Orders two places, each before those that it covers: negative, zero or positive.
    static func compare(_ lhs: WritePath, _ rhs: WritePath) -> Int {
        let result = RealtimePath.compare(lhs.path, rhs.path)
        return result == 0 ? (lhs.isPriority ? 1 : 0) - (rhs.isPriority ? 1 : 0) : result
    }
}
