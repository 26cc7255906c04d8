package import HearthEngine
package import HearthModel
import HearthSQLite

/// One step of a group on queues and records, as the intake log writes it down.
package enum QueueIntakeEntry<Outcome: StoredOutcome>: Hashable {
    /// A batch is held or not; in logs of earlier programs it may have been sent.
    case state(BatchState, BatchID, UserID)
    /// The queue of a user was sent so far.
    case sent(BatchID, UserID)
    /// A write that waits or was answered was noted; `notedAt` tells when the answer was noted.
    case record(WriteIdentity, WriteRecord<Outcome>, notedAt: Timestamp?)
    /// Nothing is kept of a write any more.
    case recordRemoved(WriteIdentity)
    /// A client needs no record of its writes below the sequence number of the identity.
    case answered(WriteIdentity)
    /// Somebody has decided on a rejected batch.
    case deadLetterRemoved(BatchID)

    /// Reads an entry behind its kind; `nil` if the kind is one of the content's own.
    ///
    /// - Throws: `StoreError.damaged` for bytes that no group leaves.
    init?(_ kind: UInt8, from reader: inout IntakeReader) throws(StoreError) {
        guard let kind = QueueIntakeKind(rawValue: kind) else { return nil }
        switch kind {
        case .state:
            let (id, state) = (BatchID(try reader.number()), try reader.state())
            self = .state(state, id, try reader.user())
        case .sent:
            let id = BatchID(try reader.number())
            self = .sent(id, try reader.user())
        case .record:
            let id = BatchID(try reader.number())
            let record = WriteRecord<Outcome>(batch: id, outcome: .pending)
            self = .record(try reader.write(), record, notedAt: nil)
        case .outcome:
            let (id, write) = (BatchID(try reader.number()), try reader.write())
            let outcome = try Outcome(try reader.outcome())
            self = .record(
                write, WriteRecord(batch: id, outcome: outcome), notedAt: try reader.time())
        case .recordRemoved: self = .recordRemoved(try reader.write())
        case .answered: self = .answered(try reader.write())
        case .deadLetterRemoved: self = .deadLetterRemoved(BatchID(try reader.number()))
        }
    }
}

/// What entries of queues consist of.
extension IntakeReader {
    /// A Firebase user.
    mutating func user() throws(StoreError) -> UserID { UserID(try text() ?? "") }

    /// What a batch has beside its writes.
    mutating func head() throws(StoreError) -> QueuedHead {
        let (id, user) = (BatchID(try number()), try user())
        let (state, writtenAt) = (try state(), try time())
        let writer = Writer(
            uid: UInt32(truncatingIfNeeded: try number()),
            gid: UInt32(truncatingIfNeeded: try number()),
            pid: Int32(truncatingIfNeeded: try number()), unit: try text(), program: try text())
        return QueuedHead(id: id, user: user, state: state, writtenAt: writtenAt, writer: writer)
    }

    /// Why and when a batch was rejected.
    mutating func refusal() throws(StoreError) -> (
        error: HearthError, at: Timestamp, mayHaveBeenApplied: Bool, wasTold: Bool
    ) {
        guard let code = StatusCode(rawValue: Int32(truncatingIfNeeded: try number())) else {
            throw Self.damage
        }
        let error = HearthError(code: code, message: try text() ?? "")
        let (rejectedAt, marks) = (try time(), try number())
        return (error, rejectedAt, marks & 1 != 0, marks & 2 != 0)
    }

    fileprivate mutating func state() throws(StoreError) -> BatchState {
        guard let state = BatchState(stored: try number()) else { throw Self.damage }
        return state
    }

    fileprivate mutating func outcome() throws(StoreError) -> WriteOutcomeColumns {
        let (outcome, committedAt) = (try number(), try optionalData())
        let code = try number()
        return WriteOutcomeColumns(
            outcome: outcome, committedAt: committedAt, code: code, message: try text())
    }
}
