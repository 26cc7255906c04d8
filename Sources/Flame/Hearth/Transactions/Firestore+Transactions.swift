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
    /// If something that the function has read changes before the writes are applied, the function
    /// is called again, up to `maxAttempts` times, with pauses. Transactions need the backend;
    /// offline they fail at once. What they wrote shows in listeners when the backend tells of it.
    ///
    /// - Parameter body: Reads first, then writes; may be called several times.
    /// - Returns: What `body` returned in the attempt that was committed.
    /// - Throws: `FirestoreError`: `unavailable` if the backend cannot be reached; what the last
    ///   attempt ended with; or whatever `body` throws, which is not tried again. If
    ///   `mayHaveBeenApplied`, the answer to the commit was lost, and nobody knows.
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

    /// Runs a transaction, and calls back on a thread of Hearth's.
    ///
    /// - Parameter block: As in the other form, but not `async`: its reads block its thread, which
    ///   is one of Hearth's own.
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

    /// Whether the same transaction may well succeed when it is tried again, and was not applied.
    private func isWorthAnother(_ error: FirestoreError) -> Bool {
        guard !error.mayHaveBeenApplied, !client.isClosed else { return false }
        switch error.code {
        case .aborted, .failedPrecondition, .alreadyExists: return true
        case .ok, .cancelled, .unknown, .invalidArgument, .deadlineExceeded, .notFound,
            .permissionDenied, .resourceExhausted, .outOfRange, .unimplemented, .internal,
            .unavailable, .dataLoss, .unauthenticated:
            return false
        }
    }
}

/// The pauses between the attempts of one transaction: none, 1 s, and half as much again each time,
/// each up to a half shorter or longer, so that rivals do not meet again.
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
