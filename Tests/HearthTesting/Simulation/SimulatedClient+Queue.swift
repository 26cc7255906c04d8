import HearthEngine
import HearthFirestore
import HearthModel

/// What administrators do with a daemon's queue.
extension SimulatedClient {
    /// All that waits, of all users, the oldest first.
    func queue() -> [QueuedBatch] {
        let batches = try? store.transaction { transaction throws(StoreError) in
            var batches: [QueuedBatch] = []
            for user in Scenery.users {
                var last = BatchID.none
                while let next = try transaction.nextBatch(after: last, of: user) {
                    batches.append(next)
                    last = next.batch.id
                }
            }
            return batches
        }
        return (batches ?? []).sorted { $0.batch.id < $1.batch.id }
    }

    /// Dead letters of writes of the ledger.
    func deadLetters() -> [DeadLetter] {
        let ids = ledger.numbers(of: index).compactMap { number in
            ledger.entries[number].flatMap { $0.newBatch ?? $0.batch }
        }
        let letters = try? store.transaction { transaction throws(StoreError) in
            var letters: [DeadLetter] = []
            for id in ids {
                if let letter = try transaction.deadLetter(id) { letters.append(letter) }
            }
            return letters
        }
        return letters ?? []
    }

    /// Orders something of some batches.
    func steer(
        _ order: QueueOrder<[Mutation]>, of batches: [QueuedBatch], at now: Timestamp,
        dies: Bool = false
    ) throws(StoreError) {
        ordered = [:]
        for queued in batches {
            ordered[queued.batch.id] = WriteLedger.number(of: queued.batch.mutations)
            steeredKeys.formUnion(queued.batch.keys)
        }
        defer { steeredKeys = [] }
        let input = FirestoreEngine.Input.steerQueue(
            RequestID(session: 8, number: nextNumber()), order, by: 0)
        if dies {
            try takeAndDie(input, at: now)
        } else {
            take(input, at: now)
        }
    }

    /// What is durable now of an order, if it was carried out.
    func note(_ order: QueueOrder<[Mutation]>, _ actions: [FirestoreEngine.Action]) {
        for case .result(_, .steered(let batches)) in actions {
            for batch in batches {
                guard let number = ordered[batch.id] else { continue }
                note(order, batch, number)
            }
        }
    }

    private func note(_ order: QueueOrder<[Mutation]>, _ batch: SteeredBatch, _ number: Int) {
        if ledger.entries[number]?.newBatch == nil {
            if let fault = ledger.accepted(number, as: batch.id) { report(fault) }
        }
        switch order {
        case .hold, .release, .retry: break
        case .cancel: ledger.takenOut(number, isKept: true)
        case .drop, .dropDeadLetters: ledger.takenOut(number, isKept: false)
        case .edit(_, let mutations): ledger.edited(number, mutations)
        case .retryDeadLetters:
            if let newID = batch.newID { ledger.queuedAnew(number, as: newID) }
        case .editDeadLetter(_, let mutations, _):
            if let newID = batch.newID { ledger.queuedAnew(number, as: newID) }
            ledger.edited(number, mutations)
        }
    }
}
