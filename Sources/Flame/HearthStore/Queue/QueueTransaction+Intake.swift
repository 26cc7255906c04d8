package import HearthEngine
import HearthModel
package import HearthSQLite

/// What the intake log tells of a transaction, as far as all stores with queues tell it.
extension QueueTransaction {
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

    /// Does again what an entry tells.
    func apply(_ entry: QueueIntakeEntry<Outcome>) throws(StoreError) {
        switch entry {
        case .state(.sentUnanswered, let id, let user), .sent(let id, let user):
            try noteSent(through: id, of: user)
        case .state(let state, let id, let user): try setHeld(state == .held, id, of: user)
        case .record(let write, let record, let notedAt):
            if let notedAt { memory.batches.lastWrittenAt = notedAt }
            try setRecord(record, of: write)
        case .recordRemoved(let write): try removeRecord(of: write)
        case .answered(let write):
            try removeRecords(of: write.client, uid: write.uid, below: write.sequence)
        case .deadLetterRemoved(let id): try removeDeadLetter(id)
        }
    }

    // MARK: The row of counters

    /// The version that the last commit led to.
    ///
    /// - Throws: `StoreError` if SQLite cannot read the row of counters.
    package func storedVersion() throws(StoreError) -> StoreVersion {
        let statement = try connection.statement("SELECT version FROM store")
        return StoreVersion(try statement.first { $0.int(0) } ?? 0)
    }

    /// The salt of the intake log that goes on from the database; `nil` if it never had one.
    package func intakeSalt() throws(StoreError) -> UInt64? {
        let statement = try connection.statement("SELECT intake_salt FROM store")
        let salt = try statement.first { row in UInt64(bitPattern: row.int(0)) }
        guard let salt else { throw .damaged("its row of counters is gone") }
        return salt == 0 ? nil : salt
    }

    /// Notes the salt of a new intake log.
    package func setIntakeSalt(_ salt: UInt64) throws(StoreError) {
        try connection.statement("UPDATE store SET intake_salt = ?")
            .bind(Int64(bitPattern: salt)).run()
    }
}
