import HearthModel
import HearthRealtime
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket

/// How the request for a WebSocket ended.
enum SocketUpgrade: Sendable {
    /// The connection is a WebSocket.
    case open(NIOAsyncChannel<WebSocketFrame, WebSocketFrame>)
    /// The server answers as to any other request.
    case refused(NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>)
}

/// The place of a WebSocket: a server, and what is asked of the server.
struct SocketPlace: Sendable {
    /// What the connection is made to.
    let backend: BackendAddress
    /// Who vouches for the server; `nil` for a connection in plaintext.
    let trust: TrustedCertificates?
    /// The value of the `host` header.
    let authority: String
    /// The path and query.
    let target: String

    /// The target of a link's address.
    init(_ link: LinkAddress, of address: RealtimeAddress, trusting trust: TrustedCertificates) {
        backend = address.backend(of: link)
        self.trust = address.isSecure ? trust : nil
        authority = address.authority(of: link)
        target = address.target(of: link)
    }

    /// Connects and asks for a WebSocket.
    ///
    /// - Parameter hold: Is given the channel before the channel connects. An error of `hold` ends
    ///   the attempt.
    func upgrade(
        holding hold: @escaping @Sendable (any Channel) throws -> Void
    ) async throws -> SocketUpgrade {
        let context = try trust?.context()
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(SocketLimits.connectTimeout)
        let initialize: @Sendable (any Channel) -> EventLoopFuture<EventLoopFuture<SocketUpgrade>> =
            { channel in
                channel.eventLoop.makeCompletedFuture {
                    try hold(channel)
                    return try configure(channel, by: context)
                }
            }
        let upgrade =
            switch backend {
            case .tcp(let host, let port):
                try await bootstrap.connect(
                    host: host, port: port, channelInitializer: initialize)
            case .unix(let path):
                try await bootstrap.connect(
                    unixDomainSocketPath: path, channelInitializer: initialize)
            }
        return try await upgrade.get()
    }

    private func configure(
        _ channel: any Channel, by context: NIOSSLContext?
    ) throws -> EventLoopFuture<SocketUpgrade> {
        let pipeline = channel.pipeline.syncOperations
        if let context {
            try pipeline.addHandler(
                NIOSSLClientHandler(context: context, serverHostname: backend.serverName))
        }
        let request = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: target,
            headers: ["host": authority, "user-agent": "Firebase/5/hearth-0.1/linux/daemon"])
        var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                upgradeRequestHead: request, upgraders: [upgrader],
                notUpgradingCompletionHandler: { channel in
                    channel.eventLoop.makeCompletedFuture {
                        .refused(try NIOAsyncChannel(wrappingChannelSynchronously: channel))
                    }
                }))
        // The service says hello at once, so hello may come with the answer to the request.
        configuration.leftOverBytesStrategy = .forwardBytes
        return try pipeline.configureUpgradableHTTPClientPipeline(configuration: configuration)
    }

    private var upgrader: NIOTypedWebSocketClientUpgrader<SocketUpgrade> {
        NIOTypedWebSocketClientUpgrader(
            maxFrameSize: SocketLimits.frameByteCountMax,
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 0,
                            maxAccumulatedFrameCount: SocketLimits.fragmentCountMax,
                            maxAccumulatedFrameSize: SocketLimits.fragmentsByteCountMax))
                    return .open(
                        try NIOAsyncChannel(
                            wrappingChannelSynchronously: channel,
                            configuration: .init(
                                backPressureStrategy: .init(
                                    lowWatermark: SocketLimits.unreadFrameCountMin,
                                    highWatermark: SocketLimits.unreadFrameCountMax))))
                }
            })
    }
}

/// Times and limits of a WebSocket.
package enum SocketLimits {
    /// How long a connection may take.
    static let connectTimeout = TimeAmount.seconds(30)
    /// The longest frame. The service cuts messages into frames of up to 49,152 bytes.
    static let frameByteCountMax = 1 << 20
    /// The most fragments of one frame's text. The service makes none, but what lies between may.
    static let fragmentCountMax = 1_024
    /// The longest text in fragments.
    static let fragmentsByteCountMax = 16 << 20
    /// The longest message that is joined of frames: the most that the service lets be read at
    /// once.
    package static let messageByteCountMax = 256 << 20
    /// From so many unread frames on, nothing more is read from the connection,
    static let unreadFrameCountMax = 8
    /// until only so many are left.
    static let unreadFrameCountMin = 2
    /// Frames are given to the connection in groups of so many bytes.
    static let groupByteCountMax = 256 << 10
    /// So many pings may wait for our answer. Pings of a server that does not read are forgotten.
    static let owedPongCountMax = 16
}
