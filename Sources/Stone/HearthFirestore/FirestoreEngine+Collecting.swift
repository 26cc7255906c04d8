import HearthEngine
import HearthModel

extension FirestoreEngine {
    /// Collects now, on request, until the cache is no larger.
    ///
    /// What one slice leaves goes with the timer.
    mutating func collect(downTo byteCountMax: Int, _ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        collecting = try local.beginCollection(
            cacheByteCountMax: byteCountMax, keptByteCount: keptByteCount, percentile: 100,
            store)
        try collectSlice(&turn)
    }

    /// Goes on with a collection, or begins one if the cache is large.
    mutating func collectMore(_ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        if collecting == nil, case .leastUsed(let most?) = configuration.collection {
            collecting = try local.beginCollection(
                cacheByteCountMax: most, keptByteCount: keptByteCount,
                percentile: CollectionLimits.percentile, store)
        }
        guard collecting != nil else {
            // A collection that the end of the program cut short may have left something.
            let released = try store.releaseDroppedKeys(limit: CollectionLimits.releaseCountMax)
            if released == CollectionLimits.releaseCountMax {
                turn.effects.actions.append(
                    .schedule(.garbageCollection, after: CollectionLimits.slicePause))
            } else {
                try lookAgain(&turn)
            }
            return
        }
        try collectSlice(&turn)
    }

    private mutating func collectSlice(_ turn: inout Turn) throws(StoreError) {
        guard var collection = collecting else { return }
        let store = turn.store
        let views = views
        let isRoundDone = try local.collectSlice(&collection, store) { views.shows($0) }
        let goesOn = isRoundDone ? try local.beginRound(of: &collection, store) : true
        collecting = goesOn ? collection : nil
        if goesOn {
            turn.effects.actions.append(
                .schedule(.garbageCollection, after: CollectionLimits.slicePause))
            return
        }
        let (targets, documents) = (collection.targetCount, collection.documentCount)
        if targets + documents > 0 {
            turn.effects.actions.append(.note(.collected(targets: targets, documents: documents)))
        }
        try lookAgain(isGrowing: targets + documents >= CollectionLimits.sequenceCountMax, &turn)
    }

    /// About how many bytes of the cache somebody needs: listeners show them, or pins keep them.
    private var keptByteCount: Int {
        views.shownByteCount + pins.unseenByteCount { !views.ids(of: $0).isEmpty }
    }

    /// Sets off the next look at the cache's size.
    ///
    /// The look comes soon if the size is near the limit, and at once if the cache grew by much
    /// during the collection.
    private func lookAgain(isGrowing: Bool = false, _ turn: inout Turn) throws(StoreError) {
        guard case .leastUsed(let most?) = configuration.collection else { return }
        let byteCount = try turn.store.cacheByteCount()
        let delay =
            if isGrowing, byteCount > most {
                CollectionLimits.slicePause
            } else if byteCount > most / 4 * 3 {
                CollectionLimits.nearPeriod
            } else {
                CollectionLimits.period
            }
        turn.effects.actions.append(.schedule(.garbageCollection, after: delay))
    }
}
