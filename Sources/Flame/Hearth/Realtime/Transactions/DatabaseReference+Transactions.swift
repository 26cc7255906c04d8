import HearthModel
import Synchronization

/// Changing a place by what is there.
extension DatabaseReference {
    /// Changes this place by what is there.
    ///
    ///     let (isCommitted, snapshot) = try await ref.child("visits").runTransactionBlock { data in
    ///         data.value = (data.value as? Int ?? 0) + 1
    ///         return .success(withValue: data)
    ///     }
    ///
    /// Hearth calls `block` at once with what this machine knows, which may be nothing, and again
    /// whenever the backend or another program has something newer, at most 25 times. The block runs
    /// on a thread of Hearth's. It must change nothing but its data.
    ///
    /// - Parameters:
    ///   - block: Computes the new value, or gives the transaction up.
    ///   - localEvents: Whether observers see the new value before the backend has it.
    /// - Returns: Whether the value was written, and what is there now.
    /// - Throws: `DatabaseError`: `invalidArgument` for a value that cannot stand here, `aborted` if
    ///   another write took the place of the transaction or 25 attempts were not enough,
    ///   `unavailable` if no daemon answers, or the backend's error.
    @discardableResult
    public func runTransactionBlock(
        _ block: @escaping @Sendable (MutableData) -> TransactionResult,
        withLocalEvents localEvents: Bool = true
    ) async throws -> (Bool, DataSnapshot) {
        try await withCheckedThrowingContinuation { continuation in
            run(block, showsEstimate: localEvents) { outcome in
                continuation.resume(
                    with: outcome.result.map {
                        ($0, outcome.snapshot ?? DataSnapshot(self, .empty))
                    })
            }
        }
    }

    /// Changes this place by what is there, and calls `completionBlock` on a thread of Hearth's.
    ///
    /// - Parameters:
    ///   - block: Computes the new value, or gives the transaction up.
    ///   - completionBlock: Gets the error, whether the value was written, and what is there now;
    ///     after an error the snapshot may be `nil`.
    ///   - localEvents: Whether observers see the new value before the backend has it.
    public func runTransactionBlock(
        _ block: @escaping @Sendable (MutableData) -> TransactionResult,
        andCompletionBlock completionBlock:
            @escaping @Sendable (
                (any Error)?, Bool, DataSnapshot?
            ) -> Void,
        withLocalEvents localEvents: Bool = true
    ) {
        let callbacks = database.client.callbacks
        run(block, showsEstimate: localEvents) { outcome in
            callbacks.enqueue {
                switch outcome.result {
                case .success(let isCommitted):
                    completionBlock(nil, isCommitted, outcome.snapshot)
                case .failure(let error): completionBlock(error, false, outcome.snapshot)
                }
            }
        }
    }

    /// Runs a transaction, and calls `completion` once.
    func run(
        _ block: @escaping @Sendable (MutableData) -> TransactionResult, showsEstimate: Bool,
        _ completion: @escaping @Sendable (TransactionOutcome) -> Void
    ) {
        precondition(!path.isInfo, "What lies below .info is the daemon's to say")
        let run = TransactionRun(self, block, completion)
        let client = database.client
        let id = client.nextOperation()
        client.runTransaction(id, path, showsEstimate: showsEstimate) { step in
            run.received(step, id)
        }
    }
}

/// How a transaction ended.
struct TransactionOutcome: Sendable {
    /// Whether the value was written, or the error.
    let result: Result<Bool, any Error>
    /// What is there now; `nil` if the daemon did not say.
    let snapshot: DataSnapshot?
}

/// One transaction: calls the block whenever the daemon asks for another round.
private final class TransactionRun: Sendable {
    private let ref: DatabaseReference
    private let block: @Sendable (MutableData) -> TransactionResult
    private let completion: @Sendable (TransactionOutcome) -> Void
    /// Why the transaction was given up by the library; `nil` if it was not.
    private let fault = Mutex<DatabaseError?>(nil)

    init(
        _ ref: DatabaseReference,
        _ block: @escaping @Sendable (MutableData) -> TransactionResult,
        _ completion: @escaping @Sendable (TransactionOutcome) -> Void
    ) {
        self.ref = ref
        self.block = block
        self.completion = completion
    }

    func received(
        _ step: Result<TransactionStep, FirestoreError>, _ id: Client.OperationID
    ) {
        switch step {
        case .success(.run(let node, let round)):
            ref.database.transactions.enqueue { self.propose(over: node, round, id) }
        case .success(.committed(let node)): end(.success(true), node)
        case .success(.aborted(let node)):
            end(fault.withLock { $0 }.map { .failure($0) } ?? .success(false), node)
        case .success(.failed(let error, let node)):
            // Of a transaction that was under way nobody knows whether the backend has applied it.
            let failure = DatabaseError(
                FirestoreError(error, mayHaveBeenApplied: error.code == .unavailable))
            end(.failure(failure), node)
        case .failure(let error): end(.failure(DatabaseError(error)), nil)
        }
    }

    private func propose(over node: Node, _ round: Int, _ id: Client.OperationID) {
        let result = block(MutableData(node, at: ref.path))
        var proposal: UnresolvedNode?
        fault.withLock { $0 = nil }  // An earlier round's.
        do throws(DatabaseError) {
            proposal = try result.data?.proposal()
        } catch {
            fault.withLock { $0 = error }
        }
        ref.database.client.propose(id, proposal, round: round)
    }

    private func end(_ result: Result<Bool, any Error>, _ node: Node?) {
        completion(
            TransactionOutcome(result: result, snapshot: node.map { DataSnapshot(ref, $0) }))
    }
}
