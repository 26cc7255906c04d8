package import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite

/// What the intake log tells of a transaction, and how a store applies the entries.
extension SQLiteTransaction {
    package func tellCounters() throws(StoreError) {
        memory.group.intake.globals(try globals())
    }

    package func apply(_ bytes: [UInt8]) throws(StoreError) {
        for entry in try IntakeEntry.entries(from: bytes, codec) { try apply(entry) }
        try noteNewUses()
    }

    private func apply(_ entry: IntakeEntry) throws(StoreError) {
        switch entry {
        case .batch(let told, let isEffect):
            let batch = try promised(told)
            let id = batch.batch.id
            guard try highestBatchID(of: batch.user) ?? .none < id else {
                throw .damaged("batch \(id) is behind those that came after it")
            }
            try append(batch, effects: isEffect ? batch.batch.plainEffects : [])
            try raiseLastPromise(to: batch.batch.promisedAt)
        case .batchRemoved(let id, let keys, let user):
            try removeBatch(id, writingTo: keys, of: user, nil)
        case .overlay(let overlay, let user): try setOverlays([overlay], of: user)
        case .overlaysRemoved(let keys, nil, let user): try removeOverlays(keys, of: user)
        case .overlaysRemoved(let keys, let id?, let user):
            try removeOverlays(keys, largestBatch: id, of: user)
        case .document(let document, let used): try setRemoteDocument(document, used: used)
        case .documentRemoved(let key): try removeRemoteDocument(key)
        case .targetDropped(let id): try dropTarget(id)
        case .keysReleased(let limit): _ = try releaseDroppedKeys(limit: limit)
        case .backfilled(let countMax): _ = try backfillIndexes(countMax: countMax)
        case .used(let keys, let at): try touch(keys, at: at)
        case .keysAdded(let keys, let target, let at): try addKeys(keys, to: target, at: at)
        case .keysRemoved(let keys, let target, let at): try removeKeys(keys, from: target, at: at)
        case .target(let data): try setTargetData(data)
        case .queue(let entry): try apply(entry)
        case .deadLetter(let letter): try appendDeadLetter(letter)
        case .promise(let promise, let notedAt):
            memory.batches.lastWrittenAt = notedAt
            try setPromise(promise)
        case .terms(let terms, let id): try setTerms(terms, of: id)
        case .history(let key, let notedAt, let bytes):
            try appendHistory(of: key, notedAt: notedAt, bytes)
        case .historyRemoved(let number): try removeHistory(through: number)
        case .globals(var globals):
            // The entry does not tell of promises; their batches do.
            globals.lastPromisedAt = try self.globals().lastPromisedAt
            try setGlobals(globals)
        }
    }

    /// A batch with a promise: the log of an earlier program tells of none.
    private func promised(_ batch: QueuedBatch) throws(StoreError) -> QueuedBatch {
        var clock = PromisedClock()
        clock.resume(after: try globals().lastPromisedAt)
        return batch.promised { clock.promise(after: .zero) }
    }

    /// Takes care that no later batch makes a promise that was made before.
    func raiseLastPromise(to promisedAt: Timestamp?) throws(StoreError) {
        var globals = try globals()
        guard let promisedAt, promisedAt > globals.lastPromisedAt else { return }
        globals.lastPromisedAt = promisedAt
        try setGlobals(globals)
    }
}

extension MutationBatch {
    /// The effects of a batch whose writes need nothing but to be put in the documents' place.
    fileprivate var plainEffects: [Overlay] {
        mutations.map { Overlay(largestBatchID: id, mutation: $0.plain) }
    }
}
