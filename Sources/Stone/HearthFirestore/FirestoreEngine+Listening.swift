import HashTreeCollections
import HearthEngine
import HearthModel

extension FirestoreEngine {
    /// A session subscribes.
    mutating func listen(
        _ id: ListenerID, _ query: Query, _ options: ListenOptions, _ turn: inout Turn
    ) throws(StoreError) {
        if let refusal = refusal(of: query) {
            turn.effects.actions.append(.fail(id, refusal))
            return
        }
        if !options.isCacheOnly { try noteReading(by: id.session, &turn) }
        guard let sight = try firstSight(of: query, for: .listen(id, query, options), &turn) else {
            return
        }
        try add(Listener(recipient: .listener(id), options: options), to: query, sight, &turn)
    }

    /// A session reads once.
    mutating func get(
        _ id: RequestID, _ query: Query, _ source: ReadSource, _ turn: inout Turn
    ) throws(StoreError) {
        if let refusal = refusal(of: query) {
            turn.effects.actions.append(.refuse(id, refusal))
            return
        }
        if source == .cache {
            try getFromCache(id, query, &turn)
            return
        }
        if source == .server, isRefusedByBudget(id, &turn.effects) { return }
        try noteReading(by: id.session, &turn)
        if source == .server, !withheld.contains(id.session) { backendIsWanted(&turn.effects) }
        guard let sight = try firstSight(of: query, for: .get(id, query, source), &turn) else {
            return
        }
        try add(.read(id, source), to: query, sight, &turn)
    }

    /// A subscription, or a read, ends.
    mutating func unlisten(_ recipient: Recipient, _ effects: inout Effects) {
        guard let query = listeners.query(of: recipient) else {
            // The others failed, or were answered, while this was on the way.
            if case .listener(let id) = recipient { leaveSurveys(&effects) { $0.listener == id } }
            return
        }
        leaveLedger(recipient, query, effects)
        switch listeners.remove(recipient) {
        case .close(let watches):
            closeView(of: query, watches: watches, &effects)
        case .stopWatching:
            if let row = views[query] { unwatchIfUnwanted(row.targetID, &effects) }
        case .open, .startWatching, .none:
            break
        }
    }

    /// A session is gone.
    mutating func disconnected(_ session: UInt64, _ turn: inout Turn) throws(StoreError) {
        forget(session: session, &turn.effects)
        try removeVote(of: session, &turn)
    }

    /// A session is gone: nothing is kept for it but its vote.
    mutating func forget(session: UInt64, _ effects: inout Effects) {
        for recipient in listeners.recipients(ofSession: session) {
            unlisten(recipient, &effects)
        }
        leaveSurveys(&effects) { $0.session == session }
        openedReads.removeAll { $0.id.session == session }
        leaveBundles(of: session, &effects)
        listeners.removeSyncListeners(ofSession: session)
        pendingWrites.remove(session: session)
        pins.waiters.removeAll { $0.id.session == session }
        for id in calls.keys where id.session == session { abandonCall(id, &effects) }
        withheld.remove(session)
        promisedSessions.remove(session)
        stopped.remove(session)
        ledger.forget(session)
    }

    /// Adds a recipient of a query, and tells it what there is to tell.
    mutating func add(
        _ listener: Listener, to query: Query, _ sight: FirstSight, _ turn: inout Turn
    ) throws(StoreError) {
        var first: ViewSnapshot?
        var listener = listener
        if isKeptFromBackend(listener.recipient.session) { listener.setWithheld(true) }
        switch (listeners.add(listener, to: query), sight) {
        case (.open(let watches), .cached(let result)):
            first = try openView(of: query, from: result, watches: watches, &turn)
        case (.open, .view):
            preconditionFailure("Nobody has looked what \(query.canonicalID) has")
        case (.startWatching, _):
            let hasTold = startWatching(query, &turn.effects)
            if hasTold { return joinLedger(listener.recipient, query, turn.effects) }
        case (.close, _), (.stopWatching, _), (.none, _):
            // Who comes now must not be told what is about to be settled.
            if settlesSoon, let id = views.id(of: query) { try settle([id], &turn) }
        }
        joinLedger(listener.recipient, query, turn.effects)
        let told = listeners.deliverFirst(first, to: listener.recipient, online.state)
        tell(told, &turn.effects)
        if let id = views.id(of: query) { answerLookedUp([id], &turn.effects) }
    }

    /// The first listener of a query that needs the backend has come.
    ///
    /// - Returns: Whether all listeners of the query were told everything there was to tell.
    mutating func startWatching(_ query: Query, _ effects: inout Effects) -> Bool {
        guard let id = views[query]?.targetID, let data = local.targets[id] else { return false }
        let begun = beginAnew(data.id, &effects)
        watch(data, &effects)
        return begun.contains(query)
    }

