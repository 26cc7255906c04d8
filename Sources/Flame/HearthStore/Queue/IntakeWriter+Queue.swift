import HearthEngine
import HearthModel
import HearthSQLite

/// The kinds of entries that all stores with queues have. Every content has the same numbers for
/// them, and uses the numbers for nothing else.
enum QueueIntakeKind: UInt8 {
    case record = 3
    case answered = 4
    case state = 5
    case outcome = 16
    case recordRemoved = 17
    case deadLetterRemoved = 19
    case sent = 22
}

/// What the intake log tells of queues and records.
extension IntakeWriter {
    /// How far a queue was sent.
    mutating func sent(through batch: BatchID, of user: UserID) {
        begin(.sent)
        number(batch.rawValue)
        text(user.rawValue)
    }

    /// Whether a batch is held.
    mutating func state(_ state: BatchState, of batch: BatchID, user: UserID) {
        begin(.state)
        number(batch.rawValue)
        number(state.stored)
        text(user.rawValue)
    }

    /// A waiting write, noted so that the store recognises a resend.
    mutating func record(_ batch: BatchID, of write: WriteIdentity) {
        begin(.record)
        number(batch.rawValue)
        self.write(write)
    }

    /// The outcome of a write, and when the outcome was noted.
    mutating func outcome(
        _ columns: WriteOutcomeColumns, _ batch: BatchID, of write: WriteIdentity,
        notedAt: Timestamp
    ) {
        begin(.outcome)
        number(batch.rawValue)
        self.write(write)
        number(columns.outcome)
        data(columns.committedAt)
        number(columns.code ?? 0)
        text(columns.message)
        time(notedAt)
    }

    /// A write whose record was removed.
    mutating func recordRemoved(_ write: WriteIdentity) {
        begin(.recordRemoved)
        self.write(write)
    }

    /// The writes of a client that need no record any more.
    mutating func answered(_ client: ClientID, uid: UInt32, below sequence: UInt64) {
        begin(.answered)
        write(WriteIdentity(uid: uid, client: client, sequence: sequence))
    }

    /// A rejected batch on which somebody has decided.
    mutating func deadLetterRemoved(_ batch: BatchID) {
        begin(.deadLetterRemoved)
        number(batch.rawValue)
    }

    /// What a batch has beside its writes.
    mutating func head(_ head: QueuedHead) {
        number(head.id.rawValue)
        text(head.user.rawValue)
        number(head.state.stored)
        time(head.writtenAt)
        number(Int64(head.writer.uid))
        number(Int64(head.writer.gid))
        number(Int64(head.writer.pid))
        text(head.writer.unit)
        text(head.writer.program)
    }

    /// Why and when a batch was rejected.
    mutating func refusal(
        _ error: HearthError, at rejectedAt: Timestamp, mayHaveBeenApplied: Bool,
        wasTold: Bool = false
    ) {
        number(Int64(error.code.rawValue))
        text(error.message)
        time(rejectedAt)
        number((mayHaveBeenApplied ? 1 : 0) + (wasTold ? 2 : 0))
    }

    private mutating func begin(_ kind: QueueIntakeKind) {
        begin(kind.rawValue)
    }
}

/// What a queued batch has beside its writes.
package struct QueuedHead: Hashable, Sendable {
    let id: BatchID
    let user: UserID
    var state: BatchState
    let writtenAt: Timestamp
    let writer: Writer
    /// The time that a batch of documents shows until it is answered.
    var promisedAt: Timestamp?
}
