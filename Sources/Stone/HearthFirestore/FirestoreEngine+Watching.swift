import HashTreeCollections
import HearthEngine
import HearthModel

extension FirestoreEngine {
    /// Something came from the backend.
    mutating func received(_ event: UpstreamEvent, _ turn: inout Turn) throws(StoreError) {
        switch event {
        case .watchOpened(let number): watchStreamOpened(number, &turn.effects)
        case .watched(let number, let change): try received(change, on: number, &turn)
        case .watchUnreadable(let number, let targets, let error):
            try receivedUnreadable(targets, error, on: number, &turn)
        case .watchClosed(let number, let error): watchStreamClosed(number, error, &turn.effects)
        case .watchBroken(let number, let error):
            watchStreamClosed(number, error, wasUnreadable: true, &turn.effects)
        case .writeOpened(let number): writeStreamOpened(number, &turn.effects)
        case .writeHandshaken(let number, let token):
            try writeStreamHandshaken(number, token, &turn)
        case .writeAnswered(let number, let answer):
            try writeStreamAnswered(number, answer, &turn)
        case .writeClosed(let number, let error): try writeStreamClosed(number, error, &turn)
        case .writeBroken(let number, let error):
            try writeStreamClosed(number, error, wasUnreadable: true, &turn)
        case .writeUnsendable(let number, let batch, let error):
            try writeStreamRefused(batch, number, error, &turn)
        case .called(let id, let answer): try called(id, answer, &turn)
        }
    }

    /// Asks the backend to watch a target, now or as soon as the stream is open.
    mutating func watch(_ data: TargetData, _ effects: inout Effects) {
        guard watched[data.id] == nil else { return }
        watched[data.id] = data
        if shouldStartWatchStream {
            startWatchStream(&effects)
        } else if watchStream.openNumber != nil {
            sendListen(data, &effects)
            listensForWord(&effects)
        } else if watchStream.isBackingOff, watched.count == 1 {
            watchAnew(&effects)
        } else if watchStream.isStarted {
            listensForWord(&effects)
        }
    }

    /// Asks the backend to stop watching a target.
    mutating func unwatch(_ id: TargetID, _ effects: inout Effects) {
        noteResumePoint(of: id)
        guard let data = watched.removeValue(forKey: id) else { return }
        mismatches.forget(id)
        if watchStream.openNumber != nil { sendUnlisten(data, &effects) }
        ledger.unwatched(id, at: effects.now)
        guard watched.isEmpty else { return }
        if watchStream.openNumber != nil {
            performOnWatchStream(watchStream.markIdle(), &effects)
        } else if canUseNetwork {
            // Nothing is left to try, so nothing can tell whether the backend is there.
            apply(online.set(.unknown), &effects)
        }
    }

    /// Carries out what the limbo resolver decided.
    mutating func carryOut(_ actions: [LimboResolver.Action], _ effects: inout Effects) {
        for action in actions {
            switch action {
            case .lookUp(let key, let id):
                let target = Query(document: key).target
                ledger.lookedUp(id, key, for: limbo.holders(of: key), at: effects.now)
                watch(
                    TargetData(
                        id: id, target: target, purpose: .limboResolution, sequenceNumber: -1),
                    &effects)
            case .stop(let id):
                unwatch(id, &effects)
            }
        }
    }

    /// Looks up what came into limbo in a view, if the backend is asked for its target.
    mutating func lookUp(_ outcome: View.Outcome, for target: TargetID, _ effects: inout Effects) {
        lookUp(joined: outcome.joinedLimbo, left: outcome.leftLimbo, for: target, &effects)
    }

    /// Looks up documents that came into limbo.
    ///
    /// A document that left limbo in all views of the target is looked up no longer.
    mutating func lookUp(
        joined: [DocumentKey], left: [DocumentKey], for target: TargetID, _ effects: inout Effects
    ) {
        if joined.isEmpty && left.isEmpty { return }
        guard watched[target] != nil else { return }
        let twins = left.isEmpty ? [] : views.ids(of: target).compactMap { views[$0] }
        let settled = left.filter { key in !twins.contains { $0.view.limboKeys.contains(key) } }
        carryOut(limbo.viewChanged(of: target, joined: joined, left: settled), &effects)
    }

    /// Whether there is something to watch, a network to do it by, and no stream yet.
    var shouldStartWatchStream: Bool {
        canUseNetwork && !watchStream.isStarted && !watched.isEmpty
    }

    /// Opens the watch stream, or waits to.
    mutating func startWatchStream(_ effects: inout Effects) {
        forgetWatchStream(at: effects.now)
        performOnWatchStream(watchStream.start(at: effects.now, using: &random), &effects)
        apply(online.streamStarted(), &effects)
    }

