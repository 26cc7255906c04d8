import Dispatch
import HearthModel
import HearthWire
import Synchronization

/// Reads and writes that happen all at once, or not at all.
///
/// The backend applies the writes only if no document that the transaction has read has changed
/// meanwhile. A transaction reads from the backend, never from the cache. All reads must come
/// before the first write.
public final class Transaction: DocumentWriter {
    private let firestore: Firestore
    private let state = Mutex(TransactionState())

    init(firestore: Firestore) {
        self.firestore = firestore
    }

    // MARK: Reading

    /// Reads a document from the backend.
    ///
    /// - Throws: `FirestoreError`: `unavailable` if the daemon cannot reach the backend,
    ///   `invalidArgument` after a write, `aborted` if the document has changed since an earlier
    ///   read.
    public func getDocument(_ document: DocumentReference) async throws -> DocumentSnapshot {
        try state.withLock { state throws(FirestoreError) in try state.checkRead() }
        let event = try await firestore.request(.firestore(.readDocuments([document.key])))
        return try noteRead(.success(event), of: document)
    }

    /// Reads a document from the backend, and blocks the calling thread meanwhile.
    ///
    /// For transaction functions that are not `async`. Hearth calls such a function on a thread
    /// that may block.
    ///
    /// - Throws: As the `async` form.
    public func getDocument(_ document: DocumentReference) throws -> DocumentSnapshot {
        try state.withLock { state throws(FirestoreError) in try state.checkRead() }
        let answer = Answer()
        let client = firestore.client
        client.request(client.nextOperation(), .firestore(.readDocuments([document.key]))) {
            answer.put($0)
        }
        return try noteRead(answer.wait(), of: document)
    }

    private func noteRead(
        _ result: Result<Event, any Error>, of reference: DocumentReference
    ) throws -> DocumentSnapshot {
        let event = try result.get()
        guard case .documents(let documents) = event,
            let document = documents.first(where: { $0.key == reference.key })
        else { throw Firestore.unexpected(event) }
        try state.withLock { state throws(FirestoreError) in try state.noteRead(document) }
        return DocumentSnapshot(
            reference: reference, document: document.isFound ? document : nil,
            isFromCache: false)
    }

    // MARK: Writing

    /// Adds a write. If writes cannot be made, the end of the transaction throws the first error.
    @discardableResult
    public func add(_ write: DocumentWrite) -> Transaction {
        state.withLock { $0.write(write.mutation) }
        return self
    }

    // MARK: The end

    /// Applies the writes.
    ///
    /// A commit cannot be cancelled, because nobody would know whether the backend applied a
    /// cancelled commit.
    func commit() async throws {
        let mutations = try state.withLock { state throws(FirestoreError) in try state.finish() }
        if mutations.isEmpty { return }
        let client = firestore.client
        let event = try await withCheckedThrowingContinuation { continuation in
            client.request(client.nextOperation(), .firestore(.commit(mutations))) {
                continuation.resume(with: $0)
            }
        }
        if case .commitFailed(let error, let mayHaveBeenApplied) = event {
            throw FirestoreError(error, mayHaveBeenApplied: mayHaveBeenApplied)
        }
        guard case .committed = event else { throw Firestore.unexpected(event) }
    }

    /// The function has failed.
    func abandon() { state.withLock { $0.abandon() } }
}

/// One answer for a thread that waits.
private final class Answer: Sendable {
    private let result = Mutex<Result<Event, any Error>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func put(_ answer: Result<Event, any Error>) {
        result.withLock { $0 = answer }
        isThere.signal()
    }

    func wait() -> Result<Event, any Error> {
        isThere.wait()
        return result.withLock { $0 } ?? .failure(CancellationError())
    }
}
