import Dispatch
import HearthModel
import HearthTestSupport
import HearthWire
import Logging
import Testing

@testable import HearthServer

/// Reading the configuration again while the file system does not answer.
@Suite(.timeLimit(.minutes(1)))
struct ReloadDeskTests {
    private static let database = DatabaseID(project: "demo")

    private func outcome(of desk: ReloadDesk) async -> ReloadDesk.Outcome {
        await withCheckedContinuation { continuation in
            desk.ask { continuation.resume(returning: $0) }
        }
    }

    @Test func `a reload that hangs is answered in time, and one after it is served`()
        async throws
    {
        let gate = DispatchSemaphore(value: 0)
        let desk = ReloadDesk(patience: .milliseconds(200))
        let report = ReloadReport(applied: ["access"], needsRestart: [])
        desk.enable {
            gate.wait()
            return .success(report)
        }
        guard case .failure(let error) = await outcome(of: desk) else {
            Issue.record("It was read through a closed gate")
            return
        }
        #expect(error.code == .deadlineExceeded)
        desk.enable { .success(report) }
        gate.signal()
        let after = try await eventually {
            await outcome(of: desk)
        } is: {
            $0 == .success(report)
        }
        #expect(after == .success(report))
    }

    @Test func `a desk that cannot read says so`() async {
        guard case .failure(let error) = await outcome(of: ReloadDesk()) else {
            Issue.record("It read nothing")
            return
        }
        #expect(error.code == .unimplemented)
    }

    @Test func `the status is told while a reload waits for its files`() async throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/hearth.sock"
        var configuration = ServerConfiguration()
        configuration.database = Self.database
        configuration.clientSocket = .init(path: path, mode: 0o600)
        configuration.controlSocket = .init(path: folder.path + "/control.sock", mode: 0o600)
        let bench = ServerBench(openFailures: [])
        let server = HearthServer(
            configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            makers: .firestore { bench.make($0, $1) })
        await server.start()
        let gate = DispatchSemaphore(value: 0)
        server.enableReload { [configuration] in
            gate.wait()
            return (configuration, [])
        }
        server.reporter.reloadLater()
        let status = await withCheckedContinuation { continuation in
            DispatchQueue(label: "client").async {
                continuation.resume(returning: Result { try Self.status(at: path) })
            }
        }
        gate.signal()
        await server.stop()
        #expect(try status.get()?.clientCount == 1)
    }

    private static func status(at path: String) throws -> StatusReport? {
        let client = try SocketClient(path: path)
        _ = try client.greet(database)
        try client.send(.inquiry(.status), number: 2)
        guard case .report(.status(let report)) = try client.receive().event else { return nil }
        return report
    }
}
