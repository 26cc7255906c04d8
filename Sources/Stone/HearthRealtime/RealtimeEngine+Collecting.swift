import HearthEngine
import HearthModel

/// A collection of the least used queries, which goes on from slice to slice.
///
///     round: forgets the least lately used queries that nobody listens to, with what they cached
///     slice: a part of a round, and of a large query a part, which one turn takes
///     next round: while the cache is too large, or too many such queries are remembered
///
/// - Source: firebase-android-sdk `core/persistence/LRUCachePolicy.java` for the limits of a round.
struct RealtimeCollection: Sendable {
    /// The part of the unused queries that one round forgets.
    static let percentile = 20
    /// How many unused queries are remembered, whatever the cache's size.
    static let queryCountMax = 1_000
    /// How many queries one slice forgets.
    static let sliceCountMax = 20
    /// How much of the cached tree one slice prunes: some milliseconds' worth.
    static let sliceRoom = PruneRoom(rowCount: 200, byteCount: 1 << 20)
    /// How long after the start the first round may begin.
    static let firstDelay = Duration.seconds(60)
    /// How long between looks at the size of the cache.
    static let period = Duration.seconds(60)
    /// How long the engine pauses between slices for other work.
    static let slicePause = Duration.milliseconds(3)

    /// How many queries the present round has yet to forget.
    var restCount: Int
    /// Queries forgotten so far.
    var queryCount = 0
}

extension RealtimeEngine {
    /// Goes on with a collection, or begins one if the cache is large.
    ///
    /// Not while the rest of a node is to be read: its listeners count as users of their queries only
    /// when they have joined their views.
    mutating func collectMore(_ turn: inout Turn) throws(StoreError) {
        guard let most = configuration.cacheByteCountMax else { return }
        guard begun.isEmpty else {
            turn.effects.actions.append(
                .schedule(.garbageCollection, after: RealtimeCollection.slicePause))
            return
        }
        let store = turn.store
        try store.enter(.collectGarbage)
        var run = collecting ?? RealtimeCollection(restCount: 0)
        if run.restCount == 0 { run.restCount = try roundSize(cacheByteCountMax: most, store) }
        let wanted = min(run.restCount, RealtimeCollection.sliceCountMax)
        let queries = wanted > 0 ? try store.leastUsedQueries(count: wanted) : []
        let count = try forget(queries, store)
        run.queryCount += count
        run.restCount = queries.isEmpty ? 0 : run.restCount - count
        if !queries.isEmpty {
            collecting = run
            turn.effects.actions.append(
                .schedule(.garbageCollection, after: RealtimeCollection.slicePause))
            return
        }
        if run.queryCount > 0 {
            turn.effects.actions.append(.note(.collected(queries: run.queryCount)))
        }
        collecting = nil
        turn.effects.actions.append(.schedule(.garbageCollection, after: RealtimeCollection.period))
    }

    /// How many queries the next round forgets; none if the cache is small enough.
    private func roundSize(
        cacheByteCountMax most: Int, _ store: any RealtimeTransaction
    ) throws(StoreError) -> Int {
        let count = try store.inactiveQueryCount()
        let excess = max(0, count - RealtimeCollection.queryCountMax)
        guard try store.serverByteCount() > most else { return excess }
        let part = (count * RealtimeCollection.percentile + 99) / 100
        return max(part, excess)
    }

    /// Forgets queries with their cached data, as many as one slice has room for.
    ///
    /// A query whose data goes over several slices is remembered until the last of them, but not as
    /// complete. So the next slice goes on with the query; and if somebody listens meanwhile, the query
    /// is left alone, and the listener gets everything from the backend.
    ///
    /// - Returns: How many are forgotten, with all that they cached.
    private func forget(
        _ queries: [TrackedQuery], _ store: any RealtimeTransaction
    ) throws(StoreError) -> Int {
        var room = RealtimeCollection.sliceRoom
        var count = 0
        for query in queries where !room.isUsedUp {
            let isDone = try prune(query, within: &room, store)
            guard isDone else {
                var begun = query
                begun.isComplete = false
                if query.isComplete { try store.setTrackedQuery(begun) }
                break
            }
            try store.removeTrackedQuery(query.id)
            count += 1
        }
        return count
    }

    /// Forgets the cached data of a query, except for data that other remembered queries need.
    ///
    /// - Returns: Whether nothing is left to forget.
    private func prune(
        _ query: TrackedQuery, within room: inout PruneRoom, _ store: any RealtimeTransaction
    ) throws(StoreError) -> Bool {
        let path = query.target.path
        for other in try store.trackedQueries(atOrAbove: path) where other.id != query.id {
            let isNeeded = try needs(other, path, store)
            if isNeeded { return true }
        }
        var kept: [RealtimePath] = []
        for other in try store.trackedQueries(atOrBelow: path) where other.id != query.id {
            let place = other.target.path
            if other.target.query.isComplete {
                kept.append(place)
            } else {
                kept += try store.keys(of: other.id).map(place.appending)
            }
        }
        return try store.pruneServerNode(at: path, except: kept, within: &room)
    }

    /// Whether a query needs all data cached at its own place or at a place below.
    private func needs(
        _ query: TrackedQuery, _ path: RealtimePath, _ store: any RealtimeTransaction
    ) throws(StoreError) -> Bool {
        if query.target.query.isComplete { return true }
        guard path.depth > query.target.path.depth else { return false }
        return try store.keys(of: query.id).contains(path.keys[query.target.path.depth])
    }
}
