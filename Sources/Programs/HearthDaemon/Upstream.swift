import HearthEngine
import HearthFirestore
import HearthModel
import HearthRealtime
import HearthRemote
import HearthServer
import Logging

/// Connects engines with the backend of the configuration, under the identity of the configuration.
final class Upstream: Sendable {
    private let configuration: ServerConfiguration
    private let address: Result<BackendAddress, HearthError>
    private let trust: TrustedCertificates
    let health: UpstreamHealth
    private let identity: UpstreamIdentity
    private let instances: Result<RealtimeUpstreamMaker, HearthError>
    /// The name of this run of the daemon in outgoing calls.
    private let via = String(UInt64.random(in: 0...UInt64.max), radix: 16)

    /// Reads from the configuration where the backend is, how we reach it, and who we are.
    init(_ configuration: ServerConfiguration, logger: Logger) {
        self.configuration = configuration
        address = Result { () throws(HearthError) in try configuration.firestoreAddress }
        let trust: TrustedCertificates =
            configuration.trustedCertificates.map { .file(path: $0) } ?? .system
        self.trust = trust
        let health = UpstreamHealth(configuration, logger: logger)
        self.health = health
        let identity = UpstreamIdentity(configuration, trusting: trust, health)
        self.identity = identity
        let emulator = Result { () throws(HearthError) in try configuration.instanceAddress }
        instances = emulator.map { emulator in
            RealtimeUpstreamMaker(
                emulator: emulator, trust: trust, identity: identity, health: health,
                logger: logger)
        }
    }

    /// To whom queues belong at the start: who was signed in when the process ended, if a Firebase
    /// user may be.
    var user: UserID { identity.user }

    /// Where an administrator asks who we are, and changes it.
    var signInDesk: SignInDesk { identity.signInDesk }

    /// Tells a server how it stands and who is signed in, from now on and what was until now, and
    /// fetches the first tokens.
    func start(_ server: HearthServer) {
        health.report(to: server)
        guard configuration.isUpstreamEnabled else { return }
        identity.start()
    }

    /// Makes the way of one database to its backend, and finds out whether the backend can be reached.
    func route(of database: DatabaseID) -> FirestoreRoute {
        do throws(HearthError) {
            var parts = FirestoreChannel.Configuration(
                database: database, address: try address.get(), security: security,
                credentials: identity.credentials(of: database.project),
                watch: { [health] in health.note($0, of: .connection) })
            parts.via = via
            let line = try FirestoreLine(parts)
            let door = FirestoreDoor(line)
            if configuration.isUpstreamEnabled, configuration.gateway.isEnabled { door.knock() }
            return FirestoreRoute(door: door) { OpenUpstream(line, sink: $0) }
        } catch {
            health.note(error, of: .connection)
            return FirestoreRoute(door: ClosedDoor(error)) {
                ClosedUpstream(error: error, sink: $0)
            }
        }
    }

    /// Makes the connection of one instance of the Realtime Database.
    func connect(
        _ instance: InstanceID, _ sink: @escaping @Sendable (RealtimeUpstreamEvent) async -> Void
    ) -> any RealtimeUpstream {
        do throws(HearthError) {
            return try instances.get().connect(instance, of: configuration.project(of: instance)) {
                [configuration] event in
                guard case .closed(let number, let error?) = event else { return await sink(event) }
                await sink(.closed(number, configuration.explained(error)))
            }
        } catch {
            health.note(error, of: .link(instance))
            return ClosedLink(error: error, sink: sink)
        }
    }

    /// Makes the door of one instance of the Realtime Database.
    func door(of instance: InstanceID) -> any RealtimeDoor {
        do throws(HearthError) {
            return try instances.get().door(of: instance, of: configuration.project(of: instance))
        } catch {
            return ClosedRealtimeDoor(error)
        }
    }

    /// Emulators and sockets of this machine are reached in plaintext.
    private var security: FirestoreChannel.Security {
        if configuration.emulator != nil { return .plaintext }
        return .tls(trusting: trust, serverName: configuration.serverName)
    }
}

/// The way of one database to its backend.
struct FirestoreRoute: Sendable {
    /// Makes the calls that the engine has no word for.
    let door: any BackendDoor
    /// Makes the engine's connection, whose events go to the sink.
    let connect:
        @Sendable (_ sink: @escaping @Sendable (UpstreamEvent) async -> Void)
            -> any FirestoreUpstream
}

/// A connection to the backend that holds its line until the engine releases the connection.
private struct OpenUpstream: EngineUpstream {
    private let line: FirestoreLine
    private let connection: FirestoreConnection

    init(_ line: FirestoreLine, sink: @escaping @Sendable (UpstreamEvent) async -> Void) {
        self.line = line
        connection = FirestoreConnection(line.channel, sink: sink)
    }

    func perform(_ command: UpstreamCommand) { connection.perform(command) }
}

/// No connection: every stream fails at once, and the engine backs off.
private struct ClosedUpstream: EngineUpstream {
    let error: HearthError
    let sink: @Sendable (UpstreamEvent) async -> Void

    func perform(_ command: UpstreamCommand) {
        let event: UpstreamEvent
        switch command {
        case .openWatch(let number, _): event = .watchClosed(number, error)
        case .openWrite(let number, _): event = .writeClosed(number, error)
        case .call(let id, _, _): event = .called(id, .failed(error))
        case .listen, .unlisten, .closeWatch, .handshake, .write, .closeWrite, .abandon: return
        }
        Task { await sink(event) }
    }
}

/// No connection to an instance: every link fails at once, and the engine backs off.
private struct ClosedLink: EngineUpstream {
    let error: HearthError
    let sink: @Sendable (RealtimeUpstreamEvent) async -> Void

    func perform(_ command: RealtimeCommand) {
        guard case .open(let number, _) = command else { return }
        Task { await sink(.closed(number, error)) }
    }
}