    /// The stream's names and messages mean nothing any more.
    mutating func forgetWatchStream(at now: Timestamp) {
        for id in wireIDs.keys { noteResumePoint(of: id) }
        aggregator = WatchChangeAggregator(configuration)
        mismatches.streamEnded()
        wireIDs = [:]
        silence.streamEnded()
        ledger.endedAll(at: now)
    }

    /// Notes for a target what the backend has told for all at once.
    mutating func noteResumePoint(of id: TargetID) {
        guard let wire = wireIDs[id], let point = aggregator.commonPoint(of: wire) else { return }
        watched[id]?.resume(at: point.token, version: point.version)
        local.targets[id]?.resume(at: point.token, version: point.version)
    }

    private mutating func watchStreamOpened(_ number: StreamNumber, _ effects: inout Effects) {
        guard let actions = watchStream.opened(number) else { return }
        performOnWatchStream(actions, &effects)
        for id in watched.keys.sorted() {
            if let data = watched[id] { sendListen(data, &effects) }
        }
    }

    private mutating func watchStreamClosed(
        _ number: StreamNumber, _ error: HearthError?, wasUnreadable: Bool = false,
        _ effects: inout Effects
    ) {
        let actions = watchStream.closed(number, error, wasUnreadable: wasUnreadable)
        guard let actions else { return }
        performOnWatchStream(actions, &effects)
        if wasUnreadable, let error { noteUnreadable(error, &effects) }
        connectionFailed(error, &effects)
        forgetWatchStream(at: effects.now)
        if shouldStartWatchStream {
            apply(online.streamFailed(), &effects)
            startWatchStream(&effects)
        } else {
            apply(online.set(.unknown), &effects)
        }
    }

    /// The backend has said something on a watch stream.
    ///
    /// - Returns: Whether that is the stream in use.
    mutating func heard(on number: StreamNumber, _ effects: inout Effects) -> Bool {
        guard watchStream.openNumber == number else { return false }
        watchStream.heard()
        silence.heardOnStream(at: effects.now)
        if !lag.isBehind {
            connectionAnswered(&effects)
            apply(online.set(.online), &effects)
        }
        backendAnsweredWatch(&effects)
        return true
    }

    private mutating func received(
        _ change: WatchChange, on number: StreamNumber, _ turn: inout Turn
    ) throws(StoreError) {
        if try passesOver(change, on: number, &turn) { return }
        guard heard(on: number, &turn.effects) else { return }
        // A snapshot moves the views before the silence ends: a view that was current before the
        // snapshot is not current at the snapshot's version.
        if !change.isSnapshot { try endSilence(&turn) }
        switch change {
        case .document(let change):
            bill(change, turn.now)
            aggregator.received(change, watchedTargets)
            try makeRoom(on: number, &turn)
        case .existenceFilter(let filter): aggregator.received(filter, watchedTargets)
        case .target(let change):
            if case .removed(let cause) = change.kind {
                ledger.ended(change.targets, at: turn.now)
                if let cause {
                    try rejected(change.targets, cause, &turn)
                    return
                }
            }
            aggregator.received(change, watchedTargets)
            guard change.isSnapshot else { return }
            let wasBehind = lag.isBehind
            endLag(&turn.effects)
            try reachedSnapshot(change.readAt, on: number, &turn)
            if wasBehind { try confirmTold(&turn) }
            try endSilence(&turn)
        }
    }

    /// Passes over a snapshot that is older than the newest version in the cache.
    ///
    /// The snapshot is no word of the backend: it ends no silence, and makes nobody online.
    ///
    /// - Returns: Whether the message is such a snapshot on the stream in use.
    private mutating func passesOver(
        _ change: WatchChange, on number: StreamNumber, _ turn: inout Turn
    ) throws(StoreError) -> Bool {
        guard watchStream.openNumber == number, case .target(let snapshot) = change,
            snapshot.isSnapshot
        else { return false }
        try turn.store.enter(.lastRemoteVersion)
        guard snapshot.readAt < local.globals.lastRemoteVersion else { return false }
        watchStream.heard()
        backendAnsweredWatch(&turn.effects)
        aggregator.received(snapshot, watchedTargets)
        snapshotPassedOver(snapshot.readAt, on: number, &turn.effects)
        return true
    }

    /// Everything up to a version has been said.
    private mutating func reachedSnapshot(
        _ version: SnapshotVersion, on number: StreamNumber, _ turn: inout Turn
    ) throws(StoreError) {
        let awaiting = views.ids(awaitingUpTo: version).compactMap { id in
            views[id].flatMap { wireIDs[$0.targetID] }
        }
        let event = aggregator.makeEvent(at: version, awaiting: awaiting, watchedTargets)
        for (id, change) in event.targetChanges {
            guard let token = change.resumeToken else { continue }
            watched[id]?.resumeToken = token
            watched[id]?.snapshotVersion = version
        }
        let lost = askAnew(for: event, &turn.effects)
        try apply(event, &turn)
        try giveUp(lost, on: number, &turn)
    }

