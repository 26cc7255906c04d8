import HashTreeCollections
import HearthEngine
import HearthModel

/// Decisions after an acknowledged write that the engine takes a moment later.
///
/// Mostly the watch stream brings the document meanwhile, and listeners then hear of one change and
/// not of two. The late decisions:
///
/// - A view of an unwatched target shows the write as the cache has it, because no message will
///   come.
/// - If the backend has told of a target beyond the commit without naming the document, the
///   target's views take the silence for an answer: the engine looks up the document.
extension FirestoreEngine {
    /// How long the engine waits for the watch stream.
    ///
    /// Short for a human eye, long for an answer that is on its way.
    static let settlingDelay = Duration.milliseconds(200)

    /// Schedules the settling at the end of a turn, if any view needs settling.
    mutating func noteUnsettled(_ effects: inout Effects) {
        if !views.unsettledIDs.isEmpty { settleSoon(&effects) }
    }

    /// A write was acknowledged: the backend may have passed its commit before.
    mutating func settleOverdue(_ effects: inout Effects) {
        if !settlesSoon, !overdueIDs.isEmpty { settleSoon(&effects) }
    }

    /// Settles all views that wait for settling.
    mutating func settleViews(_ turn: inout Turn) throws(StoreError) {
        settlesSoon = false
        try settle(Set(overdueIDs).union(views.unsettledIDs).sorted(), &turn)
        for id in views.shortIDs.sorted() {
            if let query = views[id]?.view.query { try refill(query, &turn) }
        }
    }

    /// Settles some views.
    mutating func settle(_ ids: [ViewID], _ turn: inout Turn) throws(StoreError) {
        var deliveries: [ListenerTable.Delivery] = []
        for id in ids {
            guard let row = views[id] else { continue }
            let target = row.targetID
            let settles = watched[target] == nil
            let keys = settles ? Array(row.view.unsettledKeys) : []
            let documents = try local.localDocuments(keys, turn.store)
            let draft = try draft(of: row.view, documents, settles: settles, &turn)
            let reached = versionReached(of: target)
            _ = consume row  // So that the view is changed in its place.
            guard let outcome = change(id, { $0.decide(draft, reached: reached) }) else { continue }
            deliveries += try carryOut(outcome, of: target, &turn)
        }
        tell(deliveries, &turn.effects)
    }

    /// Views with results for which the backend's silence already counts as an answer.
    private var overdueIDs: [ViewID] {
        views.ids(awaitingUpTo: local.globals.lastRemoteVersion)
    }

    private mutating func settleSoon(_ effects: inout Effects) {
        guard !settlesSoon, !offlineCauses.contains(.shutdown) else { return }
        settlesSoon = true
        effects.actions.append(.schedule(.settling, after: Self.settlingDelay))
    }
}
