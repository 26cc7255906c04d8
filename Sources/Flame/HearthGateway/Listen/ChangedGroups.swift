import HearthModel

/// The documents that have changed since the client last saw them. The stream shows the documents
/// of a group together.
///
/// The backend shows a write whole. So the documents that change in one snapshot of the engine are
/// one group, and two groups with a common document become one group. A group waits while any of
/// its documents waits for the backend, and until the group's end at most.
struct ChangedGroups: Sendable {
    private struct Group: Sendable {
        var names: Set<DocumentKey>
        /// The documents that wait for the backend.
        var waiting: Set<DocumentKey> = []
        /// When the group is shown at the latest; `nil` until it has been looked at.
        var end: Duration?
    }

    private struct End: Sendable {
        let at: Duration
        /// A document of the group.
        let name: DocumentKey
    }

    private var groups: [UInt64: Group] = [:]
    private var places: [DocumentKey: UInt64] = [:]
    private var lastPlace: UInt64 = 0
    /// The ends of groups in their order, from `firstPlace` on. Some of the groups are gone.
    private var ends: [End] = []
    private var firstPlace = 0

    /// Nothing has changed.
    init() {}

    /// Whether there are no groups.
    var isEmpty: Bool { groups.isEmpty }

    /// How many documents there are.
    var count: Int { places.count }

    /// The documents of all groups.
    var names: some Collection<DocumentKey> { places.keys }

    /// The first end of a group that was looked at; `nil` for none. O(1).
    var firstEnd: Duration? { nextEnd?.at }

    /// Whether a document is in a group.
    func contains(_ name: DocumentKey) -> Bool { places[name] != nil }

    /// Notes documents that changed together. O(names log documents), amortised.
    mutating func join(_ names: some Sequence<DocumentKey>) {
        lastPlace += 1
        var place = lastPlace
        groups[place] = Group(names: [])
        for name in names {
            guard let other = places[name] else {
                places[name] = place
                groups[place]?.names.insert(name)
                continue
            }
            if other != place { place = merge(place, other) }
        }
        if groups[place]?.names.isEmpty ?? false { groups[place] = nil }
    }

    /// Takes out the groups that may be shown.
    ///
    /// - Parameters:
    ///   - changed: The documents that have changed since the last call; each is in a group.
    ///   - window: How long a group may wait from now on.
    ///   - waits: Whether a document waits for the backend.
    /// - Returns: The documents of the groups. O(changed + returned).
    mutating func take(
        _ changed: Set<DocumentKey>, at now: Duration, for window: Duration,
        _ waits: (DocumentKey) -> Bool
    ) -> Set<DocumentKey> {
        var looked: Set<UInt64> = []
        for name in changed {
            guard let place = places[name] else { continue }
            looked.insert(place)
            if waits(name) {
                groups[place]?.waiting.insert(name)
            } else {
                groups[place]?.waiting.remove(name)
            }
        }
        var taken: Set<DocumentKey> = []
        for place in looked where groups[place]?.waiting.isEmpty ?? false {
            taken.formUnion(remove(place))
        }
        for place in looked where groups[place] != nil && groups[place]?.end == nil {
            setEnd(now + window, of: place)
        }
        dropOldEnds()
        while let end = nextEnd, end.at <= now {
            if let place = places[end.name] { taken.formUnion(remove(place)) }
            dropOldEnds()
        }
        return taken
    }

    /// Makes one group of two. The new group has the earlier of the two ends.
    ///
    /// - Returns: The place of the larger, which has all.
    private mutating func merge(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let isFirstLarger = size(of: one) > size(of: other)
        let place = isFirstLarger ? one : other
        guard let smaller = groups.removeValue(forKey: isFirstLarger ? other : one) else {
            preconditionFailure("A document is in a group that is no more")
        }
        for name in smaller.names { places[name] = place }
        groups[place]?.names.formUnion(smaller.names)
        groups[place]?.waiting.formUnion(smaller.waiting)
        if let end = smaller.end {
            let earlier = min(end, groups[place]?.end ?? end)
            groups[place]?.end = earlier
        }
        return place
    }

    private func size(of place: UInt64) -> Int { groups[place]?.names.count ?? 0 }

    private mutating func setEnd(_ end: Duration, of place: UInt64) {
        guard let name = groups[place]?.names.first else { return }
        groups[place]?.end = end
        ends.append(End(at: end, name: name))
    }

    private mutating func remove(_ place: UInt64) -> Set<DocumentKey> {
        let names = groups.removeValue(forKey: place)?.names ?? []
        for name in names { places[name] = nil }
        return names
    }

    private var nextEnd: End? { firstPlace < ends.count ? ends[firstPlace] : nil }

    /// Forgets the ends of groups that are no more, as far as they come first.
    private mutating func dropOldEnds() {
        while let end = nextEnd {
            if let place = places[end.name], groups[place]?.end == end.at { break }
            firstPlace += 1
        }
        guard firstPlace > ends.count / 2 else { return }
        ends.removeFirst(firstPlace)
        firstPlace = 0
    }
}
