import Foundation
import Hearth
import HearthTestSupport
import Testing

/// Rejections that Google's client was told of, over the ends of daemons.
///
/// The step, and the errors that the program expects, are in offline_stories.py.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ToldRejectionTests {
    private static let step = "refused_by_backend"
    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "offline_stories.py").path

    private func tell(_ machine: Machine, of world: World) throws {
        let process = try ChildProcess(
            GooglePython.path, [Self.script, "sync", Self.step],
            log: "\(world.folder.path)/\(Self.step)-errors.log",
            environment: [
                "FIRESTORE_EMULATOR_HOST=unix:\(world.folder.path)/\(machine.name)-firestore.sock",
                "PYTHONDONTWRITEBYTECODE=1", "GOOGLE_CLOUD_DISABLE_GRPC_LOGS=1",
            ])
        #expect(process.exitStatus() == 0, "\(world.log("\(Self.step)-errors"))")
    }

    /// The dead letters that wait, once the daemon's engine works with its backend.
    private func letterCount(_ machine: Machine) async throws -> Int {
        let client = machine.client()
        // The answer of the backend comes behind the engine's start.
        _ = try await eventually {
            try? await client.document("rooms/there").getDocument(source: .server)
        } is: {
            $0 != nil
        }
        return try await client.daemonStatus().deadLetterCount
    }

    @Test(.enabled(if: GooglePython.isInstalled))
    func `a told rejection is no dead letter after an orderly end, and after a kill at most once`()
        async throws
    {
        let world = try World()
        let machine = try world.machine()
        #expect(try await letterCount(machine) == 0)
        try tell(machine, of: world)
        #expect(try await letterCount(machine) == 0)
        machine.stopDaemon()
        try machine.startDaemon()
        #expect(try await letterCount(machine) == 0)

        // The kill may leave the letters of the last request in doubt: two of the four rejections. The
        // rejections of the run before are settled.
        try tell(machine, of: world)
        machine.killDaemon()
        try machine.startDaemon()
        let doubtful = try await letterCount(machine)
        #expect(doubtful <= 2)
        if doubtful > 0 {
            let dropping = try CommandRun(
                world, machine, ["dead-letters", "drop", "--all", "--yes"])
            #expect(dropping.status == 0, "\(dropping.complaints)")
        }
        for _ in 1...2 {
            machine.killDaemon()
            try machine.startDaemon()
            #expect(try await letterCount(machine) == 0)
        }
    }
}
