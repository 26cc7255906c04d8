import Glibc
import Hearth
import HearthTestSupport
import Testing

/// Daemons that die at any moment, under load.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CrashTests {
    /// Offline, so that nothing is sent and left unanswered: that could be applied twice.
    @Test(arguments: [UInt64(1), 2, 3])
    func `no accepted write is lost or doubled, whenever the daemon is killed`(seed: UInt64)
        async throws
    {
        let world = try World(isOnline: false)
        let (client, receipts) = try await writeUnderFire(in: world, seed: seed)
        #expect(try await client.pendingBatches().batches.count == Self.writeCount, "seed \(seed)")
        try world.startEmulator()
        for receipt in receipts { try await receipt.committed() }
        let sum = try await client.document("logs/sum").getDocument(source: .server)
        #expect(sum["n"] as? Int == Self.writeCount, "seed \(seed)")
        try await expectLast(client, seed)
    }

    @Test(arguments: [UInt64(4), 5])
    func `online too every accepted write arrives, in order, at least once`(seed: UInt64)
        async throws
    {
        let world = try World()
        let (client, receipts) = try await writeUnderFire(in: world, seed: seed)
        for receipt in receipts { try await receipt.committed() }
        let sum = try await client.document("logs/sum").getDocument(source: .server)
        #expect(try #require(sum["n"] as? Int) >= Self.writeCount, "seed \(seed)")
        try await expectLast(client, seed)
    }

    @Test(arguments: [SIGILL, SIGTRAP, SIGSEGV, SIGABRT])
    func `a daemon that cannot go on is gone at once, and the next one has what was accepted`(
        signal: Int32
    ) async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let client = machine.client()
        _ = try await client.document("rooms/hall").setData(["n": 1], until: .accepted)
        #expect(machine.crashDaemon(signal) < .seconds(1))
        try machine.startDaemon()
        #expect(try await client.pendingBatches().batches.count == 1)
    }

    private static let writeCount = 60

    private func expectLast(_ client: Firestore, _ seed: UInt64) async throws {
        let last = try await client.document("logs/last").getDocument(source: .server)
        #expect(last["last"] as? Int == Self.writeCount, "seed \(seed)")
        #expect(try await client.pendingBatches().batches.isEmpty, "seed \(seed)")
    }

    /// Writes in turn while the daemon is killed and started at some of the writes.
    private func writeUnderFire(in world: World, seed: UInt64) async throws -> (
        client: Firestore, receipts: [WriteReceipt]
    ) {
        let writeCount = Self.writeCount
        let machine = try world.machine()
        let client = machine.client()
        var random = SeededGenerator(seed: seed)
        var kills = Set((0..<5).map { _ in Int.random(in: 1..<writeCount, using: &random) })
        kills.insert(1)
        var receipts: [WriteReceipt] = []
        for number in 1...writeCount {
            let batch = client.batch()
            batch.setData(["last": number], forDocument: client.document("logs/last"))
            batch.setData(
                ["n": FieldValue.increment(Int64(1))], forDocument: client.document("logs/sum"),
                merge: true)
            async let receipt = batch.commit(until: .accepted)
            if kills.contains(number) {
                machine.killDaemon()
                try machine.startDaemon()
            }
            if let accepted = try await receipt { receipts.append(accepted) }
        }
        return (client, receipts)
    }
}
