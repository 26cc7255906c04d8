import Dispatch
import HearthFirestore
import HearthModel
import HearthServer
import HearthTestSupport
import Logging

/// A server on sockets of its own for as long as a test's body takes, on a thread that may block.
enum ServerRun {
    static let database = DatabaseID(project: "demo")

    static func run(
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        makeEngine: EngineMakers.Firestore? = nil,
        makeInstance: EngineMakers.Realtime? = nil,
        _ body: @escaping @Sendable (_ path: String, _ controlPath: String) throws -> Void
    ) async throws {
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        var configuration = configuration(in: folder)
        change(&configuration)
        let (path, controlPath) = (folder.path + "/hearth.sock", folder.path + "/control.sock")
        let bench = ServerBench(openFailures: [])
        let makers = EngineMakers(
            firestore: makeEngine ?? { bench.make($0, $1) },
            realtime: makeInstance ?? { instance, _, _ in
                preconditionFailure("Nobody here asks for \(instance)")
            })
        try await run(configuration, makers) { _ in try body(path, controlPath) }
    }

    /// The same with the real engine, which has a store on disk and never reaches a backend.
    static func runOffline(
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (_ path: String, _ server: HearthServer) throws -> Void
    ) async throws {
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        var changed = configuration(in: folder)
        changed.isUpstreamEnabled = false
        changed.storeFolder = folder.path + "/state"
        change(&changed)
        let configuration = changed
        let path = folder.path + "/hearth.sock"
        let memory = SharedSurveyMemory()
        let makers = EngineMakers.firestore { database, outlet in
            FirestoreAssembly(configuration: configuration, outlet: outlet, memory: memory)
                .start(database, door: ClosedDoor.silent) { SilentUpstream($0) }
        }
        try await run(configuration, makers) { server in try body(path, server) }
    }

    private static func configuration(in folder: TemporaryFolder) -> ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.database = database
        configuration.clientSocket = .init(path: folder.path + "/hearth.sock", mode: 0o600)
        configuration.controlSocket = .init(path: folder.path + "/control.sock", mode: 0o600)
        return configuration
    }

    private static func run(
        _ configuration: ServerConfiguration, _ makers: EngineMakers,
        _ body: @escaping @Sendable (HearthServer) throws -> Void
    ) async throws {
        let server = HearthServer(
            configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, makers: makers)
        await server.start()
        let result = await withCheckedContinuation { continuation in
            DispatchQueue(label: "client").async {
                continuation.resume(returning: Result { try body(server) })
            }
        }
        await server.stop()
        try result.get()
    }
}
