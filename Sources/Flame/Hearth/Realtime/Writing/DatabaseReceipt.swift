import HearthModel
import HearthWire

/// The answers to a write. The write goes on if the receipt is thrown away.
public final class DatabaseReceipt: Sendable {
    private let client: Client
    private let id: Client.OperationID
    /// `nil` for an update of no places, which needs no answer.
    private let ticket: WriteTicket?

    init(client: Client, id: Client.OperationID, ticket: WriteTicket?) {
        self.client = client
        self.id = id
        self.ticket = ticket
    }

    deinit {
        client.release(id)
    }

    /// Waits until the daemon has the write: it is durable on this machine and shows in every
    /// program. Returns its number in the machine's queue; 0 for an update of no places.
    ///
    /// If the task is cancelled, the wait ends and the write goes on.
    ///
    /// - Throws: `DatabaseError` if the daemon refuses the write or does not answer.
    @discardableResult
    public func accepted() async throws -> Int64 {
        do {
            return try await ticket?.acceptance().rawValue ?? 0
        } catch {
            throw DatabaseError.translated(error)
        }
    }

    /// Waits until the backend has the write.
    ///
    /// If the task is cancelled, the wait ends and the write goes on.
    ///
    /// - Throws: The `DatabaseError` of the daemon or the backend. `mayHaveBeenApplied` tells
    ///   whether the write may have taken effect all the same.
    public func committed() async throws {
        do {
            _ = try await ticket?.settlement()
        } catch {
            throw DatabaseError.translated(error)
        }
    }

    /// Waits until the write has come as far as a stage.
    func wait(until stage: WriteStage) async throws {
        switch stage {
        case .accepted: try await accepted()
        case .committed: try await committed()
        }
    }
}
