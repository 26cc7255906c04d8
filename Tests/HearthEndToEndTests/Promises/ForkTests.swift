import Glibc
import Hearth
import HearthTestSupport
import Testing

/// Cache and queue of a running daemon as a folder of the emulator: `hearth fork`.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ForkTests {
    private let world: World
    private let machine: Machine
    /// The documents as the backend had them, in lines of `hearth export`.
    private let told: [String]

    /// A machine with documents in its cache and, its backend gone, writes in its queue.
    init() async throws {
        world = try World()
        machine = try world.machine()
        let setup = [
            ["rooms/hall", "seats=80", "tags=[1,2.5,null]", "door={\"open\":true}"],
            ["rooms/attic", "seats=3"],
            ["rooms/attic/lamps/7", "on=true"],
            ["rooms/old", "seats=1"],
        ]
        for arguments in setup {
            let run = try CommandRun(
                world, machine, ["set"] + arguments + ["--until", "committed", "--timeout", "60s"])
            #expect(run.status == 0, "\(run.complaints)")
        }
        let read = try CommandRun(world, machine, ["export", "--source", "server"])
        #expect(read.status == 0, "\(read.complaints)")
        told = read.output
        world.killEmulator()
        let client = machine.client()
        try await client.document("rooms/hall").setData(
            ["seats": FieldValue.increment(Int64(5))], merge: true, until: .accepted)
        try await client.document("rooms/new").setData(["seats": 7], until: .accepted)
        try await client.document("rooms/old").delete(until: .accepted)
        try await client.document("times/now").setData(
            ["at": FieldValue.serverTimestamp()], until: .accepted)
    }

    private func path(_ name: String) -> String { "\(world.folder.path)/\(name)" }

    private func fork(_ name: String, _ arguments: String...) throws -> CommandRun {
        try CommandRun(world, machine, ["fork", path(name)] + arguments)
    }

    /// What another machine reads of an emulator that serves a folder.
    private func served(_ name: String, _ collections: String...) async throws -> [String] {
        let address = "unix:\(path(name)).sock"
        unlink("\(path(name)).log")  // An emulator of this folder may have run before.
        let emulator = try ChildProcess(
            "hearthd", ["emulate", "--firestore", address, "--data", path(name)],
            log: "\(path(name)).log")
        defer { emulator.kill9() }
        // The socket is there a moment before the emulator takes connections.
        _ = try await eventually({ world.log(name) }) { $0.contains("emulator ready") }
        let other = World(reaching: address)
        let reader = try other.machine("reader")
        defer { reader.stopDaemon() }
        let run = try CommandRun(
            other, reader, ["export", "--source", "server"] + collections)
        #expect(run.status == 0, "\(run.complaints) \(world.log(name))")
        return run.output
    }

    private func names(in folder: String) -> Set<String> {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: Set<String> = []
        while let entry = readdir(stream) {
            names.insert(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.subtracting([".", ".."])
    }

    @Test func `a fork has the documents as the backend told them, and the queue beside`()
        async throws
    {
        let made = try fork("plain", "--json")
        #expect(made.status == 0, "\(made.complaints)")
        #expect(
            made.output == [
                #"{"database":"projects/demo/databases/(default)","documents":4,"unknown":0,"#
                    + #""batches":4,"steps":0,"trees":0,"treeWrites":0,"treesLeftOut":0}"#
            ])
        #expect(names(in: path("plain")) == ["firestore.sqlite", "queue.ndjson"])
        var status = stat()
        #expect(stat(path("plain"), &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(names(in: world.folder.path).allSatisfy { !$0.hasPrefix("plain.") })

        let lines = try text(path("plain/queue.ndjson")).split(separator: "\n").map(String.init)
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix(#"{"batch":5,"state":"queued","writtenAt":""#))
        #expect(lines[0].contains(#""increment":{"integerValue":"5"}"#))
        #expect(lines[1].contains(#""fields":{"seats":{"integerValue":"7"}}"#))
        #expect(
            lines[2].contains(#""delete":"projects/demo/databases/(default)/documents/rooms/old"#))
        #expect(lines[3].contains(#""setToServerValue":"REQUEST_TIME""#))
        // The daemon has gone on, and its queue waits as before.
        #expect(try await machine.client().pendingBatches().batches.count == 4)

        #expect(Set(try await served("plain", "rooms", "rooms/attic/lamps")) == Set(told))
    }

    @Test func `with the queue a fork has the documents as local programs see them`() async throws {
        let local = try CommandRun(
            world, machine, ["export", "rooms", "--source", "cache"])
        #expect(local.status == 0 && local.output.count == 4)
        #expect(local.output.contains { $0.contains(#""seats":85"#) })
        mkdir(path("applied"), 0o755)  // An empty folder gives way.
        let made = try fork("applied/", "--with-queue")
        #expect(made.status == 0, "\(made.complaints)")
        #expect(made.output.first?.contains("5 documents, 4 waiting batches") == true)
        #expect(
            Set(try await served("applied", "rooms", "rooms/attic/lamps")) == Set(local.output))
        let times = try await served("applied", "times")
        #expect(times.count == 1 && times[0].contains(#""at":{"$timestamp":"20"#))
    }

    @Test func `a folder that is not empty is refused, and nothing is left`() throws {
        mkdir(path("full"), 0o755)
        _ = world.write("mine", to: "full/file")
        let before = names(in: world.folder.path)
        let refused = try fork("full")
        #expect(refused.status == 64)
        #expect(refused.complaints.joined().contains("is not empty"))
        #expect(names(in: path("full")) == ["file"])
        let left = names(in: world.folder.path).subtracting(before)
        #expect(left.allSatisfy { $0.hasPrefix("command-") }, "\(left)")
    }

    @Test func `what a killed run left beside the folder goes, and a running one's stays`() throws {
        for name in ["again.part-killed", "again.part-atwork", "again.part-different"] {
            mkdir(path(name), 0o700)
            _ = world.write("copied", to: "\(name)/copy")
        }
        let other = open(path("again.part-atwork"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(other) }
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        #expect(try fork("again").status == 0)
        let left = names(in: world.folder.path).filter { $0.hasPrefix("again.") }
        #expect(left == ["again.part-atwork", "again.part-different"])
    }

    @Test(.enabled(if: OtherUser.isPossible))
    func `who may not read everything gets no folder`() throws {
        chmod(world.folder.path, 0o755)
        mkdir(path("theirs"), 0o755)
        chown(path("theirs"), 60_001, 60_001)
        let open = try world.machine("open", ["--sockets.clientMode", "0666"])
        let refused = try CommandRun(
            world, open, ["fork", path("theirs/fork")],
            launcher: OtherUser.launcher(uid: 60_001, gid: 60_001))
        #expect(refused.status == 4, "\(refused.complaints)")
        #expect(refused.complaints.joined().contains("administer"))
        #expect(names(in: path("theirs")).isEmpty)
    }

    private func text(_ path: String) throws -> String {
        let file = try #require(fopen(path, "re"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    }
}
