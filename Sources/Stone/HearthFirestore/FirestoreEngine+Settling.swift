import HashTreeCollections
import HearthEngine
import HearthModel

/// What an acknowledged write leaves to be decided a moment later, since mostly the watch stream brings the
/// document meanwhile, and listeners then hear of one change and not of two:
///
/// - A view that nobody asks the backend about shows the write as the cache has it: nobody will tell.
/// - A view whose target the backend had told of beyond the commit, without naming the document, takes
///   that silence for an answer: the document is looked up.
extension FirestoreEngine {
    /// How long the watch stream has. Short for a human eye, long for an answer that is on its way.
    static let settlingDelay = Duration.milliseconds(200)

    /// Ends a turn: what must be settled will be.
    mutating func noteUnsettled(_ turn: inout Turn) {
        if !views.unsettledIDs.isEmpty { settleSoon(&turn) }
    }

    /// A write was acknowledged: the backend may have passed its commit before.
    mutating func settleOverdue(_ turn: inout Turn) {
        if !settlesSoon, !overdueIDs.isEmpty { settleSoon(&turn) }
    }

    /// Settles what waits for it.
    mutating func settleViews(_ turn: inout Turn) throws(StoreError) {
        settlesSoon = false
        try settle(Set(overdueIDs).union(views.unsettledIDs).sorted(), &turn)
    }

    /// Settles what waits for it in some views.
    mutating func settle(_ ids: [ViewID], _ turn: inout Turn) throws(StoreError) {
        guard let store = turn.store else { return }
        var deliveries: [ListenerTable.Delivery] = []
        for id in ids {
            guard let row = views[id] else { continue }
            let target = row.targetID
            let settles = watched[target] == nil
            let keys = settles ? Array(row.view.unsettledKeys) : []
            let documents = try local.localDocuments(keys, store)
            let draft = try draft(of: row.view, documents, settles: settles, store, &turn)
            let reached = versionReached(of: target)
            _ = consume row  // So that the view is changed in its place.
            guard let outcome = change(id, { $0.decide(draft, reached: reached) }) else { continue }
            deliveries += try carryOut(outcome, of: target, store, &turn)
        }
        try tell(deliveries, &turn)
    }

    /// Views with results of which the backend's silence has told something already.
    private var overdueIDs: [ViewID] {
        views.ids(awaitingUpTo: local.globals.lastRemoteVersion)
    }

    private mutating func settleSoon(_ turn: inout Turn) {
        guard !settlesSoon, !offlineCauses.contains(.shutdown) else { return }
        settlesSoon = true
        turn.actions.append(.schedule(.settling, after: Self.settlingDelay))
    }
}
