import HearthModel
import Synchronization

/// Up to 500 writes, in the order in which they were added. The backend applies all or none.
public final class WriteBatch: DocumentWriter {
    private struct State {
        var mutations: [Mutation] = []
        var error: FirestoreError?
        var isCommitted = false
    }

    private let firestore: Firestore
    private let state = Mutex(State())

    init(firestore: Firestore) {
        self.firestore = firestore
    }

    /// Writes everything that was added. A batch can be committed once.
    ///
    /// - Parameter stage: How long to wait; see `DocumentReference.setData`.
    /// - Returns: The receipt; `nil` for an empty batch.
    /// - Throws: `FirestoreError` as `DocumentReference.setData`. If a write could not be added,
    ///   `commit` throws its error and does not send the batch.
    @discardableResult
    public func commit(until stage: WriteStage = .committed) async throws -> WriteReceipt? {
        let mutations = try take()
        if mutations.isEmpty { return nil }
        return try await firestore.write(mutations, until: stage)
    }

    /// Writes everything that was added, and calls `completion` when the backend has answered.
    public func commit(completion: (@Sendable ((any Error)?) -> Void)?) {
        do throws(FirestoreError) {
            let mutations = try take()
            if !mutations.isEmpty { return firestore.write(mutations, completion) }
            guard let completion else { return }
            firestore.client.callbacks.enqueue { completion(nil) }
        } catch {
            guard let completion else { return }
            firestore.client.callbacks.enqueue { completion(error) }
        }
    }

    /// Adds a write. If writes cannot be made, `commit` reports the first error.
    @discardableResult
    public func add(_ write: DocumentWrite) -> WriteBatch {
        state.withLock { state in
            switch write.mutation {
            case .success(let mutation): state.mutations.append(mutation)
            case .failure(let error): state.error = state.error ?? error
            }
        }
        return self
    }

    private func take() throws(FirestoreError) -> [Mutation] {
        let (mutations, error) = state.withLock { state -> ([Mutation], FirestoreError?) in
            if state.isCommitted {
                let error = FirestoreError(
                    .failedPrecondition, "The batch was committed before; begin a new one.")
                return ([], error)
            }
            state.isCommitted = true
            return (state.mutations, state.error)
        }
        if let error { throw error }
        return mutations
    }
}
