import HearthBackend
import HearthModel
import HearthRPC
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Upgrades a connection that asks for `/.ws` to the Realtime Database's protocol.
struct RealtimeUpgrade: Sendable {
    /// The longest frame.
    ///
    /// Clients cut messages into frames of up to 49,152 bytes, but a client may send longer frames.
    private static let frameByteCountMax = 1 << 20

    let service: RealtimeService
    private let sessions = RealtimeSessions()

    /// Serves the protocol beside REST.
    init(_ service: RealtimeService) {
        self.service = service
    }

    /// The upgrader to a WebSocket with the protocol.
    var upgrader: any HTTPServerProtocolUpgrader {
        let (service, sessions) = (service, sessions)
        return NIOWebSocketServerUpgrader(
            maxFrameSize: Self.frameByteCountMax, automaticErrorHandling: true,
            shouldUpgrade: { channel, head in
                let place = Self.place(head, service.webGuard, channel.localAddress)
                return channel.eventLoop.makeSucceededFuture(place == nil ? nil : [:])
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture {
                    guard let place = Self.place(head, service.webGuard, channel.localAddress)
                    else { preconditionFailure("a request that was refused was upgraded") }
                    let pipeline = channel.pipeline.syncOperations
                    // A client that does not read its answers is not asked for more requests.
                    try pipeline.addHandler(BackPressureHandler())
                    try pipeline.addHandler(RealtimeFrameGuard())
                    try pipeline.addHandler(
                        NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1_024,
                            maxAccumulatedFrameSize: RealtimeLimits.wireWriteByteCountMax))
                    try pipeline.addHandler(
                        RealtimeSocket(place, service: service, sessions: sessions))
                }
            })
    }

    /// The tree and host that a request for the protocol names.
    ///
    /// - Returns: `nil` if the request is not for the protocol, or the web guard refuses the
    ///   request.
    private static func place(
        _ head: HTTPRequestHead, _ webGuard: WebGuard, _ local: SocketAddress?
    ) -> RealtimeSocket.Place? {
        guard head.method == .GET, let target = HTTPTarget(head.uri),
            target.segments == [".ws"], target.parameter("v") == "5",
            webGuard.refusal(of: head.headers, for: .database, at: local) == nil,
            let namespace = try? RealtimeAddress.namespace(target, head.headers)
        else { return nil }
        return RealtimeSocket.Place(
            namespace: namespace, host: head.headers.first(name: "host") ?? "localhost",
            lastSession: target.parameter("ls"))
    }
}
