import HearthModel
import HearthWire

/// How far a write must have come before its caller goes on.
public enum WriteStage: Hashable, Sendable {
    /// The daemon has it: it is durable on this machine and shows in every program.
    case accepted
    /// The backend has it. Offline this waits as long as offline lasts.
    case committed
}

/// What became of a write. Throw it away if you do not want to know; the write goes on.
public final class WriteReceipt: Sendable {
    /// What the backend said of a committed write.
    public struct Commit: Hashable, Sendable {
        /// When it was committed.
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
    /// Cancelling the task ends the wait, not the write.
    ///
    /// - Throws: `FirestoreError` if the daemon refuses it or does not answer.
    @discardableResult
    public func accepted() async throws -> Int64 {
        try await ticket.acceptance().rawValue
    }

    /// Waits until the backend has the write.
    ///
    /// Cancelling the task ends the wait, not the write.
    ///
    /// - Throws: `FirestoreError` with what the backend said. `mayHaveBeenApplied` tells whether
    ///   the write may have taken effect all the same.
    @discardableResult
    public func committed() async throws -> Commit {
        let committed = try await ticket.settlement()
        return Commit(
            commitTime: Timestamp(committed.committedAt.timestamp),
            updateTimes: committed.updateTimes.map { Timestamp($0.timestamp) })
    }
}
