import HearthEngine
import HearthModel

extension FirestoreEngine {
    /// A session writes.
    mutating func write(_ request: WriteRequest, _ turn: inout Turn) throws(StoreError) {
        guard request.mutations.contains(where: \.isChange) else {
            return writeNothing(request, &turn.effects)
        }
        if let identity = request.identity, try answerResend(request, identity, &turn) { return }
        if let refusal = try refusal(of: request, &turn) {
            turn.effects.actions.append(.refuse(request.id, refusal))
            return
        }
        switch try judge(request, turn.store) {
        case .failure(let refusal): turn.effects.actions.append(.refuse(request.id, refusal))
        case .success(let judged): try accept(request, judged, &turn)
        }
    }

    /// Answers a write that the store knows, or may have forgotten.
    ///
    /// - Returns: Whether the write is answered, and must not be queued.
    private mutating func answerResend(
        _ request: WriteRequest, _ identity: WriteIdentity, _ turn: inout Turn
    ) throws(StoreError) -> Bool {
        let store = turn.store
        if let record = try store.record(of: identity) {
            try repeatAnswer(record, to: request, &turn)
            return true
        }
        let forgottenBelow = try store.forgottenBelow(of: identity.client, uid: identity.uid)
        if request.wasSentElsewhere || forgottenBelow > identity.sequence {
            // The backend may have the write; queued anew, the write could be applied twice.
            turn.effects.actions.append(.result(request.id, .writeForgotten))
            return true
        }
        if request.answeredBelow > 0 {
            try store.removeRecords(
                of: identity.client, uid: identity.uid, below: request.answeredBelow)
        }
        return false
    }

    private mutating func refusal(
        of request: WriteRequest, _ turn: inout Turn
    ) throws(StoreError) -> HearthError? {
        // The write would be queued, and sent, as the user before.
        if hasPendingUserChange { return .userIsChanging }
        if let refusal = markersRefusal(of: request.mutations) { return refusal }
        if let refusal = refusal(of: request.terms, at: turn.now) { return refusal }
        return try queueRefusal(of: request.writer.uid, &turn)
    }

    /// A write of nothing is done at once, at a promised time; a condition alone is no write.
    private mutating func writeNothing(_ request: WriteRequest, _ effects: inout Effects) {
        guard request.conditions != .asSDK, request.mutations.isEmpty else {
            let error = HearthError(
                code: .invalidArgument,
                message: "A write needs at least one change. What only checks conditions is for a "
                    + "transaction, whose commit the backend judges at once.")
            effects.actions.append(.refuse(request.id, error))
            return
        }
        let promisedAt = local.nextPromise(after: EmptyCollection<SnapshotVersion>())
        let promised = PromisedWrite(promisedAt: promisedAt, transformResults: [])
        effects.actions.append(.result(request.id, .promised(promised)))
    }

    /// Queues writes whose conditions hold as far as is known here.
    private mutating func accept(
        _ request: WriteRequest, _ judged: LocalStore.JudgedWrites, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        let batch: MutationBatch
        let changed: [Document]
        switch try local.accept(judged.mutations, by: request.writer, at: turn.now, store) {
        case .success(let written): (batch, changed) = written
        case .failure(let refusal):
            turn.effects.actions.append(.refuse(request.id, refusal))
            return
        }
        if let identity = request.identity {
            try store.setRecord(WriteRecord(batch: batch.id, outcome: .pending), of: identity)
        }
        try note(request.terms, of: batch.id, &turn)
        pendingWrites.await(batch.id, for: request.id)
        tellPromise(of: batch, judged, to: request, &turn.effects)
        turn.effects.actions.append(.accept(request.id, batch.id))
        try noteUse(by: request.id.session, &turn)
        try updateViews(with: changed, &turn)
        try fillPipeline(&turn)
    }

    /// A write that was seen before gets the answer it had, or waits for the same batch.
    private mutating func repeatAnswer(
        _ record: WriteRecord<WriteOutcome>, to request: WriteRequest, _ turn: inout Turn
    ) throws(StoreError) {
        let id = request.id
        if record.outcome == .pending,
            let queued = try turn.store.batch(record.batch, of: local.user)
        {
            tellPromise(of: queued.batch, LocalStore.JudgedWrites(), to: request, &turn.effects)
        }
        turn.effects.actions.append(.accept(id, record.batch))
        switch record.outcome {
        case .pending: pendingWrites.await(record.batch, for: id)
        case .committed, .rejected:
            turn.effects.actions.append(.settle(id, record.batch, record.outcome))
        }
    }

