import HashTreeCollections
import HearthEngine
import HearthModel

/// Steering of waiting batches.
///
/// The backend gets batches in the order in which the engine accepted them, whatever is held,
/// edited or taken out: a held batch also holds all batches behind it.
extension FirestoreEngine {
    /// An administrator gives an order to the queue.
    mutating func steer(
        _ id: RequestID, _ order: QueueOrder<[Mutation]>, by uid: UInt32, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        try store.enter(.steerQueue)
        let result: Result<[SteeredBatch], HearthError>
        switch order {
        case .hold(let ids): result = try hold(ids, store)
        case .release(let ids): result = try release(ids, store)
        case .cancel(let ids): result = try takeOut(ids, isKept: true, by: uid, &turn)
        case .drop(let ids): result = try takeOut(ids, isKept: false, by: uid, &turn)
        case .edit(let batch, let mutations): result = try edit(batch, mutations, &turn)
        case .retry: result = try tryBackendNow(&turn)
        case .retryDeadLetters(let ids, let evenIfApplied):
            result = try queueAnew(ids, evenIfApplied: evenIfApplied, &turn)
        case .editDeadLetter(let batch, let mutations, let evenIfApplied):
            result = try queueAnew(batch, as: mutations, evenIfApplied: evenIfApplied, &turn)
        case .dropDeadLetters(let ids): result = try dropLetters(ids, store)
        }
        switch result {
        case .failure(let error): turn.effects.actions.append(.refuse(id, error))
        case .success(let batches):
            try fillPipeline(&turn)
            turn.effects.actions.append(
                .note(.queueSteered(order.word, batches.map(\.id), by: uid)))
            turn.effects.actions.append(.result(id, .steered(batches)))
        }
    }

    // MARK: Order by order

    private mutating func hold(
        _ ids: [BatchID], _ store: any FirestoreTransaction
    ) throws(StoreError) -> Result<[SteeredBatch], HearthError> {
        let batches: [QueuedBatch]
        switch try store.steerable(ids) {
        case .failure(let error): return .failure(error)
        case .success(let found): batches = found
        }
        for queued in batches where queued.state == .queued {
            try store.setHeld(true, queued.batch.id, of: queued.user)
            withdraw(queued)
        }
        return .success(batches.map { SteeredBatch($0.batch.id) })
    }

    private func release(
        _ ids: [BatchID], _ store: any FirestoreTransaction
    ) throws(StoreError) -> Result<[SteeredBatch], HearthError> {
        let batches: [QueuedBatch]
        switch try store.queued(ids) {
        case .failure(let error): return .failure(error)
        case .success(let found): batches = found
        }
        for queued in batches where queued.state == .held {
            try store.setHeld(false, queued.batch.id, of: queued.user)
        }
        return .success(batches.map { SteeredBatch($0.batch.id) })
    }

    private mutating func takeOut(
        _ ids: [BatchID], isKept: Bool, by uid: UInt32, _ turn: inout Turn
    ) throws(StoreError) -> Result<[SteeredBatch], HearthError> {
        let store = turn.store
        let batches: [QueuedBatch]
        switch try store.steerable(ids) {
        case .failure(let error): return .failure(error)
        case .success(let found): batches = found
        }
        let error = HearthError.takenOut(by: uid, isKept: isKept)
        for queued in batches { try takeOut(queued, error, isKept: isKept, &turn) }
        return .success(batches.map { SteeredBatch($0.batch.id) })
    }

    /// Takes a batch that was never sent out of its queue, and tells the callers that wait for the
    /// batch.
    ///
    /// - Parameter isKept: Whether the batch becomes a dead letter.
    mutating func takeOut(
        _ queued: QueuedBatch, _ error: HearthError, isKept: Bool, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        withdraw(queued)
        let changed = try local.takeOut(queued, because: error, isKept: isKept, store)
        if isKept {
            try store.appendDeadLetter(
                DeadLetter(
                    batch: queued, error: error, rejectedAt: turn.now, mayHaveBeenApplied: false))
        }
        try leave(queued, error, &turn)
        let rejected = RejectedWrite(queued.batch.id, error)
        try updateViews(
            with: changed, after: .rejected(rejected, mayHaveBeenApplied: false), &turn)
    }

    private mutating func edit(
        _ id: BatchID, _ mutations: [Mutation], _ turn: inout Turn
    ) throws(StoreError) -> Result<[SteeredBatch], HearthError> {
        let store = turn.store
        if let refusal = editRefusal(mutations) { return .failure(refusal) }
        let batches: [QueuedBatch]
        switch try store.steerable([id]) {
        case .failure(let error): return .failure(error)
        case .success(let found): batches = found
        }
        for queued in batches {
            withdraw(queued)
            let changed = try local.edit(queued, to: mutations, store)
            try updateViews(with: changed, &turn)
        }
        return .success([SteeredBatch(id)])
    }

    private func editRefusal(_ mutations: [Mutation]) -> HearthError? {
        mutations.isEmpty ? .nothingToWrite : markersRefusal(of: mutations)
    }

    private mutating func tryBackendNow(
        _ turn: inout Turn
    ) throws(StoreError) -> Result<[SteeredBatch], HearthError> {
        guard canUseNetwork else {
            return .failure(.networkIsOff)
        }
        turn.effects.actions += [.cancel(.watchBackoff), .cancel(.writeBackoff)]
        performOnWatchStream(watchStream.fired(.watchBackoff, at: turn.now), &turn.effects)
        performOnWriteStream(writeStream.fired(.writeBackoff, at: turn.now), &turn.effects)
        try goOnline(&turn)
        return .success([])
    }

