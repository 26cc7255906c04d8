import Glibc
import Hearth
import HearthTestSupport
import Testing

/// Cache and queue that are taken along in a file: `hearth backup`, `hearth restore`.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct BackupTests {
    private static let marks = ["--queue.exactlyOnce", "hearth/marks/batches"]

    private func hearth(
        _ world: World, _ machine: Machine, _ arguments: String...
    ) throws -> CommandRun {
        try CommandRun(world, machine, arguments)
    }

    private func restore(
        _ world: World, _ file: String, to name: String, _ arguments: String...
    ) throws -> (status: Int32, said: String) {
        mkdir("\(world.folder.path)/\(name)", 0o700)  // Whose it is decides whose the stores are.
        let process = try ChildProcess(
            "hearth", ["restore", file, "--folder", "\(world.folder.path)/\(name)"] + arguments,
            log: "\(world.folder.path)/restore.log", output: "\(world.folder.path)/restore.log")
        return (process.exitStatus(), world.log("restore"))
    }

    private func increment(_ client: Firestore, _ path: String) async throws {
        try await client.document(path).setData(
            ["n": FieldValue.increment(Int64(1))], merge: true, until: .accepted)
    }

    private func onServer(_ client: Firestore, _ path: String) async throws -> Int? {
        let document = try await eventually {
            try? await client.document(path).getDocument(source: .server)
        } is: {
            $0 != nil
        }
        return document?["n"] as? Int
    }

    @Test(arguments: [[], marks])
    func `a queue that is restored on another machine sends nothing twice`(flags: [String])
        async throws
    {
        let world = try World(isOnline: false)
        let flags = flags + ["--realtime.emulator", world.emulatorAddress]
        let first = try world.machine("first", flags)
        for _ in 1...3 {
            try await increment(first.client(), "logs/sum")
            #expect(try hearth(world, first, "rtdb", "set", "sum", "increment(1)").status == 0)
        }
        let file = "\(world.folder.path)/saved"
        let made = try hearth(world, first, "backup", file, "--json")
        #expect(made.status == 0)
        #expect(made.output.first?.contains(#""databases":["projects/"#) == true)
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)

        // The first machine goes on, and sends what is in the backup, and more under the next numbers.
        try world.startEmulator()
        try await increment(first.client(), "logs/sum")
        #expect(try hearth(world, first, "rtdb", "set", "sum", "increment(1)").status == 0)
        for _ in 1...2 {
            let drained = try hearth(
                world, first, "wait", "--state", "drained", "--timeout", "60s")
            #expect(drained.status == 0)
        }
        #expect(try await onServer(first.client(), "logs/sum") == 4)

        let (code, said) = try restore(world, file, to: "second")
        #expect(code == 0, "\(said)")
        #expect(said.contains("3 batches are held"))
        let second = try world.machine("second", flags)
        let client = second.client()
        try await increment(client, "logs/own")
        #expect(try hearth(world, second, "rtdb", "set", "own", "increment(1)").status == 0)
        let states = try await client.pendingBatches().batches.map(\.state)
        #expect(states == [.held, .held, .held, .queued])
        #expect(world.log("second").contains("stores restored from a backup"))
        // The second machine would show the held writes on top.
        #expect(try await onServer(first.client(), "logs/sum") == 4)

        // The administrator decides; then the second machine's own writes go, once.
        #expect(try hearth(world, second, "queue", "drop", "1-3", "--yes").status == 0)
        let instance = try #require(
            try await Database(settings: DatabaseSettings(socketPath: second.socketPath))
                .daemonStatus().instanceURL)
        let dropped = try hearth(
            world, second, "queue", "drop", "1-3", "--yes", "--instance", instance)
        #expect(dropped.status == 0, "\(dropped.complaints)")
        #expect(
            try hearth(world, second, "wait", "--state", "drained", "--timeout", "60s").status == 0)
        #expect(try await onServer(client, "logs/own") == 1)
        #expect(try await onServer(client, "logs/sum") == 4)
        #expect(try hearth(world, second, "rtdb", "get", "sum").output == ["4"])
        #expect(try hearth(world, second, "rtdb", "get", "own").output == ["1"])
    }

    @Test func `a running daemon, unsent writes and a damaged file are told and change nothing`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        try await increment(machine.client(), "logs/sum")
        let file = "\(world.folder.path)/saved"
        #expect(try hearth(world, machine, "backup", file).status == 0)
        let running = try restore(world, file, to: "machine")
        #expect(running.status == 1 && running.said.contains("stop the daemon"))
        machine.stopDaemon()
        let unsent = try restore(world, file, to: "machine")
        #expect(unsent.status == 1 && unsent.said.contains("1 unsent writes"))
        truncate(file, 1_000)
        let damaged = try restore(world, file, to: "machine", "--replace")
        #expect(damaged.status == 1 && damaged.said.contains("damaged"))
        try machine.startDaemon()
        #expect(try await machine.client().pendingBatches().batches.count == 1)
    }

    @Test func `a program that lives through a restore writes nothing twice, and is told in doubt`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let client = machine.client()
        func write(_ path: String, asBatch count: Int) async throws -> Task<Void, any Error> {
            let task = Task {
                _ = try await client.document(path).setData(
                    ["n": FieldValue.increment(Int64(1))], merge: true)
            }
            _ = try await eventually {
                try await client.pendingBatches().batches.count
            } is: {
                $0 == count
            }
            return task
        }
        let known = try await write("logs/known", asBatch: 1)
        let file = "\(world.folder.path)/saved"
        #expect(try hearth(world, machine, "backup", file).status == 0)
        let unknown = try await write("logs/unknown", asBatch: 2)

        // The daemon may have sent it before the restore; the restored store has never seen it.
        machine.stopDaemon()
        let (code, said) = try restore(world, file, to: "machine", "--replace")
        #expect(code == 0, "\(said)")
        try machine.startDaemon()
        let error = await #expect(throws: FirestoreError.self) { try await unknown.value }
        #expect(error?.mayHaveBeenApplied == true)
        #expect(error?.message.contains("restored from a backup") == true)
        #expect(try await client.pendingBatches().batches.map(\.state) == [.held])

        // What the backup has goes on, and so does the program.
        try world.startEmulator()
        #expect(try hearth(world, machine, "queue", "release", "1").status == 0)
        try await known.value
        try await client.document("logs/new").setData(["n": FieldValue.increment(Int64(1))])
        #expect(try await onServer(client, "logs/known") == 1)
        #expect(try await onServer(client, "logs/new") == 1)
        #expect(
            try await client.document("logs/unknown").getDocument(source: .server).exists == false)
    }

    /// Runs a command and kills the command after a part of the time that the command takes.
    private func kill(_ arguments: [String], after time: Duration, in world: World) throws {
        let process = try ChildProcess(
            "hearth", arguments, log: "\(world.folder.path)/killed.log",
            output: "\(world.folder.path)/killed.log")
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end { sched_yield() }
        process.kill9()
    }

    @Test func `kill -9 amid a restore leaves old or new stores, and amid a backup no half file`()
        async throws
    {
        let world = try World()
        var files: [String] = []
        for name in ["a", "b"] {
            let machine = try world.machine(name)
            // What the cache holds tells the two from each other.
            try await machine.client().document("which/\(name)").setData(["n": 1])
            _ = try await machine.client().document("which/\(name)").getDocument(source: .server)
            files.append("\(world.folder.path)/saved-\(name)")
            #expect(try hearth(world, machine, "backup", files[files.count - 1]).status == 0)
            machine.stopDaemon()
        }
        world.killEmulator()
        #expect(try restore(world, files[0], to: "target").status == 0)
        var names: [String] = []
        for round in 0..<12 {
            let arguments = ["restore", files[(round + 1) % 2], "--folder"]
            let folder = "\(world.folder.path)/target"
            try kill(
                arguments + [folder, "--replace"], after: .milliseconds(10 + 15 * round),
                in: world)
            let target = try world.machine("target")
            let client = target.client()
            var found: [String] = []
            for name in ["a", "b"]
            where (try? await client.document("which/\(name)").getDocument(source: .cache))?.exists
                == true
            {
                found.append(name)
            }
            #expect(found.count == 1, "round \(round): \(found)")
            names += found
            let file = "\(world.folder.path)/killed-backup"
            try kill(
                ["backup", file, "--socket", target.socketPath],
                after: .milliseconds(5 + 8 * round), in: world)
            if access(file, F_OK) == 0 {
                #expect(try restore(world, file, to: "nowhere", "--check").status == 0)
            }
            #expect(target.stopDaemon() == 0)
        }
        #expect(names.count == 12)
    }
}
