import HearthModel
import Synchronization

/// Writes that stand or fall together, in the order in which they were added. Up to 500.
public final class WriteBatch: Sendable {
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

    /// Makes a document, or replaces it, or merges the data into it.
    @discardableResult
    public func setData(
        _ data: [String: Any], forDocument document: DocumentReference, merge: Bool = false
    ) -> WriteBatch {
        add { () throws(FirestoreError) in
            merge
                ? try UserData.merge(data, at: document.key)
                : try UserData.set(data, at: document.key)
        }
    }

    /// Changes only the named fields of a document, all of which must be in the data.
    @discardableResult
    public func setData(
        _ data: [String: Any], forDocument document: DocumentReference,
        mergeFields: [any FieldName]
    ) -> WriteBatch {
        add { () throws(FirestoreError) in
            try UserData.merge(data, mergeFields: mergeFields.modelPaths(), at: document.key)
        }
    }

    /// Changes fields of a document, which must exist.
    @discardableResult
    public func updateData(
        _ fields: [AnyHashable: Any], forDocument document: DocumentReference
    ) -> WriteBatch {
        add { () throws(FirestoreError) in try UserData.update(fields, at: document.key) }
    }

    /// Deletes a document, if there is one.
    @discardableResult
    public func deleteDocument(_ document: DocumentReference) -> WriteBatch {
        add { Mutation(key: document.key, kind: .delete) }
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
    public func commit(completion: (@Sendable ((any Error)?) -> Void)? = nil) {
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

    private func add(_ mutation: () throws(FirestoreError) -> Mutation) -> WriteBatch {
        let result = Result(catching: mutation)
        state.withLock { state in
            switch result {
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