    /// Makes a view from what the cache has, and asks the backend if anyone wants that.
    private mutating func openView(
        of query: Query, from result: LocalStore.QueryResult, watches: Bool, _ turn: inout Turn
    ) throws(StoreError) -> ViewSnapshot? {
        try noteEndings(&turn)
        let data = try local.allocate(query.target, turn.store)
        if watches { _ = beginAnew(data.id, &turn.effects) }
        // Queries with the same target share the backend's answers about the target.
        let twin = views.rows.first(of: data.id)?.view
        var keys = twin?.syncedKeys ?? result.remoteKeys
        if keys == nil { keys = try turn.store.keys(of: data.id) }
        var view = View(
            query: query, syncedKeys: keys ?? [], readAt: data.snapshotVersion)
        let isCurrent = twin?.isCurrent ?? false
        let draft =
            result.sorted.map { view.draft(filling: $0) } ?? view.draft(result.documents.values)
        let outcome = view.decide(
            draft,
            change: TargetChange(resumeToken: data.resumeToken, isCurrent: isCurrent),
            reached: versionReached(of: data.id))
        views.insert(view, target: data.id, isWatched: watches || watched[data.id] != nil)
        if watches { watch(data, &turn.effects) }
        lookUp(outcome, for: data.id, &turn.effects)
        return outcome.snapshot
    }

    /// Lets the views of a target begin anew before the engine watches the target.
    ///
    /// The views showed the cache alone until now, so the backend's last answer is old. The views
    /// of a target that is watched already go on as they are.
    ///
    /// - Returns: The queries with a new snapshot; their listeners were told everything there was
    ///   to tell.
    private mutating func beginAnew(
        _ id: TargetID, _ effects: inout Effects
    ) -> Set<Query> {
        guard watched[id] == nil else { return [] }
        var begun: Set<Query> = []
        var deliveries: [ListenerTable.Delivery] = []
        for id in views.ids(of: id) {
            guard let snapshot = change(id, { $0.beginAnew() })?.snapshot else { continue }
            begun.insert(snapshot.query)
            deliveries += listeners.deliver(snapshot, online.state)
        }
        tell(deliveries, &effects)
        return begun
    }

    private mutating func closeView(
        of query: Query, watches: Bool, _ effects: inout Effects
    ) {
        guard let id = views.id(of: query), let row = views[id] else { return }
        let isLast = views.ids(of: row.targetID).count == 1
        if watches { unwatchIfUnwanted(row.targetID, &effects) }
        if isLast {
            removeTarget(row.targetID, error: nil, &effects)
        } else {
            remove(id, row.view, &effects)
            lookUp(joined: [], left: row.view.limboKeys.sorted(), for: row.targetID, &effects)
        }
    }

    /// Stops watching a target if all remaining listeners to its queries want the cache alone.
    ///
    /// The target's views stay as certain as they are, but the engine looks up no more documents in
    /// limbo: without the target's own answer, a lookup that finds the document would settle
    /// nothing.
    ///
    /// - Source: firebase-js-sdk `sync_engine_impl`, the last remote listener of a query.
    mutating func unwatchIfUnwanted(_ id: TargetID, _ effects: inout Effects) {
        let listeners = listeners
        let ids = views.ids(of: id)
        let rows = ids.compactMap { views[$0] }
        if rows.contains(where: { listeners.watches($0.view.query) }) { return }
        unwatch(id, &effects)
        for id in ids { views.setWatched(id, false) }
        var inDoubt: TreeSet<DocumentKey> = []
        for row in rows { inDoubt.formUnion(row.view.limboKeys) }
        carryOut(limbo.released(id, limbo: inDoubt), &effects)
    }

    /// Changes a view; `nil` if there is none of this number.
    mutating func change(
        _ id: ViewID, _ body: (inout View) -> View.Outcome
    ) -> View.Outcome? {
        guard let target = views[id]?.targetID else { return nil }
        return views.change(id, isWatched: watched[target] != nil, body)
    }

