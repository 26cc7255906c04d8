import GRPCCore
import GRPCNIOTransportHTTP2Posix
package import HearthBackend
package import HearthModel
package import Logging

/// Where an emulator listens, and where it keeps its documents.
package struct EmulatorConfiguration: Sendable {
    /// Where `google.firestore.v1` is served.
    package var firestore: [EmulatorAddress]
    /// The folder that outlives the process; `nil` keeps everything in memory.
    package var dataFolder: String?
    /// How much the backend remembers.
    package var settings: BackendSettings

    /// Serves at some addresses.
    package init(
        firestore: [EmulatorAddress], dataFolder: String? = nil,
        settings: BackendSettings = BackendSettings()
    ) {
        self.firestore = firestore
        self.dataFolder = dataFolder
        self.settings = settings
    }
}

/// Firestore's other side as a process: `HearthBackend` behind gRPC, kept in a folder if asked.
///
/// It believes every caller, as emulators do, and answers any database of any project.
package final class Emulator: Sendable {
    /// The largest request, as the SDKs have it.
    static let requestByteCountMax = 17 * 1_024 * 1_024
    /// How often quiet streams get a fresh token.
    static let heartbeatInterval = Duration.seconds(30)

    /// What goes wrong on purpose, for tests.
    package let faults = FaultTable()

    private let configuration: EmulatorConfiguration
    private let logger: Logger
    private let host: BackendHost
    private let stop = AsyncStream.makeStream(of: Void.self)

    /// Opens the folder and reads what it holds.
    ///
    /// - Throws: `HearthError` if the folder cannot be used; the message says why.
    package init(configuration: EmulatorConfiguration, logger: Logger) throws(HearthError) {
        self.configuration = configuration
        self.logger = logger
        let keeper = try configuration.dataFolder.map { folder throws(HearthError) in
            try Keeper(folder: folder)
        }
        self.host = try BackendHost(keeper: keeper, settings: configuration.settings)
    }

    /// Serves until the task is cancelled or `shutdown` is called.
    ///
    /// - Parameter onReady: Called once, when every address accepts connections, with the addresses
    ///   as they became: a port of 0 is then the real one.
    /// - Throws: `HearthError` `unavailable` if an address cannot be bound.
    package func run(
        onReady: @Sendable ([EmulatorAddress]) async -> Void = { _ in }
    ) async throws {
        let service = FirestoreService(host: host, logger: logger)
        let servers = configuration.firestore.map { address in
            (
                address,
                GRPCServer(
                    transport: HTTP2ServerTransport.Posix(
                        address: address.socketAddress, transportSecurity: .plaintext,
                        config: Self.transportConfig),
                    services: [service],
                    interceptors: [
                        FaultInterceptor(faults: faults), StatusInterceptor(),
                    ])
            )
        }
        defer { for address in configuration.firestore { address.removeSocketFile() } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            for (address, server) in servers {
                group.addTask { try await Self.serve(server, at: address) }
            }
            group.addTask { [host] in
                while !Task.isCancelled {
                    try await Task.sleep(for: Self.heartbeatInterval)
                    await host.heartbeat()
                }
            }
            group.addTask { [stop] in
                for await _ in stop.stream { return }
            }
            if let bound = await Self.bound(servers) {
                let addresses = bound.map(\.description).joined(separator: " ")
                logger.notice("emulator ready", metadata: ["firestore": "\(addresses)"])
                await onReady(bound)
            }
            // The first to end ends all: a server that failed, or the wish to stop.
            do {
                try await group.next()
            } catch is CancellationError {}
            // A server that is cancelled while a stream arrives fails, so it stops taking them first.
            for (_, server) in servers { server.beginGracefulShutdown() }
            try? await Task.sleep(for: Self.farewell)
        }
    }

    /// Makes every resume token too old, for tests: targets that resume are then reset, or told how
    /// many documents they should have.
    package func forgetHistory() async throws {
        try await host.forgetHistory()
    }

    /// Ends `run`.
    package func shutdown() {
        stop.continuation.yield()
        stop.continuation.finish()
    }

    /// How long streams may go on after the wish to stop. Enough for answers under way.
    private static let farewell = Duration.milliseconds(100)

    private typealias Server = GRPCServer<HTTP2ServerTransport.Posix>

    private static func serve(_ server: Server, at address: EmulatorAddress) async throws {
        do {
            try await server.serve()
        } catch {
            if Task.isCancelled { return }
            throw HearthError(
                code: .unavailable, message: "Cannot serve at \(address): \(error)")
        }
    }

    /// The addresses as they became; `nil` if one could not be bound, which `serve` reports.
    private static func bound(
        _ servers: [(EmulatorAddress, Server)]
    ) async -> [EmulatorAddress]? {
        var result: [EmulatorAddress] = []
        for (address, server) in servers {
            guard let bound = try? await server.listeningAddress else { return nil }
            result.append(address.with(port: bound.ipv4?.port ?? bound.ipv6?.port))
        }
        return result
    }

    private static var transportConfig: HTTP2ServerTransport.Posix.Config {
        .defaults { config in
            config.rpc.maxRequestPayloadSize = requestByteCountMax
            config.http2.targetWindowSize = 1 << 20
            // Clients ping every 30 s, whether they have calls or not.
            config.connection.keepalive.clientBehavior.minPingIntervalWithoutCalls = .seconds(1)
            config.connection.keepalive.clientBehavior.allowWithoutCalls = true
            config.connection.flushCoalescing = nil
        }
    }
}
