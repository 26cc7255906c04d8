import HearthEngine
import HearthModel
import HearthWire

/// Writes that stand or fall together, on their way from this machine to the backend.
public struct PendingBatch: Hashable, Sendable, Identifiable {
    /// How far a batch has come.
    public enum State: String, Hashable, Sendable {
        /// It waits for its turn.
        case queued
        /// An administrator keeps it back.
        case held
        /// It was sent, and the answer has not come: it may have been applied.
        case sentUnanswered
    }

    /// Who wrote, as the kernel says; only `program` is what the program says of itself.
    public struct Writer: Hashable, Sendable {
        /// The Unix user.
        public let uid: UInt32
        /// The Unix group.
        public let gid: UInt32
        /// The process.
        public let pid: Int32
        /// The systemd unit, if any.
        public let unit: String?
        /// The program's name, if it gave one.
        public let program: String?
    }

    /// Its number in the queue, rising.
    public let id: Int64
    /// How far it has come.
    public let state: State
    /// When it was written.
    public let writtenAt: Timestamp
    /// Its size.
    public let byteCount: Int
    /// Who wrote it.
    public let writer: Writer
    /// The paths of the documents that it writes to, each once, in order.
    public let documentPaths: [String]
    /// Firebase's user in whose queue it is; empty for nobody.
    public let user: String
    /// The held batch in front of it, for which it waits; `nil` if there is none.
    public let heldBy: Int64?

    init(_ batch: QueuePage.Batch) {
        id = batch.id.rawValue
        state =
            switch batch.state {
            case .queued: .queued
            case .held: .held
            case .sentUnanswered: .sentUnanswered
            }
        writtenAt = Timestamp(batch.writtenAt)
        byteCount = batch.byteCount
        writer = Writer(
            uid: batch.writer.uid, gid: batch.writer.gid, pid: batch.writer.pid,
            unit: batch.writer.unit, program: batch.writer.program)
        user = batch.user.rawValue
        heldBy = batch.heldBy?.rawValue
        documentPaths = batch.documents.map(\.path.string)
    }
}

/// A batch that was rejected, kept until someone decides.
public struct DeadLetter: Hashable, Sendable, Identifiable {
    /// The batch.
    public let batch: PendingBatch
    /// Why it was refused.
    public let error: FirestoreError
    /// When.
    public let rejectedAt: Timestamp

    /// The batch's number.
    public var id: Int64 { batch.id }

    init(_ letter: DeadLetterPage.Letter) {
        batch = PendingBatch(letter.batch)
        error = FirestoreError(letter.error, mayHaveBeenApplied: letter.mayHaveBeenApplied)
        rejectedAt = Timestamp(letter.rejectedAt)
    }
}

extension Firestore {
    /// A part of the machine's queue, oldest first.
    ///
    /// - Parameters:
    ///   - after: The last batch of the part before; `nil` for the first part.
    ///   - limit: How many at most; `nil` lets the daemon choose.
    /// - Returns: The batches, and whether there are more.
    public func pendingBatches(
        after: Int64? = nil, limit: Int? = nil
    ) async throws -> (batches: [PendingBatch], hasMore: Bool) {
        let page = Inquiry.BatchPage(after: BatchID(after ?? 0), batchCountMax: limit)
        let answer = try await inquire(.queue(page))
        guard case .queue(let queue) = answer else { throw Self.unexpected(answer) }
        return (queue.batches.map(PendingBatch.init), queue.hasMore)
    }

    /// A part of the rejected batches, oldest first; see `pendingBatches`.
    public func deadLetters(
        after: Int64? = nil, limit: Int? = nil
    ) async throws -> (letters: [DeadLetter], hasMore: Bool) {
        let page = Inquiry.BatchPage(after: BatchID(after ?? 0), batchCountMax: limit)
        let answer = try await inquire(.deadLetters(page))
        guard case .deadLetters(let letters) = answer else { throw Self.unexpected(answer) }
        return (letters.letters.map(DeadLetter.init), letters.hasMore)
    }
}
