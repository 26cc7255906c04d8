package import NIOHTTP1

/// Answers the requests of HTTP/1.1 connections.
///
/// One port may serve several services: the router picks the service by the request's target. The
/// connection calls the router on its event loop; the router must not block that loop.
package protocol HTTPRouter: Sendable {
    /// Answers a request whose body has come whole, at once or later.
    func answer(_ exchange: HTTPExchange)

    /// How many bytes the body of a request may have, packed or not.
    func bodyByteCountMax(for head: HTTPRequestHead) -> Int

    /// The upgraders for a first request with the header `Upgrade`, for example to a WebSocket.
    ///
    /// An upgrader refuses targets that are not its own; `answer` then answers the request like any
    /// other. The handler of an upgraded connection adds itself to the registry of connections.
    func upgraders() -> [any HTTPServerProtocolUpgrader]
}

extension HTTPRouter {
    /// As many bytes as a request of gRPC may have.
    package func bodyByteCountMax(for head: HTTPRequestHead) -> Int {
        ConnectionLimits.bodyByteCountMax
    }
}

/// An answer whose body follows its head bit by bit, on the connection's event loop.
package protocol HTTPStream: AnyObject {
    /// The client has read the written bytes, and takes more.
    func becameWritable()
    /// The client sends no more requests.
    ///
    /// A stream with a long answer goes on; a stream that waits for changes may end.
    func inputEnded()
    /// The connection is gone. The stream may write nothing from here on.
    func closed()
}
