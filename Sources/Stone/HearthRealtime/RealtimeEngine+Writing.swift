import HearthEngine
import HearthModel

extension RealtimeEngine {
    /// A session writes.
    mutating func write(_ request: RealtimeWriteRequest, _ turn: inout Turn) throws(StoreError) {
        try turn.store.enter(.writeLocally)
        if let identity = request.identity, try answerResend(request, identity, &turn) { return }
        if let refusal = try refusal(of: request, &turn) {
            turn.effects.actions.append(.refuse(request.id, refusal))
            return
        }
        if request.change.parts.isEmpty { return try accept(nothing: request, &turn) }
        try queue(request.change, by: request.writer, for: request, &turn)
        transactionsOverridden(at: request.change.parts.map(\.place), &turn.effects)
        try fillPipeline(&turn)
    }

    /// Answers a write that the store knows, or may have forgotten.
    ///
    /// - Returns: Whether the write is answered, and must not be queued.
    private mutating func answerResend(
        _ request: RealtimeWriteRequest, _ identity: WriteIdentity, _ turn: inout Turn
    ) throws(StoreError) -> Bool {
        let store = turn.store
        if let record = try store.record(of: identity) {
            repeatAnswer(record, to: request.id, &turn.effects)
            return true
        }
        let forgottenBelow = try store.forgottenBelow(of: identity.client, uid: identity.uid)
        if request.wasSentElsewhere || forgottenBelow > identity.sequence {
            // The backend may have the write; queued anew, the write could be applied twice.
            let outcome = RealtimeOutcome.rejected(.writeForgotten, mayHaveBeenApplied: true)
            turn.effects.actions.append(.settle(request.id, .none, outcome))
            return true
        }
        if request.answeredBelow > 0 {
            try store.removeRecords(
                of: identity.client, uid: identity.uid, below: request.answeredBelow)
        }
        return false
    }

    private mutating func refusal(
        of request: RealtimeWriteRequest, _ turn: inout Turn
    ) throws(StoreError) -> HearthError? {
        // The write would be queued, and sent, as the user before.
        if hasPendingUserChange { return .userIsChanging }
        if let refusal = refusal(of: request.change) { return refusal }
        return try queueRefusal(of: request.writer.uid, &turn)
    }

    /// A write that was seen before gets the answer it had, or waits for the same write.
    private mutating func repeatAnswer(
        _ record: WriteRecord<RealtimeOutcome>, to id: RequestID, _ effects: inout Effects
    ) {
        effects.actions.append(.accept(id, record.batch))
        switch record.outcome {
        case .pending: pendingWrites.await(record.batch, for: id)
        case .committed, .rejected:
            effects.actions.append(.settle(id, record.batch, record.outcome))
        }
    }

    /// An update of no place is done at once.
    private mutating func accept(
        nothing request: RealtimeWriteRequest, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        let id = try nextWriteID(store)
        if let identity = request.identity {
            try store.setRecord(WriteRecord(batch: id, outcome: .committed), of: identity)
        }
        turn.effects.actions += [.accept(request.id, id), .settle(request.id, id, .committed)]
    }

    /// The next number of a write. Writes that are not in the queue draw theirs here too.
    mutating func nextWriteID(_ store: any RealtimeTransaction) throws(StoreError) -> BatchID {
        globals.lastWriteID = BatchID(globals.lastWriteID.rawValue + 1)
        try store.setGlobals(globals)
        return globals.lastWriteID
    }

