package import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite

/// What the intake log tells of a transaction, and how a store applies the entries.
extension SQLiteTransaction {
    /// Runs a change that the intake log can tell, and has the log tell the change.
    ///
    /// Must not be called inside itself.
    func logged(
        _ body: () throws(StoreError) -> Void, as entry: (inout IntakeWriter) -> Void
    ) throws(StoreError) {
        try loggedLater(body, as: entry)
        memory.group.intake.isUrgent = true
    }

    /// Runs a change whose loss does no harm, and has the intake log tell the change later.
    ///
    /// The log tells such a change together with the next group whose loss does harm. Must not be
    /// called inside itself or `logged`.
    func loggedLater<Result>(
        _ body: () throws(StoreError) -> Result, as entry: (inout IntakeWriter) -> Void
    ) throws(StoreError) -> Result {
        let before = connection.totalChangeCount
        let result = try body()
        memory.group.intake.changeCount += connection.totalChangeCount - before
        entry(&memory.group.intake)
        return result
    }

    package func tellCounters() throws(StoreError) {
        memory.group.intake.globals(try globals())
    }

    package func apply(_ bytes: [UInt8]) throws(StoreError) {
        for entry in try IntakeEntry.entries(from: bytes, codec) { try apply(entry) }
        try noteNewUses()
    }

    private func apply(_ entry: IntakeEntry) throws(StoreError) {
        switch entry {
        case .batch(let batch, let isEffect):
            let id = batch.batch.id
            guard try highestBatchID(of: batch.user) ?? .none < id else {
                throw .damaged("batch \(id) is behind those that came after it")
            }
            try append(batch, effects: isEffect ? batch.batch.plainEffects : [])
        case .batchRemoved(let id, let keys, let user):
            try removeBatch(id, writingTo: keys, of: user, nil)
        case .state(.sentUnanswered, let id, let user), .sent(let id, let user):
            try noteSent(through: id, of: user)
        case .state(let state, let id, let user): try setHeld(state == .held, id, of: user)
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
        case .record(let write, let record, let notedAt):
            if let notedAt { memory.batches.lastWrittenAt = notedAt }
            try setRecord(record, of: write)
        case .recordRemoved(let write): try removeRecord(of: write)
        case .answered(let write):
            try removeRecords(of: write.client, uid: write.uid, below: write.sequence)
        case .deadLetter(let letter): try appendDeadLetter(letter)
        case .deadLetterRemoved(let id): try removeDeadLetter(id)
        case .globals(let globals): try setGlobals(globals)
        }
    }

    package func intakeSalt() throws(StoreError) -> UInt64? {
        let statement = try connection.statement("SELECT intake_salt FROM store")
        let salt = try statement.first { row in UInt64(bitPattern: row.int(0)) }
        guard let salt else { throw .damaged("its row of counters is gone") }
        return salt == 0 ? nil : salt
    }

    package func setIntakeSalt(_ salt: UInt64) throws(StoreError) {
        try connection.statement("UPDATE store SET intake_salt = ?")
            .bind(Int64(bitPattern: salt)).run()
    }
}

extension MutationBatch {
    /// The effects of a batch whose writes need nothing but to be put in the documents' place.
    fileprivate var plainEffects: [Overlay] {
        mutations.map { Overlay(largestBatchID: id, mutation: $0.plain) }
    }
}
