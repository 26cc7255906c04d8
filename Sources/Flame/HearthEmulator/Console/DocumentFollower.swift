import HearthBackend
package import HearthModel

/// Tells when documents change, by a watch stream of the backend whose messages nobody reads on.
///
/// Ends with its last reference.
package final class DocumentFollower: Sendable {
    /// Yields when something may have changed, and once at first; many changes may be one wake.
    package let wakes: AsyncStream<Void>
    private let host: BackendHost
    private let outbox: Outbox
    private let stream: StreamID

    /// Follows as the admin.
    init(_ subject: WatchRequest.Subject, in database: DatabaseID, of host: BackendHost) {
        let (wakes, wake) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.wakes = wakes
        self.host = host
        outbox = Outbox { wake.yield() }
        stream = host.open(outbox, in: database)
        host.watch(WatchRequest(targetID: WireTargetID(1), subject: subject), on: stream) {
            if case .failure = $0 { wake.finish() }
        }
    }

    deinit { host.close(stream) }

    /// Takes the messages that have come. To be called at each wake, before the documents are read.
    ///
    /// - Throws: Why the backend does not tell changes of these documents.
    package func take() throws(HearthError) {
        let messages = outbox.take()
        outbox.sent(messages.count)
        if outbox.takeSlowness() { host.resume(stream) }
        for case .target(let change) in messages {
            if case .removed(let error?) = change.kind { throw error }
        }
    }
}
