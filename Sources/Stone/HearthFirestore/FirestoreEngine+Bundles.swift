import HashTreeCollections
import HearthEngine
import HearthModel

/// Loads bundles, a slice in a turn. Between the turns others have theirs.
///
/// The cache has a bundle's documents earlier than the views: each view hears of the whole bundle at
/// the bundle's end, one view after the other. What else changes a document meanwhile tells the views of
/// the document as it is then.
extension FirestoreEngine {
    /// Loads a bundle, unless the same one or a newer was loaded before, or the bundle is of the future.
    mutating func load(
        _ bundle: Bundle, for id: RequestID, _ turn: inout Turn
    ) throws(StoreError) {
        let heard = local.globals.lastRemoteVersion
        if let refusal = BundleTimes.refusal(of: bundle, at: turn.now, heard: heard) {
            turn.effects.actions.append(.refuse(id, refusal))
            return
        }
        try turn.store.enter(.loadBundle)
        let isTimerSet = !bundles.isEmpty
        let index = bundles.add(BundleLoad(bundle, for: id))
        if let index { try loadSlice(at: index, &turn) }
        if !isTimerSet { loadSoon(&turn.effects) }
    }

    /// Tells of the loads that an earlier process has left unfinished, and begins to release the
    /// documents that the loads hold.
    mutating func takeUpLeftLoads(_ turn: inout Turn) throws(StoreError) {
        let isTimerSet = !bundles.isEmpty
        for begun in try turn.store.begunBundles() {
            let load = BundleLoad(leaving: begun)
            // A start that the store did not let through comes again, behind other turns.
            if bundles.contains(at: load.place) { continue }
            _ = bundles.add(load)
            tellCut(begun, &turn.effects)
        }
        if !isTimerSet { loadSoon(&turn.effects) }
    }

    /// Goes on with the bundle whose turn it is.
    mutating func loadMore(_ turn: inout Turn) throws(StoreError) {
        guard let index = bundles.next() else { return }
        try turn.store.enter(.loadBundle)
        try loadSlice(at: index, &turn)
        loadSoon(&turn.effects)
    }

    /// The store failed in the turn of a slice.
    mutating func loadFailed(_ error: StoreError, _ effects: inout Effects) {
        if let cut = bundles.cutNext() {
            if let id = cut.id { effects.actions.append(.refuse(id, .storeFailed(error))) }
            tellCut(cut.begun, &effects)
        }
        loadSoon(after: .seconds(1), &effects)
    }

    /// A session is gone. What the cache has of the session's bundles is told as a cut; what waits for its first
    /// slice is dropped.
    mutating func leaveBundles(of session: UInt64, _ effects: inout Effects) {
        for begun in bundles.cut(where: { $0.session == session }) { tellCut(begun, &effects) }
    }

    /// Nobody who waits for a bundle will be answered: the engine does no more work.
    mutating func endLoads(because error: HearthError, _ effects: inout Effects) {
        effects.actions += bundles.waiters.map { .refuse($0, error) }
        bundles = BundleLoads()
    }

    private func loadSoon(after delay: Duration = .zero, _ effects: inout Effects) {
        if bundles.isEmpty { return }
        effects.actions.append(.schedule(.bundles, after: delay))
    }

    private mutating func loadSlice(at index: Int, _ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        var load = bundles[index]
        if !load.hasBegun, let loaded = try store.bundle(load.bundle.record.id),
            loaded.createdAt >= load.bundle.record.createdAt
        {
            _ = bundles.remove(at: index)
            tellSkipped(load, because: loaded, &turn.effects)
            return
        }
        let isFirst = !load.hasBegun
        let slice = load.nextSlice(configuration.bundleSlices)
        if isFirst, !load.isWhole { try store.setBegunBundle(load.note) }
        let changed = try local.take(slice, of: &load, store)
        bundles[index] = load
        let concerned = views.touched(by: changed, targets: [TargetID](), reached: .zero)
        bundles.stored(changed, concerning: concerned, at: index, configuration.bundleSlices)
        if load.isTaken { try tellViews(at: index, &turn) }
    }

    /// Tells the next views of a bundle that the cache has; with the last view the load ends.
    private mutating func tellViews(at index: Int, _ turn: inout Turn) throws(StoreError) {
        let telling = bundles.nextTelling(at: index, configuration.bundleSlices, among: views)
        let ended = bundles[index].isDone ? bundles.remove(at: index) : nil
        try updateViews(telling, &turn)
        if let ended { try end(ended, &turn) }
    }

    /// The cache has a bundle, and all views know.
    private mutating func end(_ load: BundleLoad, _ turn: inout Turn) throws(StoreError) {
        try local.end(load, turn.store)
        if load.isCut {
            try turn.store.removeBundle(load.bundle.record.id)
        } else {
            try turn.store.setBundle(load.bundle.record)
            tellLoaded(load, &turn.effects)
        }
    }

    /// Tells, if the cache has a part of the load's bundle, that nobody goes on with the load.
    private func tellCut(_ begun: BegunBundle?, _ effects: inout Effects) {
        if let begun { effects.actions.append(.note(.bundleCut(begun))) }
    }

    /// The cache has all of a bundle.
    private func tellLoaded(_ load: BundleLoad, _ effects: inout Effects) {
        effects.actions.append(.note(.bundleLoaded(load.bundle.record)))
        if let id = load.id { effects.actions.append(.loaded(id, load.result)) }
    }

    /// The cache has had all of a bundle, or of a newer one of the name, so nothing is taken.
    private func tellSkipped(
        _ load: BundleLoad, because loaded: BundleRecord, _ effects: inout Effects
    ) {
        effects.actions.append(.note(.bundleSkipped(load.bundle.record, because: loaded)))
        if let id = load.id { effects.actions.append(.loaded(id, load.skippedResult)) }
    }

    /// Tells operators how far the bundles are, if that is another than before.
    mutating func noteLoads(_ effects: inout Effects) {
        let progress = bundles.progress
        if progress == toldProgress { return }
        toldProgress = progress
        effects.actions.append(.note(.bundlesLoading(progress)))
    }

    /// Looks up a query that a bundle named.
    mutating func getNamedQuery(
        _ name: String, for id: RequestID, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        turn.effects.actions.append(.found(id, try store.namedQuery(name)))
    }
}
