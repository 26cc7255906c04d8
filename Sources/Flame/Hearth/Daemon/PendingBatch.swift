import HearthEngine
import HearthModel
import HearthWire

/// Writes on their way from this machine to the backend. The backend applies all of them or none.
public struct PendingBatch: Hashable, Sendable, Identifiable {
    /// How far a batch has come.
    public enum State: String, Hashable, Sendable {
        /// The batch waits for its turn.
        case queued
        /// An administrator holds the batch.
        case held
        /// The batch was sent, and the answer has not come. The backend may have applied the batch.
        case sentUnanswered
    }

    /// The process that wrote, as the kernel describes it. Only `program` comes from the program
    /// itself.
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

    /// What must hold of a document before the batch writes to it.
    public struct Precondition: Hashable, Sendable {
        /// What can be asked of a document.
        public enum Demand: Hashable, Sendable {
            /// The document exists, or does not.
            case exists(Bool)
            /// The document exists and was last changed then.
            case lastUpdateTime(Timestamp)
        }

        /// The document's path.
        public let documentPath: String
        /// What must hold.
        public let demand: Demand
    }

    /// The batch's number in the queue. Later batches have greater numbers.
    public let id: Int64
    /// How far the batch has come.
    public let state: State
    /// When a program wrote the batch.
    public let writtenAt: Timestamp
    /// The batch's size in bytes.
    public let byteCount: Int
    /// The process that wrote the batch.
    public let writer: Writer
    /// The paths of the documents that the batch writes to, each once, in order; for the Realtime
    /// Database, the paths of the places.
    public let documentPaths: [String]
    /// The Firebase user whose queue holds the batch; empty for nobody.
    public let user: String
    /// The held batch that this batch waits behind; `nil` if there is none.
    public let heldBy: Int64?
    /// When the batch is given up if it was not sent by then; `nil` for never.
    public let expiresAt: Timestamp?
    /// Whether the batch is given up once the backend is known not to be there.
    public let isOnlineOnly: Bool
    /// What must hold of documents, in the order of the batch's writes; the first 100 of them.
    public let preconditions: [Precondition]

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
        documentPaths = batch.content.paths
        expiresAt = batch.terms.expiresAt.map(Timestamp.init)
        isOnlineOnly = batch.terms.isOnlineOnly
        preconditions = batch.demands.compactMap(Precondition.init)
    }
}

extension PendingBatch.Precondition {
    /// A precondition as the daemon tells it; `nil` for none.
    fileprivate init?(_ demand: QueuePage.Batch.Demand) {
        documentPath = demand.key.path.string
        switch demand.precondition {
        case .none: return nil
        case .exists(let exists): self.demand = .exists(exists)
        case .updateTime(let version): self.demand = .lastUpdateTime(Timestamp(version.timestamp))
        }
    }
}

/// A rejected batch, which the daemon keeps until an administrator retries, edits or drops the
/// batch.
public struct DeadLetter: Hashable, Sendable, Identifiable {
    /// The batch.
    public let batch: PendingBatch
    /// Why the batch was rejected.
    public let error: FirestoreError
    /// When the batch was rejected.
    public let rejectedAt: Timestamp

    /// The batch's number.
    public var id: Int64 { batch.id }

    init(_ letter: DeadLetterPage.Letter) {
        batch = PendingBatch(letter.batch)
        error = FirestoreError(letter.error, mayHaveBeenApplied: letter.mayHaveBeenApplied)
        rejectedAt = Timestamp(letter.rejectedAt)
    }
}

extension DaemonDatabase {
    /// A part of the machine's queue, oldest first.
    ///
    /// - Parameters:
    ///   - after: The last batch of the part before; `nil` for the first part.
    ///   - limit: How many at most; `nil` lets the daemon choose.
    /// - Returns: The batches, and whether the queue holds more.
    /// - Throws: `unavailable` if no daemon answers, `permissionDenied` for users
    ///   that may not see the queue.
    public func pendingBatches(
        after: Int64? = nil, limit: Int? = nil
    ) async throws -> (batches: [PendingBatch], hasMore: Bool) {
        let page = Inquiry.BatchPage(after: BatchID(after ?? 0), batchCountMax: limit)
        let answer = try await operatorDesk.inquire(.queue(page))
        guard case .queue(let queue) = answer else { throw operatorDesk.unexpected(answer) }
        return (queue.batches.map(PendingBatch.init), queue.hasMore)
    }

    /// A part of the rejected batches, oldest first. See `pendingBatches` for parameters and
    /// errors.
    public func deadLetters(
        after: Int64? = nil, limit: Int? = nil
    ) async throws -> (letters: [DeadLetter], hasMore: Bool) {
        let page = Inquiry.BatchPage(after: BatchID(after ?? 0), batchCountMax: limit)
        let answer = try await operatorDesk.inquire(.deadLetters(page))
        guard case .deadLetters(let letters) = answer else { throw operatorDesk.unexpected(answer) }
        return (letters.letters.map(DeadLetter.init), letters.hasMore)
    }
}
