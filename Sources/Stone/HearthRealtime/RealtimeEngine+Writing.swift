import HearthEngine
import HearthModel

extension RealtimeEngine {
    /// A session writes.
    mutating func write(_ request: RealtimeWriteRequest, _ turn: inout Turn) throws(StoreError) {
        try turn.store.enter(.writeLocally)
        if let identity = request.identity, try answerResend(request, identity, &turn) { return }
        let byteCount = request.change.heldByteCount
        if let refusal = try refusal(of: request, taking: byteCount, &turn) {
            turn.effects.actions.append(.refuse(request.id, refusal))
            return
        }
        if request.change.isEmpty { return try accept(nothing: request, &turn) }
        try queue(request.change, taking: byteCount, by: request.writer, for: request, &turn)
        transactionsOverridden(by: request.change, &turn.effects)
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
        of request: RealtimeWriteRequest, taking byteCount: Int, _ turn: inout Turn
    ) throws(StoreError) -> HearthError? {
        // The write would be queued, and sent, as the user before.
        if hasPendingUserChange { return .userIsChanging }
        if let refusal = refusal(of: request.change) { return refusal }
        return try queueRefusal(of: request.writer.uid, taking: byteCount, &turn)
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
    /// - Parameters:
    ///   - byteCount: What the write takes of the memory for waiting writes.
    ///   - request: Who hears of it; `nil` for a write of the daemon's own.
    /// - Complexity: O(size of the change, and log n), whatever the queue's length.
    @discardableResult
    mutating func queue(
        _ change: RealtimeChange, taking byteCount: Int, by writer: Writer,
        for request: RealtimeWriteRequest?, _ turn: inout Turn
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
        keepInMemory(write, taking: byteCount)
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

    // MARK: Waiting writes

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
    ///
    /// No limit counts here: what was accepted is sent, however much memory it takes.
    mutating func loadQueue(_ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        var writes = WriteTree()
        var last = BatchID.none
        heldQueue = HeldBytes()
        lateWrites = LateWrites()
        while let next = try store.nextWrite(after: last, of: user) {
            writes.add(try estimate(next, over: writes, at: next.writtenAt, store))
            keepInMemory(next)
            last = next.id
        }
        hasUnsentWrites = last != .none
        tell(tree.replaceWrites(with: writes), &turn.effects)
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
}
