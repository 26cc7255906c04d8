import HearthModel
import Synchronization

/// Up to 500 writes, in the order in which they were added. The backend applies all or none.
public final class WriteBatch: DocumentWriter {
    private struct State {
        var mutations: [Mutation] = []
        var error: FirestoreError?
        var isCommitted = false
        /// Whether the program said what must hold of any document.
        var hasPreconditions = false
    }

    private let firestore: Firestore
    private let state = Mutex(State())

    init(firestore: Firestore) {
        self.firestore = firestore
    }

    /// Writes everything that was added. A batch can be committed once.
    ///
    /// - Parameters:
    ///   - expires: When the writes are given up if they were not sent; see
    ///     `DocumentReference.setData`.
    ///   - whenOnlineOnly: Whether the writes are only for now; see `DocumentReference.setData`.
    ///   - stage: How long to wait; see `DocumentReference.setData`.
    /// - Returns: The receipt; `nil` for an empty batch.
    /// - Throws: `FirestoreError` as `DocumentReference.setData`. If a write could not be added,
    ///   `commit` throws its error and does not send the batch.
    @discardableResult
    public func commit(
        expires: WriteExpiry? = nil, whenOnlineOnly: Bool = false,
        until stage: WriteStage = .committed
    ) async throws -> WriteReceipt? {
        let mutations = try take()
        if mutations.isEmpty { return nil }
        var conditions = WriteConditions(nil, expires, whenOnlineOnly: whenOnlineOnly)
        conditions.isJudgedAtOnce = state.withLock { $0.hasPreconditions }
        return try await firestore.write(mutations, conditions, until: stage)
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
    ///
    /// The program stops if the batch was committed before, because the write would be lost.
    @discardableResult
    public func add(_ write: DocumentWrite) -> WriteBatch {
        state.withLock { state in
            precondition(
                !state.isCommitted, "A batch that was committed takes no write; begin a new one")
            switch write.mutation {
            case .success(let mutation): state.mutations.append(mutation)
            case .failure(let error): state.error = state.error ?? error
            }
        }
        return self
    }

    /// Makes or replaces a document, or merges the data into the document, if a condition holds.
    ///
    /// - Parameters:
    ///   - data: The fields; see `DocumentReference.setData`.
    ///   - document: The document.
    ///   - merge: Whether to change only the fields in the data, and keep the others.
    ///   - precondition: The state that the document must be in; otherwise the backend refuses the
    ///     whole batch.
    @discardableResult
    public func setData(
        _ data: [String: Any], forDocument document: DocumentReference, merge: Bool = false,
        precondition: Precondition
    ) -> WriteBatch {
        add(under: precondition) { () throws(FirestoreError) in
            merge
                ? try UserData.merge(data, at: document.key)
                : try UserData.set(data, at: document.key)
        }
    }

    /// Changes fields of a document, if a condition holds.
    ///
    /// - Parameters:
    ///   - fields: The changes; see `DocumentReference.updateData`.
    ///   - document: The document.
    ///   - precondition: The state that the document must be in; otherwise the backend refuses the
    ///     whole batch.
    @discardableResult
    public func updateData(
        _ fields: [AnyHashable: Any], forDocument document: DocumentReference,
        precondition: Precondition
    ) -> WriteBatch {
        add(under: precondition) { () throws(FirestoreError) in
            try UserData.update(fields, at: document.key)
        }
    }

    /// Deletes a document, if a condition holds.
    @discardableResult
    public func deleteDocument(
        _ document: DocumentReference, precondition: Precondition
    ) -> WriteBatch {
        add(under: precondition) { Mutation(key: document.key, kind: .delete) }
    }

    private func add(
        under precondition: Precondition, _ mutation: () throws(FirestoreError) -> Mutation
    ) -> WriteBatch {
        state.withLock { $0.hasPreconditions = true }
        return add(
            DocumentWrite { () throws(FirestoreError) in try mutation().under(precondition) })
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
