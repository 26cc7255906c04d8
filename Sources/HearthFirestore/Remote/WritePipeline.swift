package import HearthModel

/// The batches that are on their way to the backend, oldest first, and the write stream's place.
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

    /// Takes the next batch to send, once the handshake is done.
    package mutating func nextToSend() -> (batch: QueuedBatch, token: StreamToken)? {
        guard let token, sentCount < batches.count else { return nil }
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
