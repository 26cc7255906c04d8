import Hearth
import HearthTestSupport
import Testing

/// The state of a real daemon, as the daemon tells it to programs that listen.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct StateTests {
    /// What the program was sent that listens; it has no listener that operators are told of.
    private func sentByteCount(_ observer: Firestore) async throws -> Int? {
        try await observer.daemonClients().first {
            $0.process.program == "listener" && $0.listenerCount == 0
        }?.sentByteCount
    }

    @Test func `no frame is sent while nothing changes, and each change is told`() async throws {
        let world = try World()
        let machine = try world.machine()
        let observer = machine.client()
        let listener = Firestore(
            settings: FirestoreSettings(
                socketPath: machine.socketPath, programName: "listener",
                connectTimeout: .seconds(20)))
        var states = listener.states.makeAsyncIterator()
        _ = try await states.first { $0.connection == .idle }
        let before = try await eventually(
            { try await sentByteCount(observer) }, is: { $0 != nil })
        // A program that asks and one that comes and goes change nothing that a state shows.
        for _ in 0..<50 { _ = try await observer.daemonStatus() }
        let guest = machine.client()
        _ = try await guest.daemonStatus()
        try await guest.terminate()
        // But for an answer to a ping, which is smaller than any state.
        let sent = try await sentByteCount(observer)
        #expect(try #require(sent) - #require(before) < 32)

        try await observer.setDaemonNetwork(isEnabled: false)
        _ = try await states.first { $0.connection == .networkOff }
        try await observer.document("rooms/hall").setData(["n": 1], until: .accepted)
        let waiting = try await states.first { $0.waitingBatchCount == 1 }
        #expect(waiting.oldestWrittenAt != nil)
        try await observer.setDaemonNetwork(isEnabled: true)
        let drained = try await states.first { $0.waitingBatchCount == 0 }
        #expect(drained.lastError == nil)
    }

    @Test func `a command ends by itself while the daemon stands still, and says so`() async throws
    {
        let world = try World()
        let machine = try world.machine()
        _ = try await machine.client().daemonStatus()  // It is up.
        machine.setStandingStill(true)
        let commands = [
            ["status"], ["queue"], ["dead-letters"], ["metrics"], ["ledger"],
            ["backup", world.folder.path + "/backup"], ["get", "rooms/hall"],
            ["rtdb", "get", "rooms"], ["rtdb", "transaction", "rooms/seats", "--add", "1"],
            ["rtdb", "listen", "rooms"], ["rtdb", "keep", "rooms", "--for", "1h"],
            ["listen", "rooms"], ["console", "--no-browser"],
            ["wait", "--state", "live"], ["wait", "--state", "drained", "--database", "demo"],
            ["set", "rooms/hall", "seats=40", "--timeout", "10m"],
        ]
        for end in try run(commands, world, socketPath: machine.socketPath) {
            #expect(end.status == 124, "\(end.words)")
            #expect(end.complaint.contains("\(machine.socketPath) has not answered for 20 s"))
            #expect(end.complaint.contains("systemctl restart hearthd"))
        }
        machine.setStandingStill(false)
        #expect(try CommandRun(world, machine, ["queue"]).status == 0)
    }

    @Test func `a command takes no longer than it may while the daemon stands still`() async throws
    {
        let world = try World()
        let machine = try world.machine()
        _ = try await machine.client().daemonStatus()  // It is up.
        machine.setStandingStill(true)
        let commands = [
            ["wait", "--state", "live"], ["wait", "--pinned", "halls"],
            ["set", "rooms/hall", "seats=40"], ["rtdb", "set", "rooms/seats", "40"],
            ["rtdb", "transaction", "rooms/seats", "--add", "1"],
            ["get", "rooms/hall"], ["query", "rooms"], ["aggregate", "rooms"],
        ].map { $0 + ["--timeout", "1s"] }
        let begun = ContinuousClock.now
        for end in try run(commands, world, socketPath: machine.socketPath) {
            #expect(end.status == 124, "\(end.words)")
            #expect(end.complaint.contains("in the given time"), "\(end.words)")
            #expect(!end.complaint.contains("Cannot see"), "\(end.words)")
        }
        #expect(ContinuousClock.now - begun < .seconds(20))  // The daemon's silence counts later.
        machine.setStandingStill(false)
    }

    @Test func `a wait goes on for its time though the daemon stands still, and sees it go on`()
        async throws
    {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        var states = client.states.makeAsyncIterator()
        _ = try await states.first { $0.connection == .idle }
        machine.setStandingStill(true)
        let waiting = try ChildProcess(
            "hearth",
            ["wait", "--state", "live", "--timeout", "2m", "--socket", machine.socketPath],
            log: "\(world.folder.path)/wait.log", output: "\(world.folder.path)/waited.log")
        let status = try CommandRun(world, machine, ["status"])  // Ends when the wait would.
        #expect(status.status == 124)
        machine.setStandingStill(false)
        #expect(waiting.exitStatus() == 0, "\(world.log("wait"))")
    }

    @Test func `a daemon that stands still is told from one that is gone at a full socket, too`()
        async throws
    {
        let world = try World(isOnline: false)
        // One place for the look whether anybody listens, and one for the command.
        let socket = try DeafSocket(freePlaceCount: 2)
        for end in try run([["get", "rooms/hall"]], world, socketPath: socket.path) {
            #expect(end.status == 124)
            #expect(end.complaint.contains("\(socket.path) has not answered for 20 s"))
        }
    }

    /// How a command ended.
    private struct End {
        let words: [String]
        let status: Int32
        let complaint: String
    }

    /// Runs commands at the same time, each to its end.
    private func run(
        _ commands: [[String]], _ world: World, socketPath: String
    ) throws -> [End] {
        let processes = try commands.enumerated().map { number, words in
            try ChildProcess(
                "hearth", words + ["--socket", socketPath],
                log: "\(world.folder.path)/still-\(number).log",
                output: "\(world.folder.path)/still-\(number)-output.log")
        }
        return zip(commands, processes).enumerated().map { number, command in
            let status = command.1.exitStatus()
            return End(
                words: command.0, status: status, complaint: world.log("still-\(number)"))
        }
    }

    @Test func `hearth watch prints the state, and a line for each change until enough have come`()
        async throws
    {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        _ = try await client.daemonStatus()  // It is up.
        let first = try CommandRun(world, machine, ["watch", "--count", "1", "--json"])
        #expect(first.status == 0, "\(first.complaints)")
        #expect(first.output.count == 1 && first.output[0].contains(#""state":"idle""#))
        let watching = try ChildProcess(
            "hearth", ["watch", "--count", "2", "--socket", machine.socketPath],
            log: "\(world.folder.path)/watch.log", output: "\(world.folder.path)/watched.log")
        _ = try await eventually({ world.log("watched") }, is: { $0.contains("idle") })
        try await client.setDaemonNetwork(isEnabled: false)
        #expect(watching.exitStatus() == 0)
        #expect(world.log("watched").split(separator: "\n").count == 2)
        machine.stopDaemon()
        let last = try CommandRun(world, machine, ["watch", "--count", "1"])
        #expect(last.output == ["hearthd: not running"])
    }

    @Test func `hearth wait for a live daemon waits for one that starts anew and takes its time`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let client = machine.client()
        let waiting = try ChildProcess(
            "hearth",
            ["wait", "--state", "live", "--timeout", "60s", "--socket", machine.socketPath],
            log: "\(world.folder.path)/wait.log", output: "\(world.folder.path)/waited.log")
        _ = try await eventually {
            try await client.daemonClients()
        } is: {
            $0.contains { $0.process.program == "hearth" && $0.listenerCount == 1 }
        }
        var states = client.states.makeAsyncIterator()
        _ = try await states.first { $0.connection != .unreachable }
        machine.killDaemon()
        _ = try await states.first { $0.connection == .unreachable }
        try machine.startDaemon()
        try world.startEmulator()
        #expect(waiting.exitStatus() == 0, "\(world.log("wait"))")
    }

    @Test func `a daemon that stands still is not answering for hearth watch`() async throws {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        var states = client.states.makeAsyncIterator()
        _ = try await states.first { $0.connection == .idle }
        let watching = try ChildProcess(
            "hearth", ["watch", "--count", "3", "--json", "--socket", machine.socketPath],
            log: "\(world.folder.path)/watch.log", output: "\(world.folder.path)/watched.log")
        _ = try await eventually({ world.log("watched") }, is: { $0.contains("idle") })
        machine.setStandingStill(true)
        _ = try await states.first { $0.connection == .unreachable }
        _ = try await eventually({ world.log("watched") }, is: { $0.contains("not answering") })
        machine.setStandingStill(false)
        _ = try await states.first { $0.connection == .idle }
        #expect(watching.exitStatus() == 0)
        let lines = world.log("watched").split(separator: "\n")
        #expect(lines.count == 3 && lines[2].contains(#""state":"idle""#), "\(lines)")
    }

    @Test func `a restarted daemon goes on telling, and one that is gone is unreachable`()
        async throws
    {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        var states = client.states.makeAsyncIterator()
        var databases = client.daemonChanges().makeAsyncIterator()
        _ = try await states.first { $0.connection == .idle }
        _ = try await databases.first { (try? $0.get().count) == 1 }
        machine.killDaemon()
        _ = try await states.first { $0.connection == .unreachable }
        _ = try await databases.first { (try? $0.get()) == nil }
        try machine.startDaemon()
        _ = try await states.first { $0.connection == .idle }
        _ = try await databases.first { (try? $0.get().count) == 1 }
    }
}
