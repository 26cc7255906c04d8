import Hearth
import HearthTestSupport
import Testing

/// What waits, seen and steered: by `hearth queue` and `hearth dead-letters` before a real daemon.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct QueueSteeringTests {
    private let world: World
    private let machine: Machine
    private let client: Firestore

    init() throws {
        world = try World(isOnline: false)
        machine = try world.machine()
        client = machine.client()
    }

    private func hearth(_ arguments: String..., input: String = "") throws -> CommandRun {
        try CommandRun(world, machine, arguments, input: input)
    }

    private func write(_ path: String, _ number: Int) async throws -> WriteReceipt {
        try await client.document(path).setData(["n": number], until: .accepted)
    }

    private func onServer(_ path: String) async throws -> Int? {
        // A listener may be waiting to try the backend again.
        let document = try await eventually {
            try? await client.document(path).getDocument(source: .server)
        } is: {
            $0 != nil
        }
        return document?["n"] as? Int
    }

    @Test func `a held batch waits over a restart with all behind it, and is seen to`() async throws
    {
        for number in 1...3 { _ = try await write("rooms/\(number)", number) }
        #expect(
            try hearth("queue", "hold", "2", "--json").output == [
                #"{"batch":2,"state":"held"}"#
            ])
        machine.killDaemon()
        try machine.startDaemon()
        try world.startEmulator()
        _ = try await eventually {
            try await client.pendingBatches().batches.map(\.id)
        } is: {
            $0 == [2, 3]
        }
        let listed = try await client.pendingBatches().batches
        #expect(listed.map(\.state) == [.held, .queued])
        #expect(listed.map(\.heldBy) == [nil, 2])
        #expect(listed.allSatisfy { $0.byteCount > 0 && $0.writer.pid > 0 })
        #expect(try hearth("queue").output[2].hasPrefix("    3  queued       2  "))
        #expect(try hearth("queue", "release", "2").output == ["released 2"])
        try await client.waitForPendingWrites()
        #expect(try await onServer("rooms/3") == 3)
    }

    @Test func `the queue shows on what terms a write waits, over a restart too`() async throws {
        #expect(
            try hearth("set", "rooms/new", "n=1", "--expires", "1h", "--if-missing").status == 0)
        _ = try await write("rooms/hall", 2)
        machine.killDaemon()
        try machine.startDaemon()
        _ = try await client.daemonStatus()
        let rows = try hearth("queue").output
        #expect(rows.count == 3)
        #expect(rows[1].contains("  expires in ") && rows[1].contains(", if is missing  rooms/new"))
        #expect(rows[2].contains("  -  ") && rows[2].hasSuffix("  rooms/hall"))
        let batches = try await client.pendingBatches().batches
        let expiresAt = try #require(batches.first?.expiresAt)
        #expect(expiresAt.seconds > Timestamp().seconds + 3_000)
        #expect(
            batches[0].preconditions.map(\.documentPath) == ["rooms/new"]
                && batches[0].preconditions.map(\.demand) == [.exists(false)])
        #expect(batches[1].expiresAt == nil && batches[1].preconditions.isEmpty)
        let lines = try hearth("queue", "--format", "ndjson").output
        #expect(lines.count == 2)
        #expect(lines[0].contains(#""expiresAt":"\#(expiresAt)""#))
        let array = try hearth("queue", "--format", "json").output
        #expect(array.first == "[" && array.last == "]" && array.count == 4)
    }

    @Test func `a cancelled write is undone, its writer told, and it can be queued anew`()
        async throws
    {
        let receipt = try await write("rooms/hall", 1)
        _ = try await write("rooms/attic", 2)
        var halls = client.document("rooms/hall").snapshots.makeAsyncIterator()
        _ = try await halls.first { $0.exists }
        #expect(try hearth("queue", "cancel", "1", "7").status == 1)
        #expect(try await client.pendingBatches().batches.count == 2)
        #expect(try hearth("queue", "cancel", "1").output == ["cancelled 1"])
        _ = try await halls.first { !$0.exists }
        do {
            _ = try await receipt.committed()
            Issue.record("A cancelled write is committed")
        } catch let error as FirestoreError {
            #expect(error.code == .cancelled)
            #expect(error.message.contains("administrator"))
        }
        let letter = try #require(try hearth("dead-letters", "export").output.first)
        #expect(letter.contains(#""code":1,"#))
        #expect(letter.contains(#""writes":[{"set":"rooms/hall","fields":{"n":1}}]"#))
        #expect(try hearth("dead-letters", "retry", "1").output == ["queued 1 as 3"])
        #expect(try hearth("dead-letters").output.isEmpty)
        try world.startEmulator()
        try await client.waitForPendingWrites()
        #expect(try await onServer("rooms/hall") == 1)
    }

    @Test func `a dead letter is mended and sent`() async throws {
        _ = try await write("rooms/hall", 1)
        #expect(try hearth("queue", "cancel", "1").output == ["cancelled 1"])
        let shown = try #require(try hearth("dead-letters", "show", "1", "--json").output.first)
        #expect(shown.contains(#""fields":{"n":1}"#))
        let mended = shown.split(separator: #""fields":{"n":1}"#)
            .joined(separator: #""fields":{"n":5}"#)
        #expect(try hearth("dead-letters", "edit", "1", input: "[]").status == 1)
        #expect(
            try hearth("dead-letters", "edit", "1", input: mended).output == ["queued 1 as 2"])
        #expect(try hearth("dead-letters").output.isEmpty)
        try world.startEmulator()
        #expect(try hearth("wait", "--state", "drained").output == ["drained"])
        #expect(try await onServer("rooms/hall") == 5)
    }

    @Test func `a dropped write leaves nothing behind, and asks first`() async throws {
        _ = try await write("rooms/hall", 1)
        #expect(try hearth("queue", "drop", "1").status == 64)
        #expect(try hearth("queue", "drop", "1", "--yes").status == 0)
        #expect(try hearth("dead-letters", "--json").output.isEmpty)
        #expect(try hearth("queue", "show", "1").status == 1)
        let rooms = try await client.collection("rooms").getDocuments(source: .cache)
        #expect(rooms.isEmpty)
    }

    @Test func `what show prints, edit reads; the edited write is what is sent`() async throws {
        try await client.document("rooms/hall").setData(
            ["n": 1, "seen": FieldValue.serverTimestamp(), "odd": ["x.y": 1.5]], until: .accepted)
        try await client.document("rooms/hall").updateData(
            ["n": FieldValue.increment(Int64(2)), "odd": FieldValue.delete()], until: .accepted)
        let shown = try #require(try hearth("queue", "show", "1", "--json").output.first)
        #expect(shown.contains(#""orders":{"seen":{"$serverTimestamp":true}}"#))
        #expect(try hearth("queue", "edit", "1", input: shown).output == ["edited 1"])
        #expect(
            try hearth("queue", "show", "1", "--json").output.first?.contains(
                #""fields":{"n":1,"odd":{"x.y":1.5}}"#) == true)
        let changed = try #require(try hearth("queue", "show", "2", "--json").output.first)
        #expect(
            changed.contains(
                #"{"change":"rooms/hall","fields":{"odd":{"$delete":true}},"#
                    + #""orders":{"n":{"$increment":2}},"exists":true}"#))
        let edited = #"[{"set":"rooms/hall","fields":{"n":40}},{"delete":"rooms/attic"}]"#
        #expect(try hearth("queue", "edit", "1", input: edited).status == 0)
        let hall = try await client.document("rooms/hall").getDocument(source: .cache)
        #expect(hall["n"] as? Int == 42)
        #expect(hall.metadata.hasPendingWrites)
        #expect(try hearth("queue", "edit", "1", input: "[{}]").status == 64)
        #expect(try hearth("queue", "edit", "1", input: "[]").status == 1)
        try world.startEmulator()
        try await client.waitForPendingWrites()
        #expect(try await onServer("rooms/hall") == 42)
    }

    @Test func `a full queue refuses and says which limit; what waits already stays`() async throws
    {
        let small = try world.machine("small", ["--queue.uidBatchCountMax", "2"])
        let client = small.client()
        for number in 1...2 {
            try await client.document("rooms/\(number)").setData(["n": number], until: .accepted)
        }
        do {
            try await client.document("rooms/3").setData(["n": 3], until: .accepted)
            Issue.record("The limit did not hold")
        } catch let error as FirestoreError {
            #expect(error.code == .resourceExhausted)
            #expect(error.message.contains("queue.uidBatchCountMax = 2 batches"))
        }
        let refused = try CommandRun(world, small, ["set", "rooms/3", "n=3"])
        #expect(refused.status == 10)
        try world.startEmulator()
        try await client.waitForPendingWrites()
        try await client.document("rooms/3").setData(["n": 3])
        #expect(try await client.pendingBatches().batches.isEmpty)
    }
}
