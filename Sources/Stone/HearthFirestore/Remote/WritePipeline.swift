import HearthEngine
package import HearthModel

/// The batches that are on their way to the backend, oldest first, and the write stream's place.
///
/// A batch that was sent before without an answer goes alone: the pipeline first waits for the
/// answers to the batches in front, and then sends no other batch until the answer comes. So if the
/// stream ends meanwhile, the batch at fault is known, and no batch behind comes into doubt. The
/// rest goes ten at a time.
package struct WritePipeline: Sendable {
    /// How many batches may wait for their answer on the stream.
    package static let batchCountMax = 10

    /// The batches.
    package private(set) var batches: [QueuedBatch] = []
    /// The newest mark of the stream; `nil` before its handshake.
    package private(set) var token: StreamToken?
    /// How many of `batches`, from the first, were sent on this stream.
    package private(set) var sentCount = 0
    /// The last stream that the backend ended over one of several batches.
    private var refusedStream: RefusedStream?

    /// Nothing on the way.
    package init() {}

    /// Whether another batch may be added.
    package var hasRoom: Bool { batches.count < Self.batchCountMax }

    /// Behind which batch to look for the next.
    package var lastID: BatchID { batches.last?.batch.id ?? .none }

    /// Adds the next batch of the queue.
    package mutating func append(_ batch: QueuedBatch) {
        precondition(hasRoom && batch.batch.id > lastID, "Batch \(batch.batch.id) out of order")
        batches.append(batch)
    }

    /// The handshake is done.
    package mutating func handshaken(_ token: StreamToken) {
        self.token = token
    }

    /// The only batch that was sent on this stream and not answered; `nil` for none or several.
    package var soleSent: QueuedBatch? { sentCount == 1 ? batches.first : nil }

    /// The last batch that was sent on this stream, if it is not answered.
    var lastSent: QueuedBatch? { sentCount > 0 ? batches[sentCount - 1] : nil }

    /// The next batch to send, once the handshake is done.
    package var next: QueuedBatch? {
        guard token != nil, sentCount < batches.count else { return nil }
        let next = batches[sentCount]
        // All batches in doubt lie in front of the others, so a look at the two neighbours is
        // enough.
        if sentCount > 0, batches[sentCount - 1].isInDoubt || next.isInDoubt { return nil }
        return next
    }

    /// Whether the batch with a promise was sent on this stream and not answered.
    package func isOnTheWay(promise: Timestamp) -> Bool {
        batches.prefix(sentCount).contains {
            $0.batch.promisedAt?.isSameMicrosecond(as: promise) ?? false
        }
    }

    /// Takes the next batch to send.
    package mutating func nextToSend() -> (batch: QueuedBatch, token: StreamToken)? {
        guard let token, next != nil else { return nil }
        sentCount += 1
        return (batches[sentCount - 1], token)
    }

    /// The backend answered the oldest batch.
    package mutating func answered(_ token: StreamToken) -> QueuedBatch? {
        self.token = token
        let answered = removeFirst()
        if let answered { refusedStream?.forget(answered.batch.id) }
        return answered
    }

    /// The backend refused the oldest batch, which was alone on the stream.
    package mutating func refused(with error: HearthError) {
        guard let refused = removeFirst() else { return }
        refusedStream?.refused(refused.batch.id, with: error)
    }

    /// Whether the backend may have applied an earlier copy of a batch that it refuses now, alone.
    package func mayHaveApplied(_ batch: QueuedBatch, refusedWith error: HearthError) -> Bool {
        guard batch.isInDoubt else { return false }
        return !(refusedStream?.hasNoCopy(of: batch.batch.id, refusedWith: error) ?? false)
    }

    /// Takes the oldest batch away: it was answered or refused.
    package mutating func removeFirst() -> QueuedBatch? {
        guard !batches.isEmpty else { return nil }
        sentCount = max(0, sentCount - 1)
        return batches.removeFirst()
    }

    /// Takes out a batch that could not be sent and that ended the stream.
    ///
    /// The backend may have applied the batches that were sent in front; the batches behind never
    /// left.
    ///
    /// - Returns: The batch, out of the pipeline; `nil` if it is not on the way.
    package mutating func removeUnsendable(_ id: BatchID) -> QueuedBatch? {
        guard let index = batches.firstIndex(where: { $0.batch.id == id }) else { return nil }
        sentCount = min(sentCount, index)
        return batches.remove(at: index)
    }

    /// Takes a batch that was not sent out, and all behind it: the queue says anew what comes next.
    package mutating func removeUnsent(from id: BatchID) {
        guard let index = batches.firstIndex(where: { $0.batch.id >= id }) else { return }
        precondition(index >= sentCount, "Batch \(id) was sent")
        batches.removeSubrange(index...)
    }

    /// The stream is gone: the pipeline must send everything again, on another stream.
    ///
    /// The backend may have applied the batches that were sent on the closed stream.
    ///
    /// - Parameter error: Why the backend ended the stream over one of the batches; `nil` if the stream broke.
    package mutating func streamClosed(over error: HearthError? = nil) {
        let sent = batches.prefix(sentCount).map(\.batch.id)
        if let error, sent.count > 1 {
            refusedStream = RefusedStream(error, over: sent)
        } else {
            for batch in sent { refusedStream?.forget(batch) }
        }
        for index in 0..<sentCount { batches[index].state = .sentUnanswered }
        token = nil
        sentCount = 0
    }

    /// The network is off: the queue on disk keeps what was on the way.
    package mutating func clear() {
        batches = []
        refusedStream = nil
        token = nil
        sentCount = 0
    }
}
