import HearthFirestore
import HearthModel
import HearthRemote
import HearthServer
import Logging

/// Connects engines with the backend that the configuration names.
struct Upstream: Sendable {
    private let address: BackendAddress
    private let isEmulator: Bool
    private let logger: Logger

    /// Where the backend is, and how it is reached.
    ///
    /// - Throws: `invalidArgument` if the address cannot be read.
    init(_ configuration: ServerConfiguration, logger: Logger) throws(HearthError) {
        let text = configuration.emulator ?? configuration.upstreamAddress
        guard let address = BackendAddress(parsing: text) else {
            throw HearthError(
                code: .invalidArgument,
                message: "\"\(text)\" is no address; write HOST:PORT or unix:PATH.")
        }
        self.address = address
        isEmulator = configuration.emulator != nil
        self.logger = logger
    }

    /// Makes the connection of one database.
    func connect(
        _ database: DatabaseID, _ sink: @escaping @Sendable (UpstreamEvent) async -> Void
    ) -> any FirestoreUpstream {
        do throws(HearthError) {
            let channel = try FirestoreChannel(
                FirestoreChannel.Configuration(
                    database: database, address: address,
                    security: isEmulator ? .plaintext : .tls,
                    credentials: isEmulator ? FixedToken.owner : NoCredentials()))
            Task { [logger] in
                do throws(HearthError) {
                    try await channel.run()
                } catch {
                    logger.error("connection ended", metadata: ["error": "\(error)"])
                }
            }
            return OpenUpstream(
                channel: channel, connection: FirestoreConnection(channel, sink: sink))
        } catch {
            logger.error("connection impossible", metadata: ["error": "\(error)"])
            return ClosedUpstream(error: error, sink: sink)
        }
    }
}

/// A connection that lets go of its channel when the engine lets go of it.
private final class OpenUpstream: FirestoreUpstream {
    private let channel: FirestoreChannel
    private let connection: FirestoreConnection

    init(channel: FirestoreChannel, connection: FirestoreConnection) {
        self.channel = channel
        self.connection = connection
    }

    deinit { channel.shutDown() }

    func perform(_ command: UpstreamCommand) { connection.perform(command) }
}

/// No connection: every stream fails at once, and the engine backs off.
struct ClosedUpstream: FirestoreUpstream {
    let error: HearthError
    let sink: @Sendable (UpstreamEvent) async -> Void

    func perform(_ command: UpstreamCommand) {
        let event: UpstreamEvent
        switch command {
        case .openWatch(let number): event = .watchClosed(number, error)
        case .openWrite(let number): event = .writeClosed(number, error)
        case .listen, .unlisten, .closeWatch, .handshake, .write, .closeWrite: return
        }
        Task { await sink(event) }
    }
}
