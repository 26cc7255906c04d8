import HashTreeCollections
import HearthEngine
import HearthModel

/// Steering of waiting writes.
///
/// The backend gets writes in the order in which the engine accepted them, whatever is held, edited
/// or taken out: a held write also holds all writes behind it. Whoever listens sees held writes too.
extension RealtimeEngine {
    /// An administrator gives an order to the queue.
    mutating func steer(
        _ id: RequestID, _ order: QueueOrder<RealtimeChange>, by uid: UInt32, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        try store.enter(.steerQueue)
        let result: Result<[SteeredBatch], HearthError>
        switch order {
        case .hold(let ids): result = try setHeld(true, ids, store)
        case .release(let ids): result = try setHeld(false, ids, store)
        case .cancel(let ids): result = try takeOut(ids, isKept: true, by: uid, &turn)
        case .drop(let ids): result = try takeOut(ids, isKept: false, by: uid, &turn)
        case .edit(let write, let change): result = try edit(write, change, &turn)
        case .retry: result = try retry(&turn)
        case .retryDeadLetters(let ids, let evenIfApplied):
            result = try queueAnew(ids, evenIfApplied: evenIfApplied, &turn)
        case .editDeadLetter(let write, let change, let evenIfApplied):
            result = try queueAnew([write], as: change, evenIfApplied: evenIfApplied, &turn)
        case .dropDeadLetters(let ids): result = try dropLetters(ids, store)
        }
        switch result {
        case .failure(let error): turn.effects.actions.append(.refuse(id, error))
        case .success(let writes):
            hasUnsentWrites = false  // What may be sent now, the queue tells anew.
            try fillPipeline(&turn)
            turn.effects.actions.append(.note(.queueSteered(order.word, writes.map(\.id), by: uid)))
            turn.effects.actions.append(.steered(id, writes))
        }
    }

    /// A client takes back all its writes that have no answer.
    ///
    /// A write that was sent may be applied all the same.
    mutating func purge(
        _ id: RequestID, _ client: ClientID, uid: UInt32, _ turn: inout Turn
    ) throws(StoreError) {
        let store = turn.store
        try store.enter(.steerQueue)
        let numbers = try store.pendingWrites(of: client, uid: uid)
        for number in numbers {
            guard let owner = try store.user(of: number),
                let write = try store.write(number, of: owner)
            else { continue }
            _ = pipeline.remove(number)
            try store.removeWrite(number, of: owner)
            let outcome = RealtimeOutcome.rejected(
                .purged, mayHaveBeenApplied: write.state == .sentUnanswered)
            try revert(write, outcome, &turn)
        }
        takeBackTransactions(ofSession: id.session, because: .purged, &turn.effects)
        if !numbers.isEmpty {
            hasUnsentWrites = false  // What is left to send, the queue tells anew.
            try fillPipeline(&turn)
        }
        turn.effects.actions.append(.complete(id))
    }

    // MARK: Order by order

    private func setHeld(
        _ isHeld: Bool, _ ids: [BatchID], _ store: any RealtimeTransaction
    ) throws(StoreError) -> Result<[SteeredBatch], HearthError> {
        let result = try isHeld ? store.steerable(ids) : store.queued(ids)
        guard case .success(let writes) = result else { return result.map { _ in [] } }
        for write in writes where write.state == (isHeld ? .queued : .held) {
            try store.setHeld(isHeld, write.id, of: write.user)
        }
        return .success(writes.map { SteeredBatch($0.id) })
    }

    private mutating func takeOut(
        _ ids: [BatchID], isKept: Bool, by uid: UInt32, _ turn: inout Turn
    ) throws(StoreError) -> Result<[SteeredBatch], HearthError> {
        let store = turn.store
        let result = try store.steerable(ids)
        guard case .success(let writes) = result else { return result.map { _ in [] } }
        let error = HearthError.takenOut(by: uid, isKept: isKept)
        for write in writes {
            try store.removeWrite(write.id, of: write.user)
            if isKept {
                try store.appendDeadLetter(
                    RealtimeDeadLetter(
                        write: write, error: error, rejectedAt: turn.now,
                        mayHaveBeenApplied: false))
            }
            try revert(write, .rejected(error, mayHaveBeenApplied: false), &turn)
        }
        return .success(writes.map { SteeredBatch($0.id) })
    }

    /// Why a change cannot take the place of another; `nil` if it can.
    private func refusal(ofEdit change: RealtimeChange) -> HearthError? {
        change.parts.isEmpty ? .nothingToWrite : refusal(of: change)
    }