    /// Takes an event into the cache, and tells views and lookups.
    mutating func apply(_ event: RemoteEvent, _ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        var changed = try local.apply(event, store)
        // The views must not lack what the backend names, though the cache has it from a bundle.
        changed += bundles.untold(among: event.documents, besides: changed)
        billCurrent(event, turn.now)
        for (id, change) in event.targetChanges { limbo.received(change, for: id) }
        try updateViews(with: changed, of: event, &turn)
        for key in event.targetChanges.keys.compactMap({ limbo.receivedKey(of: $0) }) {
            for target in limbo.holders(of: key) {
                answerLookedUp(Array(views.ids(of: target)), &turn.effects)
            }
        }
    }

    mutating func sendListen(_ data: TargetData, _ effects: inout Effects) {
        guard let number = watchStream.openNumber else { return }
        lastWireID = WireTargetID(lastWireID.rawValue + 1)
        wireIDs[data.id] = lastWireID
        aggregator.requested(lastWireID, target: data.id)
        let isResumed = data.resumeToken != nil || data.snapshotVersion > .zero
        ledger.listened(
            data.id, data.target,
            ReadBill.start(resumedFrom: isResumed ? data.snapshotVersion : nil, at: effects.now),
            at: effects.now)
        let point: ResumePoint
        if let token = data.resumeToken {
            point = .token(token)
        } else if data.snapshotVersion > .zero {
            point = .readTime(data.snapshotVersion)
        } else {
            point = .start
        }
        let request = ListenRequest(
            wireID: lastWireID, target: data.target, resumePoint: point,
            expectedCount: point == .start ? nil : watchedTargets.remoteKeyCount(of: data.id),
            purpose: data.purpose)
        performOnWatchStream(watchStream.sent(), &effects)
        effects.actions.append(.upstream(.listen(number, request)))
    }

    mutating func sendUnlisten(_ data: TargetData, _ effects: inout Effects) {
        guard let number = watchStream.openNumber,
            let wire = wireIDs.removeValue(forKey: data.id)
        else { return }
        aggregator.stopped(wire)
        ledger.ending(wire, data.id, data.target)
        performOnWatchStream(watchStream.sent(), &effects)
        effects.actions.append(.upstream(.unlisten(number, wire)))
    }

    /// Carries out what the watch stream's machine decided.
    func performOnWatchStream(_ actions: [StreamMachine<TimerID>.Action], _ effects: inout Effects)
    {
        for action in actions {
            switch action {
            case .open(let number):
                effects.actions.append(.upstream(.openWatch(number, as: local.user)))
            case .close(let number): effects.actions.append(.upstream(.closeWatch(number)))
            case .schedule(let timer, let delay):
                effects.actions.append(.schedule(timer, after: delay))
            case .cancel(let timer): effects.actions.append(.cancel(timer))
            }
        }
    }

    /// The snapshot that the open stream has reached for a target; `nil` while it catches up.
    ///
    /// Whatever else brings a document into a view, the backend's silence up to here tells of it.
    func versionReached(of id: TargetID) -> SnapshotVersion? {
        guard let wire = wireIDs[id], aggregator.isToldWhole(wire) else { return nil }
        return local.globals.lastRemoteVersion
    }

    /// What the aggregator may know.
    private var watchedTargets: Watched {
        Watched(watched: watched, views: views.rows, limbo: limbo)
    }

    private struct Watched: WatchedTargets {
        let watched: TreeDictionary<TargetID, TargetData>
        let views: ViewRows
        let limbo: LimboResolver

        func isWatched(_ id: TargetID) -> Bool { watched.keys.contains(id) }

        func targetData(of id: TargetID) -> TargetData? { watched[id] }

        func isRemoteKey(_ key: DocumentKey, of id: TargetID) -> Bool {
            if let received = limbo.receivedKey(of: id) { return received == key }
            return views.first(of: id)?.view.isSynced(key) ?? false
        }

        func remoteKeyCount(of id: TargetID) -> Int {
            limbo.receivedKey(of: id) == nil ? views.first(of: id)?.view.syncedKeyCount ?? 0 : 1
        }

        func remoteKeys(of id: TargetID) -> [DocumentKey] {
            if let key = limbo.receivedKey(of: id) { return [key] }
            return views.first(of: id)?.view.syncedKeys ?? []
        }
    }
}
