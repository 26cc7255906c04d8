import HearthModel
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix

/// Listens on some addresses and serves gRPC and REST on each, told apart by a connection's first
/// bytes.
final class EmulatorServer: Sendable {
    private let service: FirestoreService
    private let faults: FaultTable
    private let helpers: HelperEndpoints
    private let channels: WebChannels
    private let webGuard: WebGuard
    private let logger: Logger
    private let group: MultiThreadedEventLoopGroup
    private let registry = ConnectionRegistry()

    /// Threads that serve. Two keep a slow query of one program from holding up the others.
    private static let threadCount = 2

    /// A server that does not listen yet.
    init(
        service: FirestoreService, helpers: HelperEndpoints, webGuard: WebGuard, logger: Logger
    ) {
        self.service = service
        self.helpers = helpers
        self.webGuard = webGuard
        faults = helpers.faults
        channels = WebChannels(service: service, faults: faults, registry: registry)
        self.logger = logger
        group = MultiThreadedEventLoopGroup(numberOfThreads: Self.threadCount)
    }

    /// Listens at one address.
    ///
    /// - Returns: The listener, and the address as it became.
    /// - Throws: `HearthError` `unavailable`.
    func listen(
        at address: EmulatorAddress
    ) async throws(HearthError) -> (any Channel, EmulatorAddress) {
        let target = try address.socketAddress()
        address.removeStaleSocketFile()
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // Who says that no more will come may still want the answers.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture {
                    let first = ProtocolHandler { [self] guess, channel in
                        try become(guess, channel)
                    }
                    try channel.pipeline.syncOperations.addHandler(first)
                }
            }
        do {
            let listener = try await bootstrap.bind(to: target).get()
            return (listener, address.with(port: listener.localAddress?.port))
        } catch {
            throw HearthError(code: .unavailable, message: "Cannot serve at \(address): \(error)")
        }
    }

    /// Takes no more connections, and ends those that are open well.
    func stop(_ listeners: [any Channel]) async {
        for listener in listeners { try? await listener.close() }
        await withCheckedContinuation { continuation in
            registry.stopAll { continuation.resume() }
        }
        try? await group.shutdownGracefully()
    }

    private func become(_ guess: ProtocolGuess, _ channel: any Channel) throws {
        if channel.remoteAddress?.protocol != .unix {
            _ = channel.setOption(.tcpOption(.tcp_nodelay), value: 1)
        }
        let pipeline = channel.pipeline.syncOperations
        switch guess {
        case .http2:
            let errors = ConnectionErrors()
            try pipeline.addHandler(Self.http2Handler(errors))
            try pipeline.addHandler(
                GRPCConnection(
                    service: service, faults: faults, registry: registry, errors: errors,
                    logger: logger, on: channel))
        case .http1:
            let handler = RESTHandler(
                service: service, helpers: helpers, channels: channels, webGuard: webGuard,
                registry: registry, on: channel.eventLoop)
            try pipeline.addHandler(InputEndHandler { handler.inputEnded() })
            try pipeline.configureHTTPServerPipeline()
            try pipeline.addHandler(handler)
        case .unknown:
            preconditionFailure("a connection became something unknown")
        }
    }

    private static func http2Handler(_ errors: ConnectionErrors) -> NIOHTTP2Handler {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            .init(parameter: .maxConcurrentStreams, value: ConnectionLimits.streamCountMax),
            .init(parameter: .initialWindowSize, value: ConnectionLimits.streamWindowByteCount),
            .init(parameter: .maxHeaderListSize, value: ConnectionLimits.headerByteCountMax),
        ]
        // What a call's headers must be, the call's own machine says; nobody forwards them.
        connection.headerBlockValidation = .disabled
        connection.contentLengthValidation = .disabled
        connection.controlFrameRateLimit.maximumCount = ConnectionLimits.controlFrameCountMax
        connection.controlFrameRateLimit.windowLength = ConnectionLimits.rateWindow
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.streamResetFrameRateLimit.maximumCount = ConnectionLimits.resetCountMax
        stream.streamResetFrameRateLimit.windowLength = ConnectionLimits.rateWindow
        return NIOHTTP2Handler(
            mode: .server, frameDelegate: errors, connectionConfiguration: connection,
            streamConfiguration: stream)
    }
}
