import HashTreeCollections
package import HearthModel

/// The number of a tracked query.
package struct TrackedQueryID: Hashable, Comparable, Sendable {
    /// The number, rising from 1.
    package let rawValue: Int64

    /// Wraps a number.
    package init(_ rawValue: Int64) {
        self.rawValue = rawValue
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// What the disk remembers of a query that somebody listened to.
package struct TrackedQuery: Hashable, Sendable {
    /// Its number.
    package let id: TrackedQueryID
    /// What was listened to.
    package let target: ListenTarget
    /// When somebody last listened, or began to.
    package var lastUse: Timestamp
    /// Whether the cache has the whole result, as of the last connection.
    package var isComplete: Bool
    /// Whether somebody listens now.
    package var isActive: Bool

    /// Tracks a query.
    ///
    /// - Parameters:
    ///   - id: The query's number.
    ///   - target: What was listened to.
    ///   - lastUse: When somebody last listened, or began to.
    ///   - isComplete: Whether the cache has the whole result, as of the last connection.
    ///   - isActive: Whether somebody listens now.
    package init(
        id: TrackedQueryID, target: ListenTarget, lastUse: Timestamp, isComplete: Bool = false,
        isActive: Bool = false
    ) {
        self.id = id
        self.target = target
        self.lastUse = lastUse
        self.isComplete = isComplete
        self.isActive = isActive
    }
}

/// The tracked queries with hashes, by their places: a store forgets the hash of changed data.
package struct HashedQueries: Sendable {
    private var places = PathTree<TreeSet<TrackedQueryID>>()

    /// No query.
    package init() {}

    /// A query has a hash.
    package mutating func insert(_ id: TrackedQueryID, at path: RealtimePath) {
        places[path] = (places[path] ?? []).union([id])
    }

    /// A query has no hash any more.
    package mutating func remove(_ id: TrackedQueryID, at path: RealtimePath) {
        guard var ids = places[path], ids.remove(id) != nil else { return }
        places[path] = ids.isEmpty ? nil : ids
    }

    /// Whether a query has a hash. O(depth).
    package func contains(_ id: TrackedQueryID, at path: RealtimePath) -> Bool {
        places[path]?.contains(id) ?? false
    }

    /// Takes out the queries at a place, above and below, except those at some places and below.
    ///
    /// O(depth + queries found).
    package mutating func take(
        touching path: RealtimePath, except kept: [RealtimePath] = []
    ) -> [TrackedQueryID] {
        if places.isEmpty { return [] }
        var found: [(id: TrackedQueryID, path: RealtimePath)] = []
        places.walk(to: path) { ids, depth in
            let place = RealtimePath(path.keys[..<depth])
            if depth < path.depth { found += ids.map { ($0, place) } }
            return true
        }
        places.subtree(at: path)?.walkDown { ids, rest in
            let place = path.appending(rest)
            if kept.contains(where: { $0.contains(place) }) { return false }
            found += ids.map { ($0, place) }
            return true
        }
        for (id, path) in found { remove(id, at: path) }
        return found.map(\.id)
    }
}