    /// Puts a write at the end of the user's queue, and shows everybody its effect.
    ///
    /// The caller puts the queue on its way with `fillPipeline`.
    ///
    /// - Parameter request: Who hears of it; `nil` for a write of the daemon's own.
    /// - Complexity: O(size of the change, and log n), whatever the queue's length.
    @discardableResult
    mutating func queue(
        _ change: RealtimeChange, by writer: Writer, for request: RealtimeWriteRequest?,
        _ turn: inout Turn
    ) throws(StoreError) -> BatchID {
        let store = turn.store
        let write = try queueUnseen(change, of: user, by: writer, &turn)
        hasUnsentWrites = true
        if let request {
            if let identity = request.identity {
                try store.setRecord(
                    WriteRecord(batch: write.id, outcome: .pending), of: identity)
            }
            pendingWrites.await(write.id, for: request.id)
            turn.effects.actions.append(.accept(request.id, write.id))
        }
        let pending = try estimate(write, over: tree.writes, at: turn.now, store)
        tell(tree.write(pending), &turn.effects)
        return write.id
    }

    /// Puts a write at the end of a user's queue, and shows nobody its effect.
    mutating func queueUnseen(
        _ change: RealtimeChange, of user: UserID, by writer: Writer, _ turn: inout Turn
    ) throws(StoreError) -> QueuedWrite {
        let store = turn.store
        let write = QueuedWrite(
            id: try nextWriteID(store), change: change, writtenAt: turn.now, user: user,
            writer: writer)
        try store.append(write)
        return write
    }

    // MARK: Estimates

    /// A write as it is expected to come out, over the writes before it.
    func estimate(
        _ write: QueuedWrite, over writes: WriteTree, at now: Timestamp,
        _ store: any RealtimeTransaction
    ) throws(StoreError) -> PendingWrite {
        let id = WriteID(write.id.rawValue)
        switch write.change {
        case .set(let place, let node):
            let node = try estimate(node, at: place, over: writes, at: now, store)
            return PendingWrite(id, set: place, to: node)
        case .update(let path, let parts):
            var estimates: [CompoundWrite.Part] = []
            for part in parts {
                let place = part.place.below(path)
                let node = try estimate(part.node, at: place, over: writes, at: now, store)
                estimates.append((part.place, node))
            }
            return PendingWrite(id, update: path, estimates)
        }
    }

    /// A node with its server values filled in, as the server would do now.
    func estimate(
        _ node: UnresolvedNode, at place: WritePath, over writes: WriteTree, at now: Timestamp,
        _ store: any RealtimeTransaction
    ) throws(StoreError) -> Node {
        if let node = node.node { return node }
        var existing = Node.empty
        for value in node.places {
            let path = place.path.appending(value.path)
            var server = tree.completeServerNode(at: path)
            if server == nil { server = try store.wholeNode(at: path) }
            let local = WriteLayer(writes, at: path).node(over: server) ?? .empty
            existing = existing.setting(
                value.path, to: place.isPriority ? local.priorityNode : local)
        }
        return node.resolved(over: existing, at: serverTime(at: now))
    }

    /// The service's clock, in milliseconds since 1970, as far as it is known.
    func serverTime(at now: Timestamp) -> Int64 {
        let (time, isTooLate) = (now.microseconds / 1_000).addingReportingOverflow(serverTimeOffset)
        return isTooLate ? now.microseconds / 1_000 : time
    }

    // MARK: On the way

    /// Sends the next writes of the queue, as far as there is room.
    mutating func fillPipeline(_ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        let mayWriteGo =
            canUseNetwork && connection.openNumber != nil && pipeline.hasRoom && fenceAdmitsWrites
        if !mayWriteGo && hasUnsentWrites { return }
        try store.enter(.fillPipeline)
        guard mayWriteGo else {
            // What waits matters only to an open connection, so the write itself is not read.
            hasUnsentWrites = try store.nextMayBeSent(after: pipeline.lastID, of: user)
            return
        }
        var last: BatchID?
        hasUnsentWrites = false
        while pipeline.hasRoom, fenceAdmitsWrites,
            let next = try store.nextWriteToSend(after: pipeline.lastID, of: user)
        {
            if mustNotRepeat(next) {
                pipeline.skip(next.id)
                try bury(next, .answerLost, mayHaveBeenApplied: true, isInDoubt: true, &turn)
                continue
            }
            send(action(for: next), expecting: .write(next.id), &turn.effects)
            pipeline.append(next)
            last = next.id
        }
        if !pipeline.hasRoom || !fenceAdmitsWrites {
            hasUnsentWrites = try store.nextMayBeSent(after: pipeline.lastID, of: user)
        }
        // From here on nobody knows whether they were applied, until the answers come.
        if let last { try store.noteSent(through: last, of: user) }
    }

