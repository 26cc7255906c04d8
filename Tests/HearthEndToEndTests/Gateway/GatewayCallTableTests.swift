import Foundation
import Hearth
import HearthTestSupport
import Testing

/// The table of docs/gateway-compatibility.md: what each call is answered by, online and offline.
///
/// The calls and their answers are in call_table.py.
@Suite(
    .serialized, .timeLimit(.minutes(3)),
    .enabled(if: GooglePython.isInstalled, "\(GooglePython.absence)"))
struct GatewayCallTableTests {
    private static let script = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "call_table.py").path

    /// A machine that has read what the calls are about.
    private func prepared(_ flags: [String] = []) async throws -> (World, Machine) {
        let world = try World()
        let machine = try world.machine("machine", flags)
        // The daemon may have started before its backend, and then learns of the backend only now.
        _ = try await eventually {
            try? await machine.client().collection("nothing").getDocuments(source: .server)
        } is: {
            $0 != nil
        }
        try ask("prepare", "\(machine.name)-firestore.sock", of: world)
        return (world, machine)
    }

    /// Makes each call, and expects the answers of a situation.
    private func ask(
        _ situation: String, _ socket: String, of world: World,
        line: SourceLocation = #_sourceLocation
    ) throws {
        let status = try ChildProcess(
            GooglePython.path, [Self.script, situation, "unix:\(world.folder.path)/\(socket)"],
            log: "\(world.folder.path)/\(situation).log", input: "/dev/null",
            environment: ["PYTHONDONTWRITEBYTECODE=1"]
        ).exitStatus()
        #expect(status == 0, "\(situation): \(world.log(situation))", sourceLocation: line)
    }

    /// Gives the engine a reason to speak to the backend: an engine without one knows nothing of it.
    private func listen(on machine: Machine) -> any ListenerRegistration {
        machine.client().collection("rooms").addSnapshotListener { _, _ in }
    }

    @Test func `online, each call is answered as the backend answers it`() async throws {
        let (world, machine) = try await prepared()
        try ask("online", "\(machine.name)-firestore.sock", of: world)
    }

    @Test func `offline, each call is answered from the cache or refused with its reason`()
        async throws
    {
        let (world, machine) = try await prepared()
        let listener = listen(on: machine)
        defer { listener.remove() }
        world.killEmulator()
        try await machine.knowsItIsOffline()
        try ask("offline", "\(machine.name)-firestore.sock", of: world)
        try ask("local", "\(machine.name)-firestore-local.sock", of: world)
    }

    @Test func `offline, a refusal has the status that the configuration chooses`() async throws {
        let (world, machine) = try await prepared(["--gateway.offlineStatus", "unavailable"])
        let listener = listen(on: machine)
        defer { listener.remove() }
        world.killEmulator()
        try await machine.knowsItIsOffline()
        try ask("unavailable", "\(machine.name)-firestore.sock", of: world)
    }
}