    private mutating func edit(
        _ id: BatchID, _ change: RealtimeChange, _ turn: inout Turn
    ) throws(StoreError) -> Result<[SteeredBatch], HearthError> {
        let store = turn.store
        if let refusal = refusal(ofEdit: change) { return .failure(refusal) }
        let result = try store.steerable([id])
        guard case .success(let writes) = result else { return result.map { _ in [] } }
        for write in writes {
            let edited = QueuedWrite(
                id: write.id, change: change, writtenAt: write.writtenAt, user: write.user,
                state: write.state, writer: write.writer)
            try store.replaceWrite(edited)
            let pending = try estimate(edited, over: tree.writes, at: turn.now, store)
            if tree.writes.write(write.name) != nil {
                letGo(write)
                keepInMemory(edited)
            }
            tell(tree.replace(write.name, with: pending), &turn.effects)
        }
        return .success([SteeredBatch(id)])
    }

    private mutating func retry(
        _ turn: inout Turn
    ) throws(StoreError) -> Result<[SteeredBatch], HearthError> {
        guard canUseNetwork else { return .failure(.networkIsOff) }
        try tryBackendNow(&turn)
        return .success([])
    }

    private mutating func queueAnew(
        _ ids: [BatchID], as change: RealtimeChange? = nil, evenIfApplied: Bool,
        _ turn: inout Turn
    ) throws(StoreError) -> Result<[SteeredBatch], HearthError> {
        let store = turn.store
        if let refusal = change.flatMap(refusal(ofEdit:)) { return .failure(refusal) }
        let result = try store.letters(ids)
        guard case .success(let letters) = result else { return result.map { _ in [] } }
        if let doubtful = letters.first(where: \.mayHaveBeenApplied), !evenIfApplied {
            return .failure(.mayBeApplied(doubtful.write.id))
        }
        var steered: [SteeredBatch] = []
        for letter in letters {
            let write = try queueUnseen(
                change ?? letter.write.change, of: letter.write.user, by: letter.write.writer,
                &turn)
            try store.removeDeadLetter(letter.write.id)
            steered.append(SteeredBatch(letter.write.id, newID: write.id))
            guard write.user == user else { continue }  // Another's writes nobody sees now.
            let pending = try estimate(write, over: tree.writes, at: turn.now, store)
            tell(tree.write(pending), &turn.effects)
            keepInMemory(write)
        }
        return .success(steered)
    }

    private func dropLetters(
        _ ids: [BatchID], _ store: any RealtimeTransaction
    ) throws(StoreError) -> Result<[SteeredBatch], HearthError> {
        let result = try store.letters(ids)
        guard case .success(let letters) = result else { return result.map { _ in [] } }
        for letter in letters { try store.removeDeadLetter(letter.write.id) }
        return .success(letters.map { SteeredBatch($0.write.id) })
    }

    // MARK: Limits

    /// From now on so much may wait.
    mutating func setQueueLimits(_ limits: QueueLimits) {
        gate = QueueGate(limits: limits)
    }

    /// Why a Unix user may not queue a write that takes so many bytes of memory; `nil` if the user may.
    mutating func queueRefusal(
        of uid: UInt32, taking byteCount: Int, _ turn: inout Turn
    ) throws(StoreError) -> HearthError? {
        if let refusal = try queueRefusal(of: uid, &turn) { return refusal }
        return memoryRefusal(of: uid, byteCount, &turn.effects)
    }

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

extension RealtimeTransaction {
    /// Writes by their numbers, each once, the oldest first.
    fileprivate func queued(_ ids: [BatchID]) throws(StoreError)
        -> Result<[QueuedWrite], HearthError>
    {
        guard !ids.isEmpty else { return .failure(.noBatches) }
        var writes: [QueuedWrite] = []
        for id in Set(ids).sorted() {
            guard let user = try user(of: id), let write = try write(id, of: user) else {
                return .failure(.notQueued(id))
            }
            writes.append(write)
        }
        return .success(writes)
    }

    /// The writes with these numbers, if none of them was ever sent.
    fileprivate func steerable(_ ids: [BatchID]) throws(StoreError)
        -> Result<[QueuedWrite], HearthError>
    {
        let result = try queued(ids)
        guard case .success(let writes) = result, let sent = writes.first(where: \.isInDoubt)
        else { return result }
        return .failure(.isSent(sent.id))
    }

    /// Dead letters by their writes' numbers, each once, the oldest first.
    fileprivate func letters(_ ids: [BatchID]) throws(StoreError)
        -> Result<[RealtimeDeadLetter], HearthError>
    {
        guard !ids.isEmpty else { return .failure(.noBatches) }
        var letters: [RealtimeDeadLetter] = []
        for id in Set(ids).sorted() {
            guard let letter = try deadLetter(id) else { return .failure(.noDeadLetter(id)) }
            letters.append(letter)
        }
        return .success(letters)
    }
}

extension HearthError {
    /// A client took back what it had written.
    fileprivate static let purged = HearthError(
        code: .cancelled,
        message: "The program took back its outstanding writes before the backend had answered.")
}
