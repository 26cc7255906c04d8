import HearthBackend
package import HearthModel

/// Tells when a node of the Realtime Database changes, by a listener whose messages nobody reads on.
///
/// Ends with its last reference.
package final class NodeFollower: Sendable {
    /// Yields when something may have changed, and once at first; many changes may be one wake.
    package let wakes: AsyncStream<Void>
    private let host: RealtimeHost
    private let outbox: RealtimeOutbox
    private let id: RealtimeConnectionID

    /// Follows as the admin.
    init(_ path: RealtimePath, of namespace: RealtimeNamespace, in host: RealtimeHost) {
        let (wakes, wake) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.wakes = wakes
        self.host = host
        outbox = RealtimeOutbox { wake.yield() }
        id = host.open(outbox, in: namespace, by: .admin)
        host.watch(path, nil, number: 1, for: id, isNoted: false)
    }

    deinit { host.close(id) }

    /// Takes the messages that have come. To be called at each wake, before the node is read.
    ///
    /// - Throws: If the emulator's disk has lost a change, or the emulator refuses the listener.
    package func take() throws(HearthError) {
        while let message = outbox.next()?.message {
            switch message {
            case .lost(let error): throw error
            case .answer(.refused(let refusal), _):
                throw HearthError(code: .failedPrecondition, message: refusal.reason)
            case .push, .revoke, .answer: break
            }
        }
    }
}
