package import NIOCore

/// Gives the clients of the gateway's listeners their sessions.
///
/// The server owns the listeners and asks the kernel who connects; the gateway speaks the protocol.
package protocol GatewayAdmission: Sendable {
    /// Serves a client that was just accepted, on the client's event loop.
    ///
    /// - Parameters:
    ///   - child: The connection.
    ///   - peer: Who is at the other end, as the kernel says.
    ///   - listener: The listener that accepted the client.
    /// - Throws: What NIO throws if the channel takes no more handlers; the server then closes the
    ///   channel.
    func admit(_ child: any Channel, _ peer: Peer, by listener: GatewayListener) throws
}

/// A listener of the gateway, by the name that its socket has for systemd.
package enum GatewayListener: String, Sendable, CaseIterable {
    /// The listener whose calls are answered as `gateway.reads` and `gateway.writes` say.
    case standard = "firestore"
    /// The listener whose reads come from the cache first, and whose writes are accepted.
    case local = "firestore-local"
}
