import HearthEngine
package import HearthModel

/// The batches that are on their way to the backend, oldest first, and the write stream's place.
///
/// What was sent before without an answer goes alone: nothing is sent while it waits, and it waits for
/// what was sent in front of it. So if the stream ends then, it is known whose fault it was, and what is
/// behind is not put in doubt. The rest goes ten at a time.
package struct WritePipeline: Sendable {
    /// How many batches may wait for their answer on the stream.
    package static let batchCountMax = 10

    /// The batches.
    package private(set) var batches: [QueuedBatch] = []
    /// The newest mark of the stream; `nil` before its handshake.
    package private(set) var token: StreamToken?
    /// How many of `batches`, from the first, were sent on this stream.
    package private(set) var sentCount = 0

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

    /// The only batch that was sent on this stream and not answered; `nil` if there are more, or none.
    package var soleSent: QueuedBatch? { sentCount == 1 ? batches.first : nil }

    /// The next batch to send, once the handshake is done.
    package var next: QueuedBatch? {
        guard token != nil, sentCount < batches.count else { return nil }
        let next = batches[sentCount]
        // What is in doubt lies in front of what is not, so the neighbours tell of all.
        if sentCount > 0, batches[sentCount - 1].isInDoubt || next.isInDoubt { return nil }
        return next
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
        return removeFirst()
    }

    /// Takes the oldest batch away: it was answered or refused.
    package mutating func removeFirst() -> QueuedBatch? {
        guard !batches.isEmpty else { return nil }
        sentCount = max(0, sentCount - 1)
        return batches.removeFirst()
    }

    /// A batch could not be sent, and the stream ended with it: what was sent in front of it may have
    /// been applied, and what is behind it never left.
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

    /// The stream is gone: everything must be sent again, on another. What was sent on this one
    /// may have been applied.
    package mutating func streamClosed() {
        for index in 0..<sentCount { batches[index].state = .sentUnanswered }
        token = nil
        sentCount = 0
    }

    /// The network is off: the queue on disk keeps what was on the way.
    package mutating func clear() {
        batches = []
        token = nil
        sentCount = 0
    }
}
