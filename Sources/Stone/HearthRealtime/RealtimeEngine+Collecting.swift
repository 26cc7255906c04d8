import HearthEngine
import HearthModel

/// A collection of the least used queries, which goes on from slice to slice.
///
///     round: forgets the least lately used queries that nobody listens to, with what they cached
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
    mutating func collectMore(_ turn: inout Turn) throws(StoreError) {
        guard let most = configuration.cacheByteCountMax else { return }
        let store = turn.store
        try store.enter(.collectGarbage)
        var run = collecting ?? RealtimeCollection(restCount: 0)
        if run.restCount == 0 { run.restCount = try roundSize(cacheByteCountMax: most, store) }
        let wanted = min(run.restCount, RealtimeCollection.sliceCountMax)
        let queries = wanted > 0 ? try store.leastUsedQueries(count: wanted) : []
        for query in queries { try store.removeTrackedQuery(query.id) }
        for path in Set(queries.map(\.target.path)).sorted() { try prune(path, store) }
        run.queryCount += queries.count
        run.restCount = queries.isEmpty ? 0 : run.restCount - queries.count
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

    /// Forgets what is cached at a place and below, except for what remembered queries need.
    private func prune(
        _ path: RealtimePath, _ store: any RealtimeTransaction
    ) throws(StoreError) {
        for query in try store.trackedQueries(atOrAbove: path) {
            let isNeeded = try needs(query, path, store)
            if isNeeded { return }
        }
        var kept: [RealtimePath] = []
        for query in try store.trackedQueries(atOrBelow: path) {
            let place = query.target.path
            if query.target.query.isComplete {
                kept.append(place)
            } else {
                kept += try store.keys(of: query.id).map(place.appending)
            }
        }
        try store.pruneServerNode(at: path, except: kept)
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
