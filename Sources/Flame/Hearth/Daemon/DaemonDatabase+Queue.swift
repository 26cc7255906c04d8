import HearthEngine
import HearthModel
import HearthWire

/// Orders for the batches that wait for the backend, and for rejected batches.
///
/// Only root and the daemon's own user may give such orders, unless the daemon's access rules say
/// otherwise. Other users get `permissionDenied`. The daemon carries an order out for all batches
/// that the order names, or for none. The errors name codes: see `DaemonDatabase`.
extension DaemonDatabase {
    /// A batch that waits, with its writes.
    ///
    /// - Throws: `notFound` if no batch with the number waits; the message says what became of the
    ///   batch, as long as the daemon knows.
    public func pendingBatch(
        _ id: Int64
    ) async throws -> (batch: PendingBatch, writes: [BatchWrite]) {
        let desk = operatorDesk
        let answer = try await desk.inquire(.queue(Self.page(of: id)))
        guard case .queue(let page) = answer else { throw desk.unexpected(answer) }
        guard let batch = page.batches.first, batch.id.rawValue == id else {
            throw desk.failure(.notFound, try await absence(of: id, desk))
        }
        return (PendingBatch(batch), desk.writes(batch.content))
    }

    /// A rejected batch, with its writes.
    ///
    /// - Throws: `notFound` if no batch with the number is among the dead letters; the message says
    ///   what became of the batch, as long as the daemon knows.
    public func deadLetter(
        _ id: Int64
    ) async throws -> (letter: DeadLetter, writes: [BatchWrite]) {
        let desk = operatorDesk
        let answer = try await desk.inquire(.deadLetters(Self.page(of: id, withFate: true)))
        guard case .deadLetters(let page) = answer else { throw desk.unexpected(answer) }
        guard let letter = page.letters.first, letter.batch.id.rawValue == id else {
            let fate = page.fate.map { " \($0.told(of: id))" } ?? ""
            throw desk.failure(.notFound, "No batch \(id) is among the dead letters.\(fate)")
        }
        return (DeadLetter(letter), desk.writes(letter.batch.content))
    }

    /// Why no batch of a number waits, as far as the daemon knows.
    private func absence(of id: Int64, _ desk: OperatorDesk<BatchWrite>) async throws -> String {
        let answer = try await desk.inquire(.deadLetters(Self.page(of: id, withFate: true)))
        guard case .deadLetters(let page) = answer else { throw desk.unexpected(answer) }
        let none = "No batch \(id) waits in the queue."
        if let letter = page.letters.first, letter.batch.id.rawValue == id {
            return "\(none) Batch \(id) was rejected with \(letter.error.code.name), and is among "
                + "the dead letters."
        }
        return page.fate.map { "\(none) \($0.told(of: id))" } ?? none
    }

    /// Holds batches, and with each held batch all batches behind it in the same user's queue.
    ///
    /// So the backend still gets the writes in the order in which the daemon accepted the writes.
    ///
    /// - Throws: `notFound` if a batch is not in the queue, `failedPrecondition`
    ///   if a batch was sent.
    public func holdPendingBatches(_ ids: [Int64]) async throws {
        _ = try await steer(.hold(ids.map { BatchID($0) }))
    }

    /// Releases held batches.
    ///
    /// - Throws: `notFound` if a batch is not in the queue.
    public func releasePendingBatches(_ ids: [Int64]) async throws {
        _ = try await steer(.release(ids.map { BatchID($0) }))
    }

    /// Takes batches out of the queue that were never sent, and puts the batches among the dead
    /// letters.
    ///
    /// The programs that wrote the batches get the error `cancelled`.
    ///
    /// - Throws: `notFound` if a batch is not in the queue, `failedPrecondition`
    ///   if a batch was sent.
    public func cancelPendingBatches(_ ids: [Int64]) async throws {
        _ = try await steer(.cancel(ids.map { BatchID($0) }))
    }

