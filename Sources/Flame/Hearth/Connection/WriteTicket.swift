import HearthModel
import HearthWire
import Synchronization

/// The two answers to a write, and the callers that wait for the answers.
final class WriteTicket: Sendable {
    typealias Acceptance = Result<BatchID, FirestoreError>
    typealias Settlement = Result<Event.WriteCommitted, FirestoreError>

    private struct State {
        var acceptance: Acceptance?
        var settlement: Settlement?
        var lastWaiter = 0
        var awaitingAcceptance: [Int: @Sendable (Result<BatchID, any Error>) -> Void] = [:]
        var awaitingSettlement: [Int: @Sendable (Result<Event.WriteCommitted, any Error>) -> Void] =
            [:]
    }

    private let state = Mutex(State())
    /// Keeps the `Firestore`, and so the connection, alive until the write has its answers.
    private let owner: any Sendable & AnyObject

    /// A ticket of a write that is on its way.
    init(owner: any Sendable & AnyObject) {
        self.owner = owner
    }

    /// Asks the daemon something about the write.
    func ask(_ request: Request) async throws -> Event {
        guard let firestore = owner as? Firestore else {
            throw FirestoreError(.failedPrecondition, "Only writes to documents can be taken back.")
        }
        return try await firestore.request(request)
    }

    /// The daemon has the write.
    func accepted(_ batch: BatchID) {
        let waiters = state.withLock { state in
            state.acceptance = .success(batch)
            defer { state.awaitingAcceptance = [:] }
            return state.awaitingAcceptance.values
        }
        for waiter in waiters { waiter(.success(batch)) }
    }

    /// The write is committed, or has failed. If the daemon never accepted the write, both answers
    /// fail.
    func settled(_ settlement: Settlement) {
        let (early, late) = state.withLock { state in
            if state.acceptance == nil, case .failure(let error) = settlement {
                state.acceptance = .failure(error)
            }
            state.settlement = settlement
            defer {
                state.awaitingAcceptance = [:]
                state.awaitingSettlement = [:]
            }
            return (state.awaitingAcceptance.values, state.awaitingSettlement.values)
        }
        if case .failure(let error) = settlement {
            for waiter in early { waiter(.failure(error)) }
        }
        for waiter in late { waiter(settlement.mapError { $0 }) }
    }

    /// Waits until the daemon has the write.
    func acceptance() async throws -> BatchID {
        let waiter = nextWaiter()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                whenAccepted(waiter) { continuation.resume(with: $0) }
                if Task.isCancelled { cancel(waiter) }
            }
        } onCancel: {
            cancel(waiter)
        }
    }

    /// Waits until the backend has the write.
    func settlement() async throws -> Event.WriteCommitted {
        let waiter = nextWaiter()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                whenSettled(waiter) { continuation.resume(with: $0) }
                if Task.isCancelled { cancel(waiter) }
            }
        } onCancel: {
            cancel(waiter)
        }
    }

    /// Calls `body` when the backend has answered.
    func whenSettled(_ body: @escaping @Sendable (Result<Event.WriteCommitted, any Error>) -> Void)
    {
        whenSettled(nextWaiter(), body)
    }

    private func nextWaiter() -> Int {
        state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
    }

    private func whenAccepted(
        _ waiter: Int, _ body: @escaping @Sendable (Result<BatchID, any Error>) -> Void
    ) {
        let known = state.withLock { state in
            if state.acceptance == nil { state.awaitingAcceptance[waiter] = body }
            return state.acceptance
        }
        if let known { body(known.mapError { $0 }) }
    }

    private func whenSettled(
        _ waiter: Int, _ body: @escaping @Sendable (Result<Event.WriteCommitted, any Error>) -> Void
    ) {
        let known = state.withLock { state in
            if state.settlement == nil { state.awaitingSettlement[waiter] = body }
            return state.settlement
        }
        if let known { body(known.mapError { $0 }) }
    }

    private func cancel(_ waiter: Int) {
        let (early, late) = state.withLock { state in
            (
                state.awaitingAcceptance.removeValue(forKey: waiter),
                state.awaitingSettlement.removeValue(forKey: waiter)
            )
        }
        early?(.failure(CancellationError()))
        late?(.failure(CancellationError()))
    }
}
