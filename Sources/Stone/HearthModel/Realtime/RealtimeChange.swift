/// What a write does to the tree: the set of one place, or an update of several places together.
package enum RealtimeChange: Hashable, Sendable {
    /// One place of an update.
    package struct Part: Hashable, Sendable {
        /// The way from where the update is made.
        package let place: WritePath
        /// What is to be there.
        package let node: UnresolvedNode

        /// Says what is to be where.
        package init(_ place: WritePath, _ node: UnresolvedNode) {
            self.place = place
            self.node = node
        }
    }

    /// Replaces all at a place, which may be a priority.
    case set(WritePath, UnresolvedNode)
    /// Replaces several places below a path. No place lies at or below another.
    case update(RealtimePath, [Part])

    /// Where the change is made: no place of the change lies elsewhere than there or below.
    package var path: RealtimePath {
        switch self {
        case .set(let place, _): place.path
        case .update(let path, _): path
        }
    }

    /// The places of the change with what is to be there, each place counted from the root.
    package var parts: [Part] {
        switch self {
        case .set(let place, let node): [Part(place, node)]
        case .update(let path, let parts): parts.map { Part($0.place.below(path), $0.node) }
        }
    }

    /// Whether the change names no place.
    package var isEmpty: Bool {
        if case .update(_, let parts) = self { parts.isEmpty } else { false }
    }

    /// Whether applying the change twice may differ from applying the change once, because the
    /// server adds to what is there.
    package var addsToWhatIsThere: Bool {
        parts.contains { $0.node.addsToWhatIsThere }
    }
}

extension RealtimeChange {
    /// Why no change may name these places together; `nil` if one may. O(n log n).
    package var objection: String? {
        switch self {
        case .set(let place, let node): Part(place, node).objection
        case .update(let path, _): Self.objection(to: parts, below: path)
        }
    }

    private static func objection(to parts: [Part], below path: RealtimePath) -> String? {
        for part in parts {
            if let objection = part.objection { return objection }
        }
        let places = parts.map(\.place).sorted { WritePath.compare($0, $1) < 0 }
        // Only a priority of the place itself stands before all that lies below.
        if places.contains(WritePath(path)) { return "an update has an empty path in it" }
        for (place, next) in zip(places, places.dropFirst()) where place.covers(next) {
            return "\(next) is at or below \(place); one update cannot write both"
        }
        return nil
    }
}

extension RealtimeChange.Part {
    /// Why no change may name the place, which counts from the root; `nil` if one may.
    fileprivate var objection: String? {
        let path = place.path
        if path.isInfo { return "nothing below .info can be written" }
        if path.depth > RealtimePath.depthMax {
            return "a path of \(path.depth) keys is too deep; \(RealtimePath.depthMax) are allowed"
        }
        return place.isPriority && !node.canBePriority
            ? "a priority must be a number, a string or null" : nil
    }
}
