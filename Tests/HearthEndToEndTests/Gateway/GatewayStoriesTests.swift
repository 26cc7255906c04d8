import Foundation
import Hearth
import HearthTestSupport
import Testing

/// What programs with Google's own clients meet while their machine is offline.
///
/// The steps of the stories, and what they expect, are in offline_stories.py and offline_stories.go.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct GatewayStoriesTests {
    /// Which of Google's clients tells the story: one of the two Python clients, or the Go client.
    enum Flavour: String, CaseIterable {
        case sync, async, go

        /// Those that are installed here.
        static let installed: [Flavour] =
            (GooglePython.isInstalled ? [.sync, .async] : [])
            + (GoStories.program == nil ? [] : [.go])

        /// Those that are installed here and can listen, as the asynchronous Python client cannot.
        static let listening = installed.filter { $0 != .async }

        /// What is started for a step.
        fileprivate func line(of step: String) -> [String] {
            switch self {
            case .sync, .async: [GooglePython.path, GoStories.script("py"), rawValue, step]
            case .go: [GoStories.program ?? "/nowhere", step]
            }
        }
    }

    /// A machine that is known to reach its backend.
    private func online(_ flags: [String] = []) async throws -> (World, Machine) {
        let world = try World()
        let machine = try world.machine("machine", flags)
        // The daemon may have started before its backend, and then learns of the backend only now.
        _ = try await eventually {
            try? await machine.client().collection("nothing").getDocuments(source: .server)
        } is: {
            $0 != nil
        }
        return (world, machine)
    }

    /// A machine whose program has read the stories' documents, and whose backend is then gone.
    private func offline(
        _ flavour: Flavour, _ flags: [String] = []
    ) async throws -> (World, Machine) {
        let (world, machine) = try await online(flags)
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
        let line = flavour.line(of: step)
        return try ChildProcess(
            line[0], Array(line.dropFirst()),
            log: "\(world.folder.path)/\(step)-errors.log", input: input,
            output: "\(world.folder.path)/\(step).log",
            environment: [
                "FIRESTORE_EMULATOR_HOST=unix:\(world.folder.path)/\(machine.name)-firestore.sock",
                "PYTHONDONTWRITEBYTECODE=1", "GOOGLE_CLOUD_DISABLE_GRPC_LOGS=1",
            ])
    }

    /// Runs a step to its end; the step must succeed.
    private func tell(
        _ flavour: Flavour, _ step: String, on machine: Machine, of world: World,
        line: SourceLocation = #_sourceLocation
    ) throws {
        let status = try start(flavour, step, on: machine, of: world).exitStatus()
        #expect(status == 0, "\(step): \(world.log("\(step)-errors"))", sourceLocation: line)
    }

    /// A program that listens to rooms, and tells each event, until the test ends.
    private final class Listener {
        private let process: ChildProcess
        private let held: Int32
        private let world: World

        init(_ stories: GatewayStoriesTests, _ flavour: Flavour, _ machine: Machine, _ world: World)
            throws
        {
            self.world = world
            let input = "\(world.folder.path)/listen.input"
            mkfifo(input, 0o600)
            held = open(input, O_RDWR)  // Nobody writes; closing it ends the listener.
            process = try stories.start(flavour, "listen", on: machine, of: world, input: input)
        }

        deinit {
            process.terminate()
            close(held)
        }

        var events: [String] { world.log("listen").split(separator: "\n").map(String.init) }

        func heard(_ event: String) async throws {
            _ = try await eventually({ events }) { $0.contains(event) }
        }
    }

    @Test(.enabled(if: GooglePython.isInstalled, "\(GooglePython.absence)"))
    func `online, a listener sees the whole of each batch of sets and deletes`() async throws {
        let (world, machine) = try await online()
        try tell(.sync, "whole_batches", on: machine, of: world)
    }

    @Test(arguments: Flavour.installed)
    func `offline, writes show at once, conditions hold, and what needs the backend says so`(
        flavour: Flavour
    ) async throws {
        let (world, machine) = try await offline(flavour)
        let other = Flavour.listening.contains(flavour) ? flavour : .sync
        let listener = try Listener(self, other, machine, world)
        try await listener.heard("ADDED c 2 real")
        try tell(flavour, "writes_show", on: machine, of: world)
        _ = try await eventually({ listener.events }) { events in
            events.contains { $0.hasSuffix("d 5 pending") }
        }
        try tell(flavour, "conditions_hold", on: machine, of: world)
        try tell(flavour, "unknown_is_no_absence", on: machine, of: world)
        try tell(flavour, "transactions_are_refused", on: machine, of: world)
    }

    @Test(arguments: Flavour.installed)
    func `what was accepted outlives the daemon, and lands in its order with real times`(
        flavour: Flavour
    ) async throws {
        let (world, machine) = try await offline(flavour)
        try tell(flavour, "writes_show", on: machine, of: world)
        try tell(flavour, "chained", on: machine, of: world)
        try tell(flavour, "pending_twice", on: machine, of: world)
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
        let twice = try await machine.client().document("rooms/twice").getDocument(source: .server)
        #expect(twice["n"] as? Int == 21)
    }

    @Test(arguments: Flavour.installed)
    func `a change between two changes of a pending document makes the later a dead letter`(
        flavour: Flavour
    ) async throws {
        let (world, machine) = try await offline(flavour)
        try tell(flavour, "pending_twice", on: machine, of: world)
        try await world.changeBetween(machine)
    }

    @Test(arguments: Flavour.installed)
    func `a full queue refuses at once, and no client tries again`(flavour: Flavour) async throws {
        let (world, machine) = try await offline(flavour, ["--queue.uidBatchCountMax", "1"])
        try tell(flavour, "full_queue_refuses", on: machine, of: world)
    }

    @Test(arguments: Flavour.installed)
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

    @Test(arguments: Flavour.installed)
    func `a thousand writes at once are accepted offline, outlive the daemon, and land`(
        flavour: Flavour
    ) async throws {
        let (world, machine) = try await offline(flavour)
        try tell(flavour, "many", on: machine, of: world)
        machine.killDaemon()
        try machine.startDaemon()
        let status = try await machine.client().daemonStatus()
        #expect(status.queueBatchCount == 1_000)
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

    /// How a daemon ends under an open listener.
    enum End: CaseIterable { case stop, kill }

    @Test(arguments: Flavour.listening, End.allCases)
    func `a listener hears of each change once, over a restart and back to real times`(
        flavour: Flavour, end: End
    ) async throws {
        let (world, machine) = try await offline(flavour)
        let listener = try Listener(self, flavour, machine, world)
        try await listener.heard("ADDED a 1 real")
        try await listener.heard("ADDED c 2 real")
        try tell(flavour, "accept", on: machine, of: world)
        try await listener.heard("ADDED kept 7 pending")
        let before = listener.events.count

        switch end {
        case .stop: machine.stopDaemon()
        case .kill: machine.killDaemon()
        }
        try machine.startDaemon()
        try await knowsItIsOffline(machine)
        try world.startEmulator()
        try await listener.heard("MODIFIED kept 7 real")
        #expect(listener.events.count == before + 1, "\(listener.events)")
    }

    @Test(arguments: Flavour.listening)
    func `a listener to one document is shown each state, pending and real, and the end`(
        flavour: Flavour
    ) async throws {
        let (world, machine) = try await offline(flavour)
        let listener = try start(flavour, "listen_one", on: machine, of: world)
        func shows(_ states: String...) async throws {
            _ = try await eventually {
                world.log("listen_one").split(separator: "\n").map(String.init)
            } is: {
                $0 == states
            }
        }
        try await shows("a 1 real")
        let document = machine.client().document("rooms/a")
        try await document.updateData(["n": 2], until: .accepted)
        try await shows("a 1 real", "a 2 pending")
        try world.startEmulator()
        try await shows("a 1 real", "a 2 pending", "a 2 real")
        try await document.delete()
        try await shows("a 1 real", "a 2 pending", "a 2 real", "gone")
        #expect(listener.exitStatus() == 0, "\(world.log("listen_one-errors"))")
    }
}

