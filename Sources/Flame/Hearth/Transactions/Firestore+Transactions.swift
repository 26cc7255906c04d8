extension Firestore {
    /// Runs a transaction: reads and writes that happen all at once, or not at all.
    ///
    ///     let lights = try await db.runTransaction { transaction in
    ///         let hall = db.document("rooms/hall")
    ///         let lights = try await transaction.getDocument(hall)["lights"] as? Int ?? 0
    ///         transaction.updateData(["lights": lights + 1], forDocument: hall)
    ///         return lights + 1
    ///     }
    ///
    /// Hearth calls the function again, up to `maxAttempts` times, with pauses, in two cases: a
    /// document that the function has read changes before the backend applies the writes, or the
    /// backend fails at a read. A transaction needs the backend, and fails at once without a
    /// network. Listeners see the writes when the backend reports the change.
    ///
    /// - Parameters:
    ///   - options: How often to try.
    ///   - body: Reads first, then writes. Hearth may call the function several times.
    /// - Returns: What `body` returned in the attempt that was committed.
    /// - Throws: `FirestoreError`: `unavailable` if the daemon cannot reach the backend, or the
    ///   error of the last attempt. An error that `body` throws ends the transaction. If
    ///   `mayHaveBeenApplied` is true, the answer to the commit was lost, and nobody knows whether
    ///   the backend applied the writes.
    @discardableResult
    public func runTransaction<Output: Sendable>(
        with options: TransactionOptions = TransactionOptions(),
        _ body: @escaping @Sendable (Transaction) async throws -> Output
    ) async throws -> Output {
        guard options.maxAttempts > 0 else {
            throw FirestoreError(.invalidArgument, "A transaction needs at least one attempt.")
        }
        var pauses = TransactionPauses()
        var random = SystemRandomNumberGenerator()
        var attempt = 1
        while true {
            let transaction = Transaction(firestore: self)
            do {
                let output = try await body(transaction)
                try await transaction.commit()
                return output
            } catch let error as FirestoreError
                where attempt < options.maxAttempts && isWorthAnother(error)
            {
                transaction.abandon()
            } catch {
                transaction.abandon()
                throw error
            }
            attempt += 1
            let pause = pauses.next(using: &random)
            if pause > .zero { try await Task.sleep(for: pause) }
        }
    }

    /// Runs a transaction, and calls `completion` on a thread of Hearth's.
    ///
    /// - Parameters:
    ///   - options: How often to try.
    ///   - block: The function of the transaction, as in the other form, but not `async`. Hearth
    ///     calls the function on a thread of its own, which each read blocks.
    ///   - completion: Gets the result of the committed attempt, or the error.
    public func runTransaction<Output: Sendable>(
        with options: TransactionOptions = TransactionOptions(),
        _ block: @escaping @Sendable (Transaction) throws -> Output,
        completion: @escaping @Sendable (Output?, (any Error)?) -> Void
    ) {
        let callbacks = client.callbacks
        Task {
            do {
                let output = try await runTransaction(with: options) { transaction in
                    try await withCheckedThrowingContinuation { continuation in
                        WorkerThread.start {
                            continuation.resume(with: Result { try block(transaction) })
                        }
                    }
                }
                callbacks.enqueue { completion(output, nil) }
            } catch {
                callbacks.enqueue { completion(nil, error) }
            }
        }
    }

    /// Whether the transaction was not applied, and may well succeed at another attempt.
    private func isWorthAnother(_ error: FirestoreError) -> Bool {
        !error.mayHaveBeenApplied && !client.isClosed && error.code.isWorthAnotherAttempt
    }
}

extension FirestoreErrorCode {
    /// Whether a transaction that fails so may well succeed at another attempt.
    ///
    /// The SDKs also try again what is `unavailable` or `resourceExhausted`. Here these codes are the
    /// daemon's own words: there is no network, or a budget is used up.
    var isWorthAnotherAttempt: Bool {
        switch self {
        case .aborted, .failedPrecondition, .alreadyExists, .unknown, .deadlineExceeded, .internal:
            true
        case .ok, .cancelled, .invalidArgument, .notFound, .permissionDenied, .resourceExhausted,
            .outOfRange, .unimplemented, .unavailable, .dataLoss, .unauthenticated:
            false
        }
    }
}

/// The pauses between the attempts of one transaction: none, 1 s, and then each longer by half, up
/// to 60 s.
///
/// Each pause is up to a half shorter or longer by chance, so that rival transactions do not meet
/// again.
struct TransactionPauses: Sendable {
    private static let longest = Duration.seconds(60)
    private var base = Duration.zero

    /// The next pause.
    mutating func next(using random: inout some RandomNumberGenerator) -> Duration {
        let pause = base * Double.random(in: 0.5...1.5, using: &random)
        base = base == .zero ? .seconds(1) : min(base * 1.5, Self.longest)
        return pause
    }
}
