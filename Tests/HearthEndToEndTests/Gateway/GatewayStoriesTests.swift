import Foundation
import Hearth
import HearthTestSupport
import Testing

/// What programs with Google's own Python client meet while their machine is offline.
///
/// The steps of the stories, and what they expect, are in offline_stories.py.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: GooglePython.isInstalled, "\(GooglePython.absence)"))
struct GatewayStoriesTests {
    private static let script = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "offline_stories.py").path

    /// Which of Google's two Python clients tells the story.
    enum Flavour: String, CaseIterable { case sync, async }

    /// A machine whose program has read what the stories are about, and whose backend is then gone.
    private func offline(_ flavour: Flavour) async throws -> (World, Machine) {
        let world = try World()
        let machine = try world.machine()
        // The daemon may have started before its backend, and then learns only now that it is there.
        _ = try await eventually {
            try? await machine.client().collection("nothing").getDocuments(source: .server)
        } is: {
            $0 != nil
        }
        try tell(flavour, "prepare", on: machine, of: world)
        world.killEmulator()
        try await knowsItIsOffline(machine)
        return (world, machine)
    }

    private func knowsItIsOffline(_ machine: Machine) async throws {
        try await machine.knowsItIsOffline()
    }

    private func start(
        _ flavour: Flavour, _ step: String, on machine: Machine, of world: World,
        input: String? = "/dev/null"
    ) throws -> ChildProcess {
        try ChildProcess(
            GooglePython.path, [Self.script, flavour.rawValue, step],
            log: "\(world.folder.path)/\(step)-errors.log", input: input,
            output: "\(world.folder.path)/\(step).log",
            environment: [
                "FIRESTORE_EMULATOR_HOST=unix:\(world.folder.path)/\(machine.name)-firestore.sock",
                "PYTHONDONTWRITEBYTECODE=1", "GOOGLE_CLOUD_DISABLE_GRPC_LOGS=1",
            ])
    }

    /// Runs a step to its end, which must be a good one.
    private func tell(
        _ flavour: Flavour, _ step: String, on machine: Machine, of world: World,
        line: SourceLocation = #_sourceLocation
    ) throws {
        let status = try start(flavour, step, on: machine, of: world).exitStatus()
        #expect(status == 0, "\(step): \(world.log("\(step)-errors"))", sourceLocation: line)
    }

    @Test(arguments: Flavour.allCases)
    func `offline, writes show at once, conditions hold, and what needs the backend says so`(
        flavour: Flavour
    ) async throws {
        let (world, machine) = try await offline(flavour)
        try tell(flavour, "writes_show", on: machine, of: world)
        try tell(flavour, "conditions_hold", on: machine, of: world)
        try tell(flavour, "unknown_is_no_absence", on: machine, of: world)
        try tell(flavour, "transactions_are_refused", on: machine, of: world)
    }

    @Test(arguments: Flavour.allCases)
    func `what was accepted outlives the daemon, and lands in its order with real times`(
        flavour: Flavour
    ) async throws {
        let (world, machine) = try await offline(flavour)
        try tell(flavour, "writes_show", on: machine, of: world)
        try tell(flavour, "chained", on: machine, of: world)
        try tell(flavour, "accept", on: machine, of: world)
        machine.killDaemon()
        try machine.startDaemon()
        try await knowsItIsOffline(machine)
        try tell(flavour, "kept", on: machine, of: world)
        try world.startEmulator()
        try tell(flavour, "landed", on: machine, of: world)
        let status = try await machine.client().daemonStatus()
        #expect(status.queueBatchCount == 0)
        #expect(status.deadLetterCount == 0)
    }

    @Test(arguments: Flavour.allCases)
    func `a change between is told of: what was written on an older state is a dead letter`(
        flavour: Flavour
    ) async throws {
        let (world, machine) = try await offline(flavour)
        try tell(flavour, "chained", on: machine, of: world)
        // Another machine changes the document at the backend before this one is back.
        machine.stopDaemon()
        try world.startEmulator()
        let other = try world.machine("other").client()
        try await other.document("rooms/b").setData(["n": 100])
        try machine.startDaemon()
        let status = try await eventually {
            try await machine.client().daemonStatus()
        } is: {
            $0.queueBatchCount == 0
        }
        #expect(status.deadLetterCount == 2)
        let b = try await other.document("rooms/b").getDocument(source: .server)
        #expect(b["n"] as? Int == 100)
    }

    @Test func `a bulk writer of a thousand is accepted offline, and lands`() async throws {
        let (world, machine) = try await offline(.sync)
        try tell(.sync, "many", on: machine, of: world)
        try world.startEmulator()
        _ = try await eventually {
            try await machine.client().daemonStatus().queueBatchCount
        } is: {
            $0 == 0
        }
        let many = try await machine.client().collection("many").count.getAggregation(
            source: .server)
        #expect(many.count == 1_000)
    }

    @Test func `a listener hears of each change once, over a restart and back to real times`()
        async throws
    {
        let (world, machine) = try await offline(.sync)
        let input = "\(world.folder.path)/listen.input"
        mkfifo(input, 0o600)
        let held = open(input, O_RDWR)  // Nobody writes; closing it ends the listener.
        defer { close(held) }
        let listener = try start(.sync, "listen", on: machine, of: world, input: input)
        func events() -> [String] {
            world.log("listen").split(separator: "\n").map(String.init)
        }
        func heard(_ event: String) async throws {
            _ = try await eventually(events) { $0.contains(event) }
        }
        try await heard("ADDED a 1 real")
        try await heard("ADDED c 2 real")
        try tell(.sync, "accept", on: machine, of: world)
        try await heard("ADDED kept 7 pending")
        let before = events().count

        machine.stopDaemon()
        try machine.startDaemon()
        try await knowsItIsOffline(machine)
        try world.startEmulator()
        try await heard("MODIFIED kept 7 real")
        #expect(events().count == before + 1, "\(events())")
        listener.terminate()
    }
}
