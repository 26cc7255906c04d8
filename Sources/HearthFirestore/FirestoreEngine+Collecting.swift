import HearthModel

extension FirestoreEngine {
    /// Collects now, on request, whatever is least used; what one slice leaves goes with the timer.
    mutating func collect(downTo byteCountMax: Int, _ turn: inout Turn) throws(StoreError) {
        guard let store = turn.store else { return }
        let round = try local.beginCollection(
            cacheByteCountMax: byteCountMax, percentile: 100, store)
        guard let round else { return }
        collecting = round
        try collectSlice(&turn)
    }

    /// Goes on with a round, or begins one if the cache is large.
    mutating func collectMore(_ turn: inout Turn) throws(StoreError) {
        guard let store = turn.store else { return }
        if collecting == nil, case .leastUsed(let most?) = configuration.collection {
            collecting = try local.beginCollection(
                cacheByteCountMax: most, percentile: CollectionLimits.percentile, store)
        }
        guard collecting != nil else {
            // A round that the end of the program cut short may have left something.
            let released = try store.releaseDroppedKeys(limit: CollectionLimits.releaseCountMax)
            let isLast = released < CollectionLimits.releaseCountMax
            scheduleCollection(after: isLast ? CollectionLimits.period : nil, &turn)
            return
        }
        try collectSlice(&turn)
    }

    private mutating func collectSlice(_ turn: inout Turn) throws(StoreError) {
        guard let store = turn.store, var round = collecting else { return }
        let views = views
        let isDone = try local.collectSlice(&round, store) { views.shows($0) }
        collecting = isDone ? nil : round
        guard isDone else {
            scheduleCollection(after: nil, &turn)
            return
        }
        if round.targetCount + round.documentCount > 0 {
            turn.actions.append(
                .note(.collected(targets: round.targetCount, documents: round.documentCount)))
        }
        scheduleCollection(after: CollectionLimits.period, &turn)
    }

    /// Schedules the next round, or the next slice of this one.
    private func scheduleCollection(after period: Duration?, _ turn: inout Turn) {
        if period != nil, case .leastUsed(.some) = configuration.collection {
            turn.actions.append(.schedule(.garbageCollection, after: CollectionLimits.period))
        } else if period == nil {
            turn.actions.append(
                .schedule(.garbageCollection, after: CollectionLimits.slicePause))
        }
    }
}
