import HearthEngine
import HearthModel
import HearthWire

/// Looking after what waits for the backend. Only root and the daemon's own user may, unless the
/// daemon's access rules say otherwise.
extension Firestore {
    /// A batch that waits, with what it writes.
    ///
    /// - Throws: `FirestoreError` `notFound` if no batch of the number waits.
    public func pendingBatch(
        _ id: Int64
    ) async throws -> (batch: PendingBatch, writes: [PendingWrite]) {
        let answer = try await inquire(.queue(Self.page(of: id)))
        guard case .queue(let page) = answer else { throw Self.unexpected(answer) }
        guard let batch = page.batches.first, batch.id.rawValue == id else {
            throw FirestoreError(.notFound, "No batch \(id) waits in the queue.")
        }
        return (PendingBatch(batch), batch.mutations.map { PendingWrite($0, in: self) })
    }

    /// A rejected batch, with what it should have written.
    ///
    /// - Throws: `FirestoreError` `notFound` if no batch of the number is among them.
    public func deadLetter(
        _ id: Int64
    ) async throws -> (letter: DeadLetter, writes: [PendingWrite]) {
        let answer = try await inquire(.deadLetters(Self.page(of: id)))
        guard case .deadLetters(let page) = answer else { throw Self.unexpected(answer) }
        guard let letter = page.letters.first, letter.batch.id.rawValue == id else {
            throw FirestoreError(.notFound, "No batch \(id) is among the dead letters.")
        }
        return (DeadLetter(letter), letter.batch.mutations.map { PendingWrite($0, in: self) })
    }

    /// Keeps batches back, and with each of them all that are behind it in its user's queue, so
    /// that the backend gets writes in the order in which they were accepted.
    public func holdPendingBatches(_ ids: [Int64]) async throws {
        _ = try await steer(.hold(ids.map { BatchID($0) }))
    }

    /// Lets held batches go.
    public func releasePendingBatches(_ ids: [Int64]) async throws {
        _ = try await steer(.release(ids.map { BatchID($0) }))
    }

    /// Takes batches that were never sent out of the queue and puts them among the dead letters.
    /// Whoever wrote them is told: `cancelled`.
    public func cancelPendingBatches(_ ids: [Int64]) async throws {
        _ = try await steer(.cancel(ids.map { BatchID($0) }))
    }

    /// Takes batches that were never sent out of the queue and forgets them.
    public func dropPendingBatches(_ ids: [Int64]) async throws {
        _ = try await steer(.drop(ids.map { BatchID($0) }))
    }

    /// Gives a batch that was never sent other writes. Its number, its place and its writer stay,
    /// and every program sees the difference at once.
    public func editPendingBatch(_ id: Int64, writes: [PendingWrite]) async throws {
        _ = try await steer(.edit(BatchID(id), try Self.mutations(of: writes)))
    }

    private static func mutations(of writes: [PendingWrite]) throws -> [Mutation] {
        guard !writes.isEmpty else {
            throw FirestoreError(
                .invalidArgument,
                "A batch needs something to write; to write nothing, cancel or drop it.")
        }
        return try writes.map { try $0.mutation() }
    }

    /// Tries the backend now, rather than when the wait after a failure is over.
    public func retryBackend() async throws {
        _ = try await steer(.retry)
    }

    /// Puts rejected batches at the end of the queue.
    ///
    /// - Parameter evenIfApplied: Whether to do so with those that may have been applied, which may
    ///   apply them twice.
    /// - Returns: For each batch its new number.
    public func retryDeadLetters(
        _ ids: [Int64], evenIfApplied: Bool = false
    ) async throws -> [Int64: Int64] {
        let steered = try await steer(
            .retryDeadLetters(ids.map { BatchID($0) }, evenIfApplied: evenIfApplied))
        var numbers: [Int64: Int64] = [:]
        for batch in steered { numbers[batch.id.rawValue] = batch.newID?.rawValue }
        return numbers
    }

    /// Puts a rejected batch at the end of the queue with other writes: those that it should have had.
    ///
    /// Nobody sees what it was, not even for a moment; it keeps its writer.
    ///
    /// - Parameter evenIfApplied: Whether to do so even if it may have been applied.
    /// - Returns: Its new number.
    @discardableResult
    public func editDeadLetter(
        _ id: Int64, writes: [PendingWrite], evenIfApplied: Bool = false
    ) async throws -> Int64 {
        let steered = try await steer(
            .editDeadLetter(
                BatchID(id), try Self.mutations(of: writes), evenIfApplied: evenIfApplied))
        guard let newID = steered.first?.newID else {
            throw FirestoreError(
                .internal, "The daemon did not say under which number it is queued.")
        }
        return newID.rawValue
    }

    /// Forgets rejected batches.
    public func dropDeadLetters(_ ids: [Int64]) async throws {
        _ = try await steer(.dropDeadLetters(ids.map { BatchID($0) }))
    }

    private func steer(_ steering: QueueOrder<[Mutation]>) async throws -> [SteeredBatch] {
        let event = try await request(.administration(.steerQueue(steering)))
        guard case .queueSteered(let batches) = event else { throw Self.unexpected(event) }
        return batches
    }

    private static func page(of id: Int64) -> Inquiry.BatchPage {
        Inquiry.BatchPage(after: BatchID(max(0, id - 1)), batchCountMax: 1, withWrites: true)
    }
}
