import Hearth
import HearthTestSupport
import Testing

/// The guarantees for several programs that share one cache and one queue.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SharedQueueTests {
    @Test func `the writes of all programs go to the backend once, in the order of acceptance`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let clients = (0..<3).map { _ in machine.client() }
        var batches: [Int64] = []
        for number in 0..<9 {
            let receipt = try await clients[number % 3].document("logs/last").setData(
                ["numbers": FieldValue.arrayUnion([number]), "last": number], merge: true,
                until: .accepted)
            batches.append(try await receipt.accepted())
        }
        #expect(batches == batches.sorted())
        #expect(try await clients[0].pendingBatches().batches.count == 9)
        let log = try await clients[1].document("logs/last").getDocument(source: .cache)
        #expect(log["numbers"] as? [Int] == Array(0..<9))
        try world.startEmulator()
        try await clients[2].waitForPendingWrites()
        let sent = try await clients[0].document("logs/last").getDocument(source: .server)
        #expect(sent["numbers"] as? [Int] == Array(0..<9))
        #expect(sent["last"] as? Int == 8)
    }

    @Test func `a program's death cancels none of its writes`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let client = machine.client()
        _ = try await client.daemonStatus()
        let written = try CommandRun(
            world, machine, ["set", "rooms/hall", "lights=3", "--until", "accepted"])
        #expect(written.status == 0)
        #expect(try await client.pendingBatches().batches.count == 1)
        try world.startEmulator()
        try await client.waitForPendingWrites()
        let hall = try await client.document("rooms/hall").getDocument(source: .server)
        #expect(hall["lights"] as? Int == 3)
    }

    @Test func `waiting for pending writes is waiting for everybody's, unless asked otherwise`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let (writer, idle) = (machine.client(), machine.client())
        try await writer.document("rooms/hall").setData(["lights": 1], until: .accepted)
        // This program wrote nothing, so it need not wait.
        try await idle.waitForPendingWrites(of: .thisFirestore)
        async let everybody: Void = idle.waitForPendingWrites()
        async let own: Void = writer.waitForPendingWrites(of: .thisFirestore)
        #expect(try await idle.pendingBatches().batches.count == 1)
        try world.startEmulator()
        _ = try await (everybody, own)
        #expect(try await idle.pendingBatches().batches.isEmpty)
    }

    @Test func `own writes are awaited after a restart of the daemon too`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let client = machine.client()
        try await client.document("rooms/hall").setData(["lights": 1], until: .accepted)
        machine.killDaemon()
        try machine.startDaemon()
        async let own: Void = client.waitForPendingWrites(of: .thisFirestore)
        #expect(try await client.pendingBatches().batches.count == 1)
        try world.startEmulator()
        try await own
        #expect(try await client.pendingBatches().batches.isEmpty)
    }

    @Test func `a refused write is taken back in every program`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let (writer, reader) = (machine.client(), machine.client())
        try await writer.document("rooms/hall").setData(["lights": 1], until: .accepted)
        let batch = writer.batch()
        batch.setData(["lights": 2], forDocument: writer.document("rooms/hall"))
        batch.updateData(["lights": 2], forDocument: writer.document("rooms/none"))
        let receipt = try #require(try await batch.commit(until: .accepted))
        var halls = reader.document("rooms/hall").snapshots.makeAsyncIterator()
        _ = try await halls.first { $0["lights"] as? Int == 2 }
        try world.startEmulator()
        await #expect(throws: FirestoreError.self) { try await receipt.committed() }
        _ = try await halls.first { $0["lights"] as? Int == 1 }
    }
}
