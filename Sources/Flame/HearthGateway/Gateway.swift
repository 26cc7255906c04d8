package import HearthServer
import HearthRPC
package import NIOCore

/// The daemon's second door: Google's own clients of Firestore speak with it as with the backend.
///
///     socket > ServedConnections > GatewayConnection > GatewaySession > engine
///                                                   \> GatewayCall   < engine
///
/// A connection belongs to one program, whom the kernel names. The subject of a call decides which
/// of the connection's sessions answers it; a session has the rights and the engine of one
/// database. Everything of a connection happens on its event loop.
package struct Gateway: GatewayAdmission {
    /// The daemon's parts.
    let parts: SessionParts
    /// The calls on their way to backends, of all connections.
    let forwardedCalls = UserCounts()
    /// The transactions that programs have begun at backends, of all connections.
    let transactions = BegunTransactions()
    /// The connections that may not come in and hear why.
    let refusedConnections = UserCounts()
    /// Documents as they are sent, of all connections.
    let documentBytes = DocumentBytes()
    /// The pictures that clients of watch streams were shown, for returning clients.
    let shelf = ResumeShelf(epoch: .random(in: .min ... .max))

    /// A gateway of these parts of a daemon.
    package init(_ parts: SessionParts) {
        self.parts = parts
    }

    package func admit(
        _ child: any Channel, _ peer: Peer, by listener: GatewayListener
    ) throws {
        // A client that will send no more may still want answers.
        try child.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        let connection = GatewayConnection(self, of: peer, by: listener, on: child)
        try child.pipeline.syncOperations.addHandler(GatewayPacer(connection))
        try ServedConnections(
            service: GatewayService(connection), registry: connection.calls, logger: parts.logger
        ).serve(child)
        connection.enter()
    }
}
