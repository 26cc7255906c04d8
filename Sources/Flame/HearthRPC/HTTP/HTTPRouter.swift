package import NIOHTTP1

/// What answers the requests of HTTP/1.1 connections, whatever they are about.
///
/// One port may serve several services: the router tells by a request's target whose it is. The router is
/// asked on the connection's event loop, and must not block it.
package protocol HTTPRouter: Sendable {
    /// Answers a request whose body is here whole, at once or later.
    func answer(_ exchange: HTTPExchange)

    /// How many bytes the body of a request may have, packed or not.
    func bodyByteCountMax(for head: HTTPRequestHead) -> Int

    /// What a connection may become instead, by the header `Upgrade` of its first request, such as a
    /// WebSocket. An upgrader refuses targets that are not its own; the request is then answered like any
    /// other. What the connection becomes adds itself to the registry of connections.
    func upgraders() -> [any HTTPServerProtocolUpgrader]
}

extension HTTPRouter {
    /// As many as a request of gRPC.
    package func bodyByteCountMax(for head: HTTPRequestHead) -> Int {
        ConnectionLimits.bodyByteCountMax
    }
}

/// An answer that goes on after its head, on its connection's event loop.
package protocol HTTPStream: AnyObject {
    /// The client has read what was written, and takes more.
    func becameWritable()
    /// The client sends no more requests. Who sends a long answer goes on; who waits for news may end.
    func inputEnded()
    /// The connection is gone. Nothing may be written from here on.
    func closed()
}
