import Glibc
import Hearth
import HearthTestSupport
import Testing

/// The history of documents of a real daemon: over a kill, before other users, and in a full log.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct HistoryTests {
    private func machine(_ world: World, _ settings: String = "") throws -> Machine {
        chmod(world.folder.path, 0o755)
        let path = world.write("[history]\nisKept = true\n\(settings)", to: "hearthd.toml")
        return try world.machine("machine", ["--config", path])
    }

    private func steps(_ document: DocumentReference) async throws -> [DocumentVersion] {
        var versions: [DocumentVersion] = []
        for try await version in document.history() { versions.append(version) }
        return versions.reversed()
    }

    private func events(_ document: DocumentReference) async throws -> [DocumentVersion.Event] {
        try await steps(document).map(\.event)
    }

    @Test func `an operator sees who set a field and when, after a kill too`() async throws {
        let world = try World(isOnline: false)
        let machine = try machine(world)
        let hall = machine.client().document("rooms/hall")
        try await hall.setData(["seats": 40], until: .accepted)
        try await hall.updateData(["seats": 41], until: .accepted)
        // A write that was accepted, and its step, are in the intake log alone.
        machine.killDaemon()
        try machine.startDaemon()
        let again = machine.client().document("rooms/hall")
        let before = try await steps(again)
        #expect(before.map(\.event) == [.accepted, .accepted])
        #expect(before.compactMap { $0.snapshot["seats"] as? Int } == [40, 41])
        #expect(before.allSatisfy { $0.write?.writer.pid == getpid() })
        #expect(before.allSatisfy { $0.snapshot.metadata.hasPendingWrites })

        try world.startEmulator()
        try await again.firestore.waitForPendingWrites()
        let ended = try await eventually {
            try await events(again)
        } is: {
            $0.count == 4
        }
        #expect(ended == [.accepted, .accepted, .committed, .committed])
        let run = try CommandRun(
            world, machine, ["history", "rooms/hall", "--diff", "--limit", "3"])
        #expect(run.status == 0, "\(run.complaints)")
        #expect(run.output.contains { $0.contains("accepted batch 2 by") })
        #expect(run.output.contains("  ~ seats: 40 -> 41"))
        let status = try CommandRun(world, machine, ["status"])
        #expect(status.output.contains { $0.hasPrefix("history   4 steps, ") })
        machine.killDaemon()
        try machine.startDaemon()
        #expect(try await events(machine.client().document("rooms/hall")) == ended)
    }

    @Test func `a fork takes the history along, beside the documents`() async throws {
        let world = try World(isOnline: false)
        let machine = try machine(world)
        let hall = machine.client().document("rooms/hall")
        for seats in 1...3 { try await hall.setData(["seats": seats], until: .accepted) }
        let folder = "\(world.folder.path)/fork"
        let made = try CommandRun(world, machine, ["fork", folder])
        #expect(made.status == 0, "\(made.complaints)")
        #expect(made.output.first?.contains("3 steps of history in history.ndjson") == true)
        let file = try #require(fopen("\(folder)/history.ndjson", "re"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 3)
        for (place, line) in lines.enumerated() {
            #expect(line.hasPrefix(#"{"number":\#(place + 1),"notedAt":""#))
            #expect(line.contains(#""event":"accepted","path":"rooms/hall","state":"found""#))
            #expect(line.contains(#""seats":{"integerValue":"\#(place + 1)"}"#))
            #expect(line.contains(#""pid":\#(getpid())"#))
        }
    }

    @Test func `a reader at a time sees what programs saw then`() async throws {
        let world = try World()
        let machine = try machine(world)
        let (hall, other) = (
            machine.client().document("rooms/hall"), machine.client().document("rooms/other")
        )
        for seats in 1...3 { try await hall.setData(["seats": seats], until: .committed) }
        try await hall.delete()
        let steps = try await steps(hall)
        let first = try #require(steps.first)
        #expect(try await hall.getDocument(at: first.notedAt)["seats"] as? Int == 1)
        let third = try #require(steps.last { $0.event == .accepted && $0.snapshot.exists })
        #expect(try await hall.getDocument(at: third.notedAt)["seats"] as? Int == 3)
        #expect(try await hall.getDocument(at: Timestamp()).exists == false)
        let early = Timestamp(seconds: first.notedAt.seconds - 60, nanoseconds: 0)
        for (document, time) in [(hall, early), (other, Timestamp())] {
            let error = await #expect(throws: FirestoreError.self) {
                try await document.getDocument(at: time)
            }
            #expect(error?.code == .notFound)
        }
        let run = try CommandRun(
            world, machine,
            ["history", "rooms/hall", "--at", third.notedAt.description, "--json"])
        #expect(run.output.first?.contains(#""fields":{"seats":3}"#) == true)
        let none = try CommandRun(world, machine, ["history", "rooms/other", "--at", "1s"])
        #expect(none.status == 1)
    }

    @Test func `the history is pruned by size while a program writes on, and by a reload`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try machine(world, "byteCountMax = 1048576\n")
        let client = machine.client()
        let text = String(repeating: "x", count: 20_000)
        for number in 1...120 {
            try await client.document("logs/\(number)").setData(
                ["text": text, "n": number], until: .accepted)
        }
        let status = try await client.daemonStatus()
        #expect((1...1_048_576).contains(status.historyByteCount))
        #expect((30...60).contains(status.historyEntryCount))
        #expect(try await events(client.document("logs/1")).isEmpty)
        #expect(try await events(client.document("logs/120")) == [.accepted])
        _ = world.write("[history]\nisKept = false\nstepSecondsMax = 1\n", to: "hearthd.toml")
        #expect(try CommandRun(world, machine, ["reload", "--wait"]).status == 0)
        try await client.document("logs/1").setData(["n": 1], until: .accepted)
        let count = try await eventually {
            try await client.daemonStatus().historyEntryCount
        } is: {
            $0 == 1
        }
        #expect(count == 1)  // The newest step stays.
    }

    @Test(.enabled(if: OtherUser.isPossible))
    func `who may not read a document may not read its history`() async throws {
        let world = try World(isOnline: false)
        let machine = try machine(
            world,
            """
            [sockets]
            clientMode = "0666"
            [access]
            till = "allow uid 60001 read below shops/1"
            """)
        let client = machine.client()
        for path in ["shops/1", "shops/2"] {
            try await client.document(path).setData(["n": 1], until: .accepted)
        }
        func till(_ path: String) throws -> CommandRun {
            try CommandRun(
                world, machine, ["history", path, "--json"],
                launcher: OtherUser.launcher(uid: 60_001))
        }
        let own = try till("shops/1")
        #expect(own.status == 0)
        #expect(own.output.first?.contains(#""event":"accepted""#) == true)
        let other = try till("shops/2")
        #expect(other.status == 4)
        #expect(other.output.isEmpty)
    }
}
