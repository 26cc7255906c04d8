package import Logging
package import NIOCore
import NIOHTTP1

/// Serves a listener's connections: HTTP/2 with calls of gRPC, or HTTP/1.1.
///
/// The first bytes of a connection tell the protocols apart.
///
/// The owner listens and accepts; `ServedConnections` serves the accepted connections.
package struct ServedConnections: Sendable {
    private let service: any CallService
    private let faults: (any CallFaultSource)?
    private let router: (any HTTPRouter)?
    private let registry: ConnectionRegistry
    private let logger: Logger
    private let bodies = HeldBodies()
    private let pipelined = PipelinedRequests()

    /// Serves calls, and requests of HTTP/1.1.
    ///
    /// - Parameters:
    ///   - service: Answers the calls.
    ///   - faults: The source of faults on purpose; `nil` for none.
    ///   - router: The router that answers HTTP/1.1; `nil` closes connections that speak HTTP/1.1.
    ///   - registry: Where the owner finds the open connections when they must end.
    ///   - logger: Where the connections write their events.
    package init(
        service: any CallService, faults: (any CallFaultSource)? = nil,
        router: (any HTTPRouter)? = nil, registry: ConnectionRegistry, logger: Logger
    ) {
        self.service = service
        self.faults = faults
        self.router = router
        self.registry = registry
        self.logger = logger
    }

    /// Serves a connection that was just accepted, on its event loop.
    ///
    /// The channel must allow remote half-closure: a client that will send no more may still want
    /// answers.
    ///
    /// - Throws: What NIO throws if the channel takes no more handlers.
    package func serve(_ channel: any Channel) throws {
        let first = ProtocolHandler { guess, channel in try become(guess, channel) }
        try channel.pipeline.syncOperations.addHandler(first)
    }

    private func become(_ guess: ProtocolGuess, _ channel: any Channel) throws {
        if channel.remoteAddress?.protocol != .unix {
            _ = channel.setOption(.tcpOption(.tcp_nodelay), value: 1)
        }
        switch guess {
        case .http2: try becomeHTTP2(channel)
        case .http1: try becomeHTTP1(channel)
        case .unknown: preconditionFailure("a connection became something unknown")
        }
    }

    private func becomeHTTP2(_ channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(
            GRPCConnection(
                service: service, faults: faults, registry: registry, logger: logger, on: channel))
    }

    private func becomeHTTP1(_ channel: any Channel) throws {
        guard let router else { throw NotServed() }
        let pipeline = channel.pipeline.syncOperations
        let connection = HTTP1Connection(
            router: router, registry: registry, bodies: bodies, pipelined: pipelined,
            logger: logger, on: channel.eventLoop)
        let inputEnd = InputEndHandler { connection.inputEnded() }
        try pipeline.addHandler(inputEnd)
        // The connection itself answers what is no request, with words.
        let upgraders = router.upgraders().map(RefusableUpgrader.init)
        if upgraders.isEmpty {
            try pipeline.configureHTTPServerPipeline(withErrorHandling: false)
        } else {
            let handlers = NIOLoopBound((connection, inputEnd), eventLoop: channel.eventLoop)
            try pipeline.configureHTTPServerPipeline(
                withServerUpgrade: (
                    upgraders,
                    { context in
                        // The upgraded connection reads and ends by its own handlers.
                        let pipeline = context.pipeline.syncOperations
                        pipeline.removeHandler(handlers.value.0, promise: nil)
                        pipeline.removeHandler(handlers.value.1, promise: nil)
                    }
                ), withErrorHandling: false)
        }
        try pipeline.addHandler(connection)
    }

    /// HTTP/1.1 is not spoken here.
    private struct NotServed: Error {}
}