    private mutating func queueAnew(
        _ ids: [BatchID], evenIfApplied: Bool, _ turn: inout Turn
    ) throws(StoreError) -> Result<[SteeredBatch], HearthError> {
        let store = turn.store
        let letters: [DeadLetter]
        switch try store.letters(ids) {
        case .failure(let error): return .failure(error)
        case .success(let found): letters = found
        }
        let doubtful = letters.first(where: \.mayHaveBeenApplied)?.batch.batch.id
        if let doubtful, !evenIfApplied { return .failure(.mayBeApplied(doubtful)) }
        var steered: [SteeredBatch] = []
        for letter in letters {
            let (id, changed) = try local.queueAnew(letter.batch, at: turn.now, store)
            try store.removeDeadLetter(letter.batch.batch.id)
            steered.append(SteeredBatch(letter.batch.batch.id, newID: id))
            try updateViews(with: changed, &turn)
        }
        return .success(steered)
    }

    /// Queues a rejected batch and edits it at once: nobody sees or sends what it was.
    private mutating func queueAnew(
        _ id: BatchID, as mutations: [Mutation], evenIfApplied: Bool, _ turn: inout Turn
    ) throws(StoreError) -> Result<[SteeredBatch], HearthError> {
        if let refusal = editRefusal(mutations) { return .failure(refusal) }
        let result = try queueAnew([id], evenIfApplied: evenIfApplied, &turn)
        guard case .success(let batches) = result, let newID = batches.first?.newID else {
            return result
        }
        guard case .success = try edit(newID, mutations, &turn) else {
            preconditionFailure("Batch \(newID) was queued in this turn, and is not sent")
        }
        return result
    }

    private func dropLetters(
        _ ids: [BatchID], _ store: any FirestoreTransaction
    ) throws(StoreError) -> Result<[SteeredBatch], HearthError> {
        switch try store.letters(ids) {
        case .failure(let error): return .failure(error)
        case .success(let letters):
            for letter in letters { try store.removeDeadLetter(letter.batch.batch.id) }
            return .success(letters.map { SteeredBatch($0.batch.batch.id) })
        }
    }

    // MARK: What follows

    /// Takes a batch off the way to the backend, with all behind it; the queue has them still.
    private mutating func withdraw(_ queued: QueuedBatch) {
        guard queued.user == local.user else { return }  // Another's queue is not on the way.
        pipeline.removeUnsent(from: queued.batch.id)
    }

    /// Tells the writer of a batch that left the queue unsent.
    ///
    /// The requests that waited for the batch now wait for the batch in front. If no batch is in
    /// front, the requests are complete.
    private mutating func leave(
        _ queued: QueuedBatch, _ error: HearthError, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        let id = queued.batch.id
        let outcome = WriteOutcome.rejected(error, mayHaveBeenApplied: false)
        try forgetTerms(of: id, &turn)
        try keepPromise(of: queued, outcome, &turn)
        if let identity = try store.identity(of: id) {
            try store.setRecord(WriteRecord(batch: id, outcome: outcome), of: identity)
        }
        let (writer, waiters) = pendingWrites.settled(id)
        if let writer { turn.effects.actions.append(.settle(writer, id, outcome)) }
        if waiters.isEmpty { return }
        if let previous = try store.previousBatchID(before: id, of: queued.user) {
            for waiter in waiters { pendingWrites.awaitAll(upTo: previous, for: waiter) }
        } else {
            turn.effects.actions += waiters.map { .complete($0) }
        }
    }

    // MARK: Limits

    /// Why nothing more may be queued for a Unix user; `nil` if it may.
    mutating func queueRefusal(
        of uid: UInt32, _ turn: inout Turn
    ) throws(StoreError) -> HearthError? {
        let store = turn.store
        let payer = gate.limits.owners.owner(of: uid)
        let own = try store.queueLoad(of: payer, by: gate.limits.owners)
        let all = try store.queueLoad(of: nil)
        let refusal = gate.refusal(of: payer, own: own, all: all)
        if let refusal, refusal.isNews {
            turn.effects.actions.append(.note(.queueFull(refusal.error)))
        }
        return refusal?.error
    }
}

// MARK: - What an order may concern

extension FirestoreTransaction {
    /// Batches by their numbers, each once, the oldest first.
    func queued(_ ids: [BatchID]) throws(StoreError) -> Result<[QueuedBatch], HearthError> {
        guard !ids.isEmpty else { return .failure(.noBatches) }
        var batches: [QueuedBatch] = []
        for id in Set(ids).sorted() {
            guard let user = try user(of: id), let queued = try batch(id, of: user) else {
                return .failure(.notQueued(id))
            }
            batches.append(queued)
        }
        return .success(batches)
    }

    /// The batches with these numbers, if none of them was ever sent.
    func steerable(_ ids: [BatchID]) throws(StoreError) -> Result<[QueuedBatch], HearthError> {
        let result = try queued(ids)
        guard case .success(let batches) = result,
            let sent = batches.first(where: { $0.state == .sentUnanswered })
        else { return result }
        return .failure(.isSent(sent.batch.id))
    }

    /// Dead letters by their batches' numbers, each once, the oldest first.
    func letters(_ ids: [BatchID]) throws(StoreError) -> Result<[DeadLetter], HearthError> {
        guard !ids.isEmpty else { return .failure(.noBatches) }
        var letters: [DeadLetter] = []
        for id in Set(ids).sorted() {
            guard let letter = try deadLetter(id) else {
                return .failure(.noDeadLetter(id))
            }
            letters.append(letter)
        }
        return .success(letters)
    }
}