/// The stories' programs: the script for the Python clients, and the Go program, built when it is
/// first wanted.
private enum GoStories {
    /// Beside the tests, so that the next run finds the compiler's output.
    private static let folder = (try? ChildProcess.buildFolder()) ?? "/tmp"
    private static let environment = [
        "PATH=/usr/local/bin:/usr/bin:/bin", "GOPATH=/usr/share/gocode", "GO111MODULE=off",
        "GOCACHE=\(folder)/go-cache",
    ]

    /// The file of the stories in a language.
    static func script(_ language: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "offline_stories.\(language)").path
    }

    /// The path of the Go program; `nil` where Go or Google's client for it is not installed.
    static let program: String? = {
        guard run("go list cloud.google.com/go/firestore") == 0 else {
            print("SKIPPED: Google's client for Go is not installed")
            return nil
        }
        let path = "\(folder)/go-offline-stories"
        // A process here has a minute; the compiler goes on from what it has made in the last.
        let isBuilt = (1...10).contains { _ in run("go build -o \(path) \(script("go"))") == 0 }
        precondition(isBuilt, "the Go stories do not compile; see \(folder)/go.log")
        return path
    }()

    private static func run(_ command: String) -> Int32? {
        try? ChildProcess(
            "/bin/bash", ["-c", command], log: "\(folder)/go.log",
            output: "\(folder)/go.out", environment: environment
        ).exitStatus()
    }
}
