import HearthModel
import Synchronization

/// Writes that stand or fall together, in the order in which they were added. Up to 500.
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
    /// - Throws: `FirestoreError`; also for data that could not be added. The batch is then not
    ///   sent.
    @discardableResult
    public func commit(until stage: WriteStage = .committed) async throws -> WriteReceipt? {
        let mutations = try take()
        if mutations.isEmpty { return nil }
        return try await firestore.write(mutations, until: stage)
    }

    /// Writes everything that was added, and calls back when the backend has spoken.
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

    /// Adds a write; of several that cannot be made, `commit` tells the first.
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
