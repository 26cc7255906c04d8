import HearthTestSupport
import NIOCore
import NIOPosix

@testable import HearthGateway
@testable import HearthServer

/// A connection of the gateway without a protocol on it, used on its event loop.
struct BoundConnection: Sendable {
    /// The server's end of the socket.
    let channel: any Channel
    private let loop: any EventLoop
    private let bound: NIOLoopBound<GatewayConnection>

    init(_ connection: GatewayConnection, on channel: any Channel) {
        self.channel = channel
        loop = channel.eventLoop
        bound = NIOLoopBound(connection, eventLoop: loop)
    }

    /// Does something with the connection on its event loop.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable (GatewayConnection) throws -> Result
    ) async throws -> Result {
        let bound = bound
        return try await loop.submit { try body(bound.value) }.get()
    }
}

extension GatewayBench {
    /// Works with the server's end of a connection whose client the kernel would call `peer`.
    func withConnection<Result: Sendable>(
        as peer: Peer, _ body: @Sendable (BoundConnection) async throws -> Result
    ) async throws -> Result {
        let gateway = Gateway(server.parts)
        let path = path + "-\(peer.uid)"
        let (connections, tell) = AsyncStream.makeStream(of: BoundConnection.self)
        let listener = try await ServerBootstrap(group: server.group)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    let connection = GatewayConnection(gateway, of: peer, by: .standard, on: child)
                    try child.pipeline.syncOperations.addHandler(GatewayPacer(connection))
                    connection.enter()
                    tell.yield(BoundConnection(connection, on: child))
                }
            }
            .bind(unixDomainSocketPath: path).get()
        let client = try HTTPConnection(to: "unix:\(path)")
        defer { client.reset() }
        for await connection in connections {
            let result = try await body(connection)
            try await listener.close()
            return result
        }
        throw TooLate(last: "no connection came")
    }
}