    /// A session waits for writes so far.
    mutating func waitForPendingWrites(
        _ id: RequestID, _ scope: PendingWritesScope, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        let last: BatchID?
        switch scope {
        case .all:
            last = try store.highestBatchID(of: local.user)
        case .own(let known):
            // The queue is sent in order, so the last batch waits for the others. If somebody took
            // the last batch out, batches in front of its place may still wait.
            let own = max(known, pendingWrites.last(of: id.session) ?? .none)
            if try store.batch(own, of: local.user) != nil {
                last = own
            } else {
                last = try store.previousBatchID(before: own, of: local.user)
            }
        }
        if let last {
            pendingWrites.awaitAll(upTo: last, for: id)
        } else {
            turn.effects.actions.append(.complete(id))
        }
    }

    /// The write stream tells something.
    mutating func writeStreamOpened(_ number: StreamNumber, _ effects: inout Effects) {
        guard let actions = writeStream.opened(number) else { return }
        performOnWriteStream(actions, &effects)
        performOnWriteStream(writeStream.sent(), &effects)
        effects.actions.append(.upstream(.handshake(number)))
    }

    /// The backend accepted the handshake: all batches on the way are sent.
    mutating func writeStreamHandshaken(
        _ number: StreamNumber, _ token: StreamToken, _ turn: inout Turn
    ) throws(StoreError) {
        guard writeStream.openNumber == number else { return }
        pipeline.handshaken(token)
        connectionAnswered(&turn.effects)
        backendAnsweredWrite(&turn.effects)
        guard try giveUpOverdue(&turn) else { return }
        try topUpPipeline(&turn)
        try sendBatches(&turn)
    }

    /// The backend committed the oldest batch.
    mutating func writeStreamAnswered(
        _ number: StreamNumber, _ answer: WriteAnswer, _ turn: inout Turn
    ) throws(StoreError) {
        guard writeStream.openNumber == number, let batch = pipeline.answered(answer.token) else {
            return
        }
        writeStream.heard()
        silence.heard(at: turn.now)
        try acknowledge(batch, self.answer(answer, to: batch), &turn)
        try fillPipeline(&turn)
    }

    /// The write stream ended.
    ///
    /// A lasting error is the fault of a batch that was alone on the stream. With several batches
    /// on the stream nobody knows which batch is at fault, so the engine sends the batches again
    /// one at a time (`RefusedStream`).
    mutating func writeStreamClosed(
        _ number: StreamNumber, _ error: HearthError?, wasUnreadable: Bool = false,
        _ turn: inout Turn
    ) throws(StoreError) {
        let actions = writeStream.closed(number, error, wasUnreadable: wasUnreadable)
        guard let actions else { return }
        performOnWriteStream(actions, &turn.effects)
        if wasUnreadable, let error { noteUnreadable(error, &turn.effects) }
        let culprit = culprit(of: error)
        let mustAsk =
            if let culprit, let error { self.mustAsk(about: culprit, error) } else { false }
        if !blamesBatch(error) {
            connectionFailed(error, &turn.effects)
        } else if !mustAsk {
            writeStream.inhibitBackoff()  // A request was bad, not the backend: no reason to wait.
        }
        if let culprit, let error, !mustAsk {
            let mayHaveBeenApplied = pipeline.mayHaveApplied(culprit, refusedWith: error)
            pipeline.refused(with: error)
            pipeline.streamClosed()
            try reject(culprit, error, mayHaveBeenApplied: mayHaveBeenApplied, &turn)
            try fillPipeline(&turn)
        } else {
            pipeline.streamClosed(over: blamesBatch(error) ? error : nil)
            if let culprit, let error { ask(about: culprit, error, &turn.effects) }
        }
        startWriteStreamIfNeeded(&turn.effects)
    }

    /// The write stream ended because a batch cannot be sent at all. No other is touched.
    mutating func writeStreamRefused(
        _ id: BatchID, _ number: StreamNumber, _ error: HearthError, _ turn: inout Turn
    ) throws(StoreError) {
        guard let actions = writeStream.closed(number, error) else { return }
        performOnWriteStream(actions, &turn.effects)
        writeStream.inhibitBackoff()
        let unsendable = pipeline.removeUnsendable(id)
        pipeline.streamClosed()
        if let unsendable {
            // This batch was never sent, even if the disk has noted the batch as sent.
            try reject(unsendable, error, mayHaveBeenApplied: false, &turn)
            try fillPipeline(&turn)
        }
        startWriteStreamIfNeeded(&turn.effects)
    }

    /// The batch that made the stream end; `nil` if none did, or nobody knows which.
    func culprit(of error: HearthError?) -> QueuedBatch? {
        blamesBatch(error) ? pipeline.soleSent : nil
    }

    /// Whether the stream ended over something that was sent on it.
    private func blamesBatch(_ error: HearthError?) -> Bool {
        guard let error, error.code.isPermanentForWrites else { return false }
        return pipeline.token != nil && pipeline.sentCount > 0
    }