    /// Takes a target out of use with all its views; with an error, their listeners hear of it.
    mutating func removeTarget(
        _ id: TargetID, error: HearthError?, _ effects: inout Effects
    ) {
        var limboKeys: TreeSet<DocumentKey> = []
        for id in views.ids(of: id) {
            guard let view = views[id]?.view else { continue }
            limboKeys.formUnion(view.limboKeys)
            remove(id, view, &effects)
            guard let error else { continue }
            for listener in listeners.removeAll(of: view.query) {
                switch listener.recipient {
                case .listener(let id): effects.actions.append(.fail(id, error))
                case .read(let id, _):
                    let answer = listener.narrowAnswer.map { Action.answer(id, $0) }
                    effects.actions.append(answer ?? .refuse(id, error))
                case .pin(let pin): pinRefused(pin, error, &effects)
                }
            }
        }
        if let ending = local.release(id) { effects.endings.append(ending) }
        ledger.closed(id, at: effects.now)
        carryOut(limbo.released(id, limbo: limboKeys), &effects)
    }

    private mutating func remove(_ id: ViewID, _ view: View, _ effects: inout Effects) {
        views.remove(id)
        if view.lacksSuccessor { leaveSurveys(&effects) { $0 == .refill(view.query) } }
        effects.endings.append(.view(Array(view.unnamedKeys)))
    }

    /// Tells the store which targets went out of use in the turn so far.
    ///
    /// A turn ends so. Whoever takes a target into use in mid-turn calls this first.
    mutating func noteEndings(_ turn: inout Turn) throws(StoreError) {
        for ending in turn.effects.endings { try local.note(ending, turn.store) }
        turn.effects.endings = []
    }

    /// Tells every view that a change concerns, and their listeners.
    ///
    /// - Parameter ending: The end of a write, if that is the reason.
    mutating func updateViews(
        with documents: [Document], of event: RemoteEvent? = nil, after ending: WriteEnding? = nil,
        _ turn: inout Turn
    ) throws(StoreError) {
        bundles.release(documents)
        let targets = event.map { views.targets(concernedBy: $0) } ?? []
        let concerned = views.touched(
            by: documents, targets: targets, reached: event?.version ?? .zero)
        try updateViews(concerned, of: event, after: ending, &turn)
    }

    /// Tells views of the documents that concern each, and their listeners.
    mutating func updateViews(
        _ concerned: [(id: ViewID, documents: [Document])], of event: RemoteEvent? = nil,
        after ending: WriteEnding? = nil, _ turn: inout Turn
    ) throws(StoreError) {
        var deliveries: [ListenerTable.Delivery] = []
        for (id, changed) in concerned {
            guard let row = views[id] else { continue }
            let target = row.targetID
            let draft = try draft(
                of: row.view, changed, settles: ending?.settles ?? false, &turn)
            let said = event?.targetChanges[target]
            let reached = versionReached(of: target)
            _ = consume row  // So that the view is changed in its place.
            let decided = change(id) {
                $0.decide(
                    draft, change: said, reached: reached,
                    justAcknowledged: ending?.justAcknowledged ?? [])
            }
            guard var outcome = decided else { continue }
            if let rejected = ending?.rejected { outcome.snapshot?.rejectedWrites = [rejected] }
            deliveries += try carryOut(outcome, of: target, &turn)
        }
        tell(deliveries, &turn.effects)
    }

    /// Carries out what was decided of a view. Returns what its listeners are told.
    mutating func carryOut(
        _ outcome: View.Outcome, of target: TargetID, _ turn: inout Turn
    ) throws(StoreError) -> [ListenerTable.Delivery] {
        lookUp(outcome, for: target, &turn.effects)
        guard let snapshot = outcome.snapshot else { return [] }
        let left = snapshot.changes.filter { $0.kind == .removed }.map(\.document.key)
        try local.viewsReleased(left, turn.store)
        local.viewsForgot(snapshot.settledDepartures)
        if !snapshot.isFromCache {
            noteResumePoint(of: target)
            local.markLimboFree(target)
        }
        return listeners.deliver(snapshot, online.state)
    }

    /// Turns deliveries into actions; reads end with theirs, and pins that need not be watched.
    mutating func tell(
        _ deliveries: [ListenerTable.Delivery], _ effects: inout Effects
    ) {
        if deliveries.isEmpty { return }
        var ended: [Recipient] = []
        for delivery in deliveries {
            var ids: [ListenerID] = []
            ids.reserveCapacity(delivery.recipients.count)
            for recipient in delivery.recipients {
                switch recipient {
                case .listener(let id):
                    ids.append(id)
                case .read(let id, let source):
                    ended.append(recipient)
                    answer(id, source, delivery.snapshot, &effects)
                case .pin(let pin):
                    if told(delivery.snapshot, of: pin, &effects) { ended.append(recipient) }
                }
            }
            if !ids.isEmpty { effects.actions.append(.emit(delivery.snapshot, to: ids)) }
        }
        effects.hasTold = true
        for recipient in ended { unlisten(recipient, &effects) }
    }
}