    /// Whether a write may have been applied, adds to what is there, and must not be added twice.
    private func mustNotRepeat(_ write: QueuedWrite) -> Bool {
        write.isInDoubt && gate.limits.lostAnswers.inDoubt == .deadLetter
            && !(fence?.isKept ?? false) && write.change.addsToWhatIsThere
    }

    /// The backend answered a write.
    mutating func writeAnswered(
        _ write: QueuedWrite, _ answer: RealtimeAnswer, _ turn: inout Turn
    ) throws(StoreError) {
        fence?.settled(write.id, isCommitted: answer.status == .ok)
        if answer.status == .ok {
            try commit(write, &turn)
        } else {
            let error = answer.status.error(at: write.change.path, answer.body.text ?? "")
            if answer.status.isPassing {
                hasUnsentWrites = true  // It is in the queue still.
                return try failConnection(error, &turn)
            }
            try bury(
                write, error, mayHaveBeenApplied: write.isInDoubt, isInDoubt: false, &turn)
        }
        // Reading several writes at once costs less, and the connection has enough to do meanwhile.
        if hasUnsentWrites, pipeline.runsLow { try fillPipeline(&turn) }
    }

    /// The backend has a write: what it told of the write's places before now counts.
    mutating func commit(_ write: QueuedWrite, _ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        try store.enter(.settle)
        try store.removeWrite(write.id, of: write.user)
        let pending = tree.writes.write(write.name)
        let parts = pending?.parts ?? []
        for part in parts {
            if !listens.touches(part.place.path) {
                // Nobody tells of the place, so what was written is the news.
                tell(tree.overwrite(part.place, part.node), &turn.effects)
            }
            guard !listens.coversWhole(part.place.path) else { continue }
            try cache(part, notingPlace: notesPlaces(parts.count), &turn)
        }
        turn.effects.actions.append(.note(.writeCommitted(write.id)))
        if let pending { tell(tree.settle(pending, isReverted: false), &turn.effects) }
        try settle(write, .committed, &turn)
    }

    /// How many places of one write the cache notes as known, if nobody had listened there: more of
    /// them would throw out what somebody did listen to.
    private static let notedPlaceCountMax = 16

    /// Whether the cache notes so many places of a write as known, if nobody had listened there.
    ///
    /// In front of a long queue the cache does not: the places of the writes behind would throw out
    /// these places at once, and all that somebody did listen to.
    private func notesPlaces(_ count: Int) -> Bool {
        let forgets = configuration.cacheByteCountMax != nil
        return count <= Self.notedPlaceCountMax
            && (!forgets || tree.writes.count <= RealtimeCollection.queryCountMax)
    }

    /// Takes a part of a write that the backend has into the cache.
    ///
    /// - Parameter notingPlace: Whether to begin to remember a place that was not.
    private mutating func cache(
        _ part: CompoundWrite.Part, notingPlace: Bool, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        let path = part.place.path
        let above = try store.trackedQueries(atOrAbove: path)
        let isWhole = above.contains { $0.isComplete && $0.target.query.isComplete }
        if !notingPlace, above.isEmpty, try store.trackedQueries(atOrBelow: path).isEmpty {
            return  // What no remembered query shows, nobody would ever forget again.
        }
        try store.setServerNode(part.node, at: part.place)
        if !part.place.isPriority, !isWhole, notingPlace {
            try noteComplete(ListenTarget(path, .all), &turn)
        }
    }

