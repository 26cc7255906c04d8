import HearthEngine
import HearthModel
import HearthWire

/// A database of the machine's daemon as operators see it: the state, the waiting batches and the
/// rejected batches.
///
/// `Firestore` and `Database` are the two kinds. What operators ask and order is the same for both;
/// only the writes of a batch differ. A `Firestore` throws `FirestoreError`, and a `Database` throws
/// `DatabaseError` with the same code.
public protocol DaemonDatabase: Sendable {
    /// One write of a batch.
    associatedtype BatchWrite: Sendable

    /// Hearth's own way to the daemon, which the members of this protocol take.
    var operatorDesk: OperatorDesk<BatchWrite> { get }
}

/// The differences between the kinds of databases, for the members of `DaemonDatabase`. Programs have
/// no use for it.
public struct OperatorDesk<Write: Sendable>: Sendable {
    /// Stands in an order for the writes that come beside the order.
    struct NewWrites: Hashable, Sendable {}

    /// Whether the program has terminated the database.
    let isOver: @Sendable () -> Bool
    /// Asks the daemon once.
    let ask: @Sendable (Request) async throws -> Event
    /// Listens to the daemon's state until the returned closure is called, or until an error.
    let listen:
        @Sendable (
            StatusScope, @escaping @Sendable (Result<Client.StatusNews, FirestoreError>) -> Void
        ) -> @Sendable () -> Void
    /// The kind's error.
    let failure: @Sendable (FirestoreErrorCode, String) -> any Error
    /// The writes of a batch.
    let writes: @Sendable (BatchContent) -> [Write]
    /// The request that gives an order to the kind's queue. Throws for writes that cannot be made.
    let steering: @Sendable (QueueOrder<NewWrites>, [Write]) throws -> Request
}

extension OperatorDesk {
    /// The error for an event that does not answer the request.
    func unexpected(_ event: Event) -> any Error {
        failure(.internal, "The daemon answered with an event of kind \(event.kind).")
    }

    /// Asks an operator's question.
    func inquire(_ inquiry: Inquiry) async throws -> Report {
        let event = try await ask(.inquiry(inquiry))
        guard case .report(let report) = event else { throw unexpected(event) }
        return report
    }

    /// The error for a report that does not answer the question.
    func unexpected(_ report: Report) -> any Error { unexpected(.report(report)) }
}

extension QueueOrder {
    /// The same order with other content for the edited batch.
    func map<New>(_ edit: (Edit) throws -> New) rethrows -> QueueOrder<New> {
        switch self {
        case .hold(let ids): .hold(ids)
        case .release(let ids): .release(ids)
        case .cancel(let ids): .cancel(ids)
        case .drop(let ids): .drop(ids)
        case .edit(let id, let content): .edit(id, try edit(content))
        case .retry: .retry
        case .retryDeadLetters(let ids, let evenIfApplied):
            .retryDeadLetters(ids, evenIfApplied: evenIfApplied)
        case .editDeadLetter(let id, let content, let evenIfApplied):
            .editDeadLetter(id, try edit(content), evenIfApplied: evenIfApplied)
        case .dropDeadLetters(let ids): .dropDeadLetters(ids)
        }
    }
}

extension Firestore: DaemonDatabase {
    /// What operators ask of a Firestore database takes this way.
    public var operatorDesk: OperatorDesk<PendingWrite> {
        OperatorDesk(
            isOver: { self.client.isClosed },
            ask: { try await self.request($0) },
            listen: { self.client.listenToStatus($0, $1) },
            failure: { FirestoreError($0, $1) },
            writes: { $0.mutations.map { PendingWrite($0, in: self) } },
            steering: { order, writes in
                .administration(
                    .steerQueue(try order.map { _ in try writes.map { try $0.mutation() } }))
            })
    }
}

extension Database: DaemonDatabase {
    /// What operators ask of an instance of the Realtime Database takes this way.
    public var operatorDesk: OperatorDesk<PendingNodeWrite> {
        OperatorDesk(
            isOver: { self.client.isClosed },
            ask: { try await self.ask($0) },
            listen: { self.client.listenToStatus($0, $1) },
            failure: { DatabaseError($0, $1) },
            writes: { PendingNodeWrite.writes(of: $0) },
            steering: { order, writes in
                .administration(
                    .steerRealtimeQueue(
                        try order.map { _ in
                            try PendingNodeWrite.change(of: writes, in: self.reference())
                        }))
            })
    }
}