    /// Takes the backend's commit of a batch into the cache and tells who waits for it.
    mutating func acknowledge(
        _ batch: QueuedBatch, _ answer: WriteAnswer, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        let changed = try local.acknowledge(batch, answer, store)
        let isWhole = answer.results.count == batch.batch.mutations.count
        let outcome = WriteOutcome.committed(
            at: answer.committedAt, updatedAt: isWhole ? answer.results.map(\.version) : [])
        turn.effects.actions.append(.note(.batchCommitted(batch.batch.id)))
        tellTransforms(of: batch, answer, &turn.effects)
        try settle(batch, outcome, &turn)
        try updateViews(with: changed, after: .acknowledged(Set(batch.batch.keys)), &turn)
        settleOverdue(&turn.effects)
    }

    /// Takes a refused batch out of the cache and into the dead letters.
    mutating func reject(
        _ batch: QueuedBatch, _ error: HearthError, mayHaveBeenApplied: Bool, _ turn: inout Turn
    ) throws(StoreError) {
        try bury(
            batch, error, mayHaveBeenApplied: mayHaveBeenApplied,
            .batchRejected(batch.batch.id, error), &turn)
    }

    /// Takes a batch out of the cache and into the dead letters, and says so.
    mutating func bury(
        _ batch: QueuedBatch, _ error: HearthError, mayHaveBeenApplied: Bool, _ note: Note,
        _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        let changed = try local.reject(batch, because: error, store)
        let letter = DeadLetter(
            batch: batch, error: error, rejectedAt: turn.now,
            mayHaveBeenApplied: mayHaveBeenApplied, wasTold: tellsOutcome(of: batch))
        try store.appendDeadLetter(letter)
        turn.effects.actions.append(.note(note))
        try settle(batch, .rejected(error, mayHaveBeenApplied: mayHaveBeenApplied), &turn)
        let rejected = RejectedWrite(batch.batch.id, error)
        try updateViews(
            with: changed, after: .rejected(rejected, mayHaveBeenApplied: mayHaveBeenApplied),
            &turn)
    }

    /// Tells everybody who waits for a batch what became of the batch.
    mutating func settle(
        _ batch: QueuedBatch, _ outcome: WriteOutcome, _ turn: inout Turn
    ) throws(StoreError) {
        let id = batch.batch.id
        noteAnswered(batch, &turn.effects)
        try forgetTerms(of: id, &turn)
        try keepPromise(of: batch, outcome, &turn)
        if let identity = try turn.store.identity(of: id) {
            try turn.store.setRecord(WriteRecord(batch: id, outcome: outcome), of: identity)
        }
        let (writer, waiters) = pendingWrites.settled(id)
        if let writer { turn.effects.actions.append(.settle(writer, id, outcome)) }
        turn.effects.actions += waiters.map { .complete($0) }
    }

    /// Puts the next batches of the queue on their way, as far as there is room.
    mutating func fillPipeline(_ turn: inout Turn) throws(StoreError) {
        guard canUseNetwork else { return }
        guard try giveUpOverdue(&turn) else { return }
        try topUpPipeline(&turn)
        try sendBatches(&turn)
        startWriteStreamIfNeeded(&turn.effects)
    }

    /// Takes the next batches of the queue, as far as there is room.
    mutating func topUpPipeline(_ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        while pipeline.hasRoom {
            guard let next = try local.nextBatchToSend(after: pipeline.lastID, store) else {
                if pipeline.batches.isEmpty {
                    performOnWriteStream(writeStream.markIdle(), &turn.effects)
                }
                break
            }
            pipeline.append(next)
        }
    }

    private mutating func sendBatches(_ turn: inout Turn) throws(StoreError) {
        guard let number = writeStream.openNumber else { return }
        var last: QueuedBatch?
        while try admitsNext(&turn), let (queued, token) = pipeline.nextToSend() {
            last = queued
            performOnWriteStream(writeStream.sent(), &turn.effects)
            let writes = try writes(for: queued, &turn)
            turn.effects.actions.append(.upstream(.write(number, queued.batch.id, writes, token)))
        }
        // From here on nobody knows whether they were applied, until the answers come.
        if let last { try turn.store.noteSent(through: last.batch.id, of: last.user) }
    }

    /// Opens the write stream, if something is to be sent and it is not started.
    mutating func startWriteStreamIfNeeded(_ effects: inout Effects) {
        guard canUseNetwork, !writeStream.isStarted, !pipeline.batches.isEmpty else { return }
        performOnWriteStream(writeStream.start(at: effects.now, using: &random), &effects)
    }

    /// Carries out what the write stream's machine decided.
    func performOnWriteStream(_ actions: [StreamMachine<TimerID>.Action], _ effects: inout Effects)
    {
        for action in actions {
            switch action {
            case .open(let number):
                effects.actions.append(.upstream(.openWrite(number, as: local.user)))
            case .close(let number):
                effects.actions.append(.upstream(.closeWrite(number, goodbye: pipeline.token)))
            case .schedule(let timer, let delay):
                effects.actions.append(.schedule(timer, after: delay))
            case .cancel(let timer): effects.actions.append(.cancel(timer))
            }
        }
    }
}