    /// Takes a refused write out of the tree and into the dead letters.
    mutating func bury(
        _ write: QueuedWrite, _ error: HearthError, mayHaveBeenApplied: Bool, isInDoubt: Bool,
        _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        try store.enter(.settle)
        try store.removeWrite(write.id, of: write.user)
        try store.appendDeadLetter(
            RealtimeDeadLetter(
                write: write, error: error, rejectedAt: turn.now,
                mayHaveBeenApplied: mayHaveBeenApplied))
        turn.effects.actions.append(
            .note(isInDoubt ? .writeInDoubt(write.id, error) : .writeRejected(write.id, error)))
        try revert(write, .rejected(error, mayHaveBeenApplied: mayHaveBeenApplied), &turn)
    }

    /// Shows the tree without a write, and tells the writer why.
    mutating func revert(
        _ write: QueuedWrite, _ outcome: RealtimeOutcome, _ turn: inout Turn
    ) throws(StoreError) {
        tell(tree.settle(write.name, isReverted: true), &turn.effects)
        try settle(write, outcome, &turn)
    }

    /// Tells everybody who waits for a write what became of it.
    private mutating func settle(
        _ write: QueuedWrite, _ outcome: RealtimeOutcome, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        if let identity = try store.identity(of: write.id) {
            try store.setRecord(WriteRecord(batch: write.id, outcome: outcome), of: identity)
        }
        let (writer, waiters) = pendingWrites.settled(write.id)
        if let writer { turn.effects.actions.append(.settle(writer, write.id, outcome)) }
        try farewellSettled(write.id, &turn)
        if waiters.isEmpty { return }
        // Answers come in order, but an administrator may take a write out before those in front.
        if let previous = try store.previousWriteID(before: write.id, of: write.user) {
            for waiter in waiters { pendingWrites.awaitAll(upTo: previous, for: waiter) }
        } else {
            turn.effects.actions += waiters.map { .complete($0) }
        }
    }

    /// A session waits for writes so far.
    mutating func waitForPendingWrites(
        _ id: RequestID, _ scope: PendingWritesScope, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        let last: BatchID?
        switch scope {
        case .all: last = try store.highestWriteID(of: user)
        case .own(let known):
            let own = max(known, pendingWrites.last(of: id.session) ?? .none)
            let isWaiting = try store.write(own, of: user) != nil
            last = isWaiting ? own : try store.previousWriteID(before: own, of: user)
        }
        if let last {
            pendingWrites.awaitAll(upTo: last, for: id)
        } else {
            turn.effects.actions.append(.complete(id))
        }
    }

    /// Lays the user's waiting writes over the tree, in the place of all that were there. O(queue).
    mutating func loadQueue(_ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        var writes = WriteTree()
        var last = BatchID.none
        while let next = try store.nextWrite(after: last, of: user) {
            writes.add(try estimate(next, over: writes, at: next.writtenAt, store))
            last = next.id
        }
        hasUnsentWrites = last != .none
        tell(tree.replaceWrites(with: writes), &turn.effects)
    }
}

extension RealtimeChange {
    /// The request that makes the change.
    var action: RealtimeAction {
        switch self {
        case .set(let place, let node): .put(place, node, hash: nil)
        case .update(let path, let parts): .merge(path, parts)
        }
    }
}

extension HearthError {
    /// A resent write whose outcome is forgotten.
    static let writeForgotten = HearthError(
        code: .aborted,
        message:
            "The write was sent before, and its outcome is not known here: it is forgotten, or "
            + "the daemon's stores were restored from a backup since. The database tells whether it "
            + "was applied.")
    /// A write that adds to the present value was sent, and its answer was lost.
    fileprivate static let answerLost = HearthError(
        code: .aborted,
        message: "The connection ended before the answer to the write, which adds to what is "
            + "there. It may have been applied; sent again, it could add twice.")
}
