import HashTreeCollections
package import HearthModel

/// Who waits for the fate of which batch.
package struct PendingWrites: Sendable {
    private struct Waiter: Sendable {
        let id: RequestID
        let batch: BatchID
    }

    private var writers: TreeDictionary<BatchID, RequestID> = [:]
    private var waiters: [Waiter] = []

    /// Nobody waits.
    package init() {}

    /// A request waits for its own batch.
    package mutating func await(_ batch: BatchID, for request: RequestID) {
        writers[batch] = request
    }

    /// A request waits for all batches up to one.
    package mutating func awaitAll(upTo batch: BatchID, for request: RequestID) {
        waiters.append(Waiter(id: request, batch: batch))
    }

    /// The backend answered a batch.
    ///
    /// - Returns: The request that wrote it, if it is still there, and those that waited for all
    ///   batches up to it.
    package mutating func settled(_ batch: BatchID) -> (writer: RequestID?, waiters: [RequestID]) {
        let done = waiters.filter { $0.batch == batch }.map(\.id)
        waiters.removeAll { $0.batch == batch }
        return (writers.removeValue(forKey: batch), done)
    }

    /// The user changed: nobody can be told of the other queue.
    package mutating func removeWaiters() -> [RequestID] {
        defer { waiters = [] }
        return waiters.map(\.id)
    }

    /// A session is gone.
    package mutating func remove(session: UInt64) {
        waiters.removeAll { $0.id.session == session }
        for (batch, request) in writers where request.session == session { writers[batch] = nil }
    }
}