    /// Takes batches out of the queue that were never sent, and forgets the batches.
    ///
    /// - Throws: `notFound` if a batch is not in the queue, `failedPrecondition`
    ///   if a batch was sent.
    public func dropPendingBatches(_ ids: [Int64]) async throws {
        _ = try await steer(.drop(ids.map { BatchID($0) }))
    }

    /// Replaces the writes of a batch that was never sent.
    ///
    /// Number, place and writer of the batch stay. Every program sees the difference at once.
    ///
    /// - Throws: `notFound` if the batch is not in the queue,
    ///   `failedPrecondition` if the batch was sent, `invalidArgument` if `writes` is empty or
    ///   holds a write that cannot be made.
    public func editPendingBatch(_ id: Int64, writes: [BatchWrite]) async throws {
        _ = try await steer(.edit(BatchID(id), .init()), writing: writes)
    }

    /// Tries the backend now, without the rest of the wait after a failure.
    ///
    /// - Throws: `failedPrecondition` if the daemon may not use the network now.
    public func retryBackend() async throws {
        _ = try await steer(.retry)
    }

    /// Puts rejected batches at the end of the queue.
    ///
    /// - Parameters:
    ///   - ids: The numbers of the batches.
    ///   - evenIfApplied: Whether to queue batches, too, that the backend may have applied. The
    ///     backend may then apply such a batch twice.
    /// - Returns: For each batch its new number.
    /// - Throws: `notFound` if a batch is not among the dead letters,
    ///   `failedPrecondition` if a batch may have been applied and `evenIfApplied` is false.
    public func retryDeadLetters(
        _ ids: [Int64], evenIfApplied: Bool = false
    ) async throws -> [Int64: Int64] {
        let steered = try await steer(
            .retryDeadLetters(ids.map { BatchID($0) }, evenIfApplied: evenIfApplied))
        var numbers: [Int64: Int64] = [:]
        for batch in steered { numbers[batch.id.rawValue] = batch.newID?.rawValue }
        return numbers
    }

    /// Puts a rejected batch at the end of the queue with corrected writes.
    ///
    /// The batch keeps its writer. No program sees the old writes, not even for a moment.
    ///
    /// - Parameters:
    ///   - id: The number of the batch.
    ///   - writes: The corrected writes.
    ///   - evenIfApplied: Whether to queue the batch even if the backend may have applied it.
    /// - Returns: The batch's new number.
    /// - Throws: as `retryDeadLetters`; `invalidArgument` if `writes` is empty or
    ///   holds a write that cannot be made.
    @discardableResult
    public func editDeadLetter(
        _ id: Int64, writes: [BatchWrite], evenIfApplied: Bool = false
    ) async throws -> Int64 {
        let steered = try await steer(
            .editDeadLetter(BatchID(id), .init(), evenIfApplied: evenIfApplied), writing: writes)
        guard let newID = steered.first?.newID else {
            throw operatorDesk.failure(
                .internal, "The daemon did not say under which number it is queued.")
        }
        return newID.rawValue
    }

    /// Forgets rejected batches.
    ///
    /// - Throws: `notFound` if a batch is not among the dead letters.
    public func dropDeadLetters(_ ids: [Int64]) async throws {
        _ = try await steer(.dropDeadLetters(ids.map { BatchID($0) }))
    }

    /// Gives an order.
    ///
    /// - Parameter writes: What the batch writes instead, if the order edits a batch.
    private func steer(
        _ order: QueueOrder<OperatorDesk<BatchWrite>.NewWrites>, writing writes: [BatchWrite]? = nil
    ) async throws -> [SteeredBatch] {
        let desk = operatorDesk
        guard writes?.isEmpty != true else {
            throw desk.failure(
                .invalidArgument,
                "A batch needs something to write; to write nothing, cancel or drop it.")
        }
        let event = try await desk.ask(try desk.steering(order, writes ?? []))
        guard case .queueSteered(let batches) = event else { throw desk.unexpected(event) }
        return batches
    }

    private static func page(of id: Int64, withFate: Bool = false) -> Inquiry.BatchPage {
        Inquiry.BatchPage(
            after: BatchID(max(1, id) - 1), batchCountMax: 1, withWrites: true, withFate: withFate)
    }
}
