import HashTreeCollections
package import HearthModel

/// The requests that wait for the outcomes of batches.
package struct PendingWrites: Sendable {
    private struct Waiter: Sendable {
        let id: RequestID
        let batch: BatchID
    }

    /// The batches that a session wrote.
    fileprivate struct Session: Sendable {
        /// The session's unanswered batches: a session's end visits no writes of other sessions.
        var batches = BatchSet()
        /// The last batch that the session wrote.
        var last = BatchID.none
    }

    private var writers = BatchMap<RequestID>()
    private var sessions: TreeDictionary<UInt64, Session> = [:]
    private var waiters: [Waiter] = []

    /// Nobody waits.
    package init() {}

    /// A request waits for its own batch.
    package mutating func await(_ batch: BatchID, for request: RequestID) {
        if let old = writers.updateValue(request, for: batch) {
            sessions[old.session]?.batches.remove(batch)
        }
        sessions[request.session, default: Session()].take(batch)
    }

    /// The request that waits for its own batch, or `nil`.
    package func writer(of batch: BatchID) -> RequestID? { writers[batch] }

    /// A request no longer waits for its own batch.
    package mutating func disclaim(_ batch: BatchID, by request: RequestID) {
        guard writers[batch] == request else { return }  // race: settled meanwhile
        _ = writers.removeValue(for: batch)
        sessions[request.session]?.batches.remove(batch)
    }

    /// The last batch that a session wrote, or `nil`.
    package func last(of session: UInt64) -> BatchID? { sessions[session]?.last }

    /// A request waits for all batches up to one.
    package mutating func awaitAll(upTo batch: BatchID, for request: RequestID) {
        waiters.append(Waiter(id: request, batch: batch))
    }

    /// The backend answered a batch.
    ///
    /// - Returns: The request that wrote the batch, if the request is still there, and the requests
    ///   that waited for all batches up to the batch.
    package mutating func settled(_ batch: BatchID) -> (writer: RequestID?, waiters: [RequestID]) {
        var done: [RequestID] = []
        if waiters.contains(where: { $0.batch == batch }) {
            done = waiters.filter { $0.batch == batch }.map(\.id)
            waiters.removeAll { $0.batch == batch }
        }
        let writer = writers.removeValue(for: batch)
        if let writer { sessions[writer.session]?.batches.remove(batch) }
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
        sessions.removeValue(forKey: session)?.batches.visit {
            _ = writers.removeValue(for: $0)
        }
    }
}

extension PendingWrites.Session {
    fileprivate mutating func take(_ batch: BatchID) {
        batches.insert(batch)
        last = max(batch, last)
    }
}
