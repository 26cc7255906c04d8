import HashTreeCollections
package import HearthModel

/// Who waits for the fate of which batch.
package struct PendingWrites: Sendable {
    private struct Waiter: Sendable {
        let id: RequestID
        let batch: BatchID
    }

    private var writers: TreeDictionary<BatchID, RequestID> = [:]
    /// What each session waits for, so that its end costs nothing for the writes of others.
    private var batches: TreeDictionary<UInt64, TreeSet<BatchID>> = [:]
    private var waiters: [Waiter] = []
    /// The last batch that each session wrote.
    private var lasts: TreeDictionary<UInt64, BatchID> = [:]

    /// Nobody waits.
    package init() {}

    /// A request waits for its own batch.
    package mutating func await(_ batch: BatchID, for request: RequestID) {
        if let old = writers.updateValue(request, forKey: batch) { leave(old.session, batch) }
        batches[request.session, default: []].insert(batch)
        lasts[request.session] = max(batch, lasts[request.session] ?? .none)
    }

    /// The last batch that a session wrote, or `nil`.
    package func last(of session: UInt64) -> BatchID? { lasts[session] }

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
        if !done.isEmpty { waiters.removeAll { $0.batch == batch } }
        let writer = writers.removeValue(forKey: batch)
        if let writer { leave(writer.session, batch) }
        return (writer, done)
    }

    /// The user changed: nobody can be told of the other queue.
    package mutating func removeWaiters() -> [RequestID] {
        defer { waiters = [] }
        return waiters.map(\.id)
    }

    /// A session is gone. O(its own).
    package mutating func remove(session: UInt64) {
        waiters.removeAll { $0.id.session == session }
        lasts[session] = nil
        for batch in batches.removeValue(forKey: session) ?? [] { writers[batch] = nil }
    }

    private mutating func leave(_ session: UInt64, _ batch: BatchID) {
        guard var left = batches[session] else { return }
        batches[session] = nil  // So that `left` is the only reference.
        left.remove(batch)
        if !left.isEmpty { batches[session] = left }
    }
}
