import Dispatch
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
        let (path, controlPath) = (folder.path + "/hearth.sock", folder.path + "/control.sock")
        var configuration = ServerConfiguration()
        configuration.database = database
        configuration.clientSocket = .init(path: path, mode: 0o600)
        configuration.controlSocket = .init(path: controlPath, mode: 0o600)
        change(&configuration)
        let bench = ServerBench(openFailures: [])
        let server = HearthServer(
            configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            makers: EngineMakers(
                firestore: makeEngine ?? { bench.make($0, $1) },
                realtime: makeInstance ?? { instance, _, _ in
                    preconditionFailure("Nobody here asks for \(instance)")
                }))
        await server.start()
        let result = await withCheckedContinuation { continuation in
            DispatchQueue(label: "client").async {
                continuation.resume(returning: Result { try body(path, controlPath) })
            }
        }
        await server.stop()
        try result.get()
    }
}
