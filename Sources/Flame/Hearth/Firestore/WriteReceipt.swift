import HearthModel
import HearthWire

/// How far a write must have come before the caller goes on.
public enum WriteStage: Hashable, Sendable {
    /// The daemon has the write. The write is durable on this machine and shows in every program.
    case accepted
    /// The backend has the write. Without a network, this waits until the network is back.
    case committed
}

/// The answers to a write. The write goes on if the receipt is thrown away.
public final class WriteReceipt: Sendable {
    /// The backend's answer to a committed write.
    public struct Commit: Hashable, Sendable {
        /// When the backend committed the write.
        public let commitTime: Timestamp
        /// When each document changed, in the order of the writes; empty if the daemon did not say.
        public let updateTimes: [Timestamp]
    }

    private let client: Client
    private let id: Client.OperationID
    private let ticket: WriteTicket

    init(client: Client, id: Client.OperationID, ticket: WriteTicket) {
        self.client = client
        self.id = id
        self.ticket = ticket
    }

    deinit {
        client.release(id)
    }

    /// Waits until the daemon has the write, and returns its number in the machine's queue.
    ///
    /// If the task is cancelled, the wait ends and the write goes on.
    ///
    /// - Throws: `FirestoreError` if the daemon refuses the write or does not answer.
    @discardableResult
    public func accepted() async throws -> Int64 {
        try await ticket.acceptance().rawValue
    }

    /// Takes the write back, if it was not sent to the backend. `committed` then fails with `cancelled`.
    ///
    /// Only the program that wrote can take a write back, and needs no right for it. Listeners are told
    /// that the write is undone, and nothing of the write stays.
    ///
    /// - Throws: `FirestoreError`: `failedPrecondition` if the write was sent, is answered, or left the
    ///   queue otherwise; `unavailable` if no daemon answers.
    public func cancel() async throws {
        let batch = try await ticket.acceptance()
        guard let sequence = client.sequence(of: id) else {
            throw FirestoreError(.failedPrecondition, "The write is answered already.")
        }
        let request = Request.firestore(.cancelWrite(sequence: sequence, batch: batch))
        guard case .done = try await ticket.ask(request) else {
            throw FirestoreError(.internal, "The daemon did not take the write back.")
        }
    }

    /// Waits until the backend has the write.
    ///
    /// If the task is cancelled, the wait ends and the write goes on.
    ///
    /// - Throws: The `FirestoreError` of the daemon or the backend. `mayHaveBeenApplied` tells
    ///   whether the write may have taken effect all the same.
    @discardableResult
    public func committed() async throws -> Commit {
        let committed = try await ticket.settlement()
        return Commit(
            commitTime: Timestamp(committed.committedAt.timestamp),
            updateTimes: committed.updateTimes.map { Timestamp($0.timestamp) })
    }
}
