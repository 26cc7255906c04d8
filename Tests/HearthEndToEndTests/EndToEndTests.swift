import Hearth
import HearthTestSupport
import Testing

/// Real daemons, a real emulator, real sockets: what several programs and machines see.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct EndToEndTests {
    @Test func `a write shows in another program at once, and then in the backend`() async throws {
        let world = try World()
        let machine = try world.machine()
        let (writer, reader) = (machine.client(), machine.client())
        var rooms = reader.collection("rooms").snapshots(includeMetadataChanges: true)
            .makeAsyncIterator()
        _ = try await rooms.first { $0.isEmpty && !$0.metadata.isFromCache }
        try await writer.document("rooms/hall").setData(["lights": 3])
        let confirmed = try await rooms.first { $0.count == 1 && !$0.metadata.hasPendingWrites }
        #expect(confirmed.documents.first?["lights"] as? Int == 3)
        let elsewhere = try world.machine("elsewhere").client()
        let hall = try await elsewhere.document("rooms/hall").getDocument(source: .server)
        #expect(hall["lights"] as? Int == 3)
    }

    @Test func `offline, programs see each other's writes, and the backend gets them later`()
        async throws
    {
        let world = try World()
        let machine = try world.machine()
        let (writer, reader) = (machine.client(), machine.client())
        try await writer.document("rooms/hall").setData(["lights": 1])
        var rooms = reader.collection("rooms").snapshots(includeMetadataChanges: true)
            .makeAsyncIterator()
        _ = try await rooms.first { $0.count == 1 && !$0.metadata.isFromCache }
        world.killEmulator()
        let receipt = try await writer.document("rooms/attic").setData(
            ["lights": 2], until: .accepted)
        let pending = try await rooms.first { $0.count == 2 }
        #expect(pending.metadata.hasPendingWrites)
        // The daemon may have noticed before the write, or notice now.
        let offline =
            pending.metadata.isFromCache
            ? pending : try await rooms.first { $0.metadata.isFromCache }
        #expect(offline.count == 2)
        let cached = try await reader.document("rooms/hall").getDocument(source: .cache)
        #expect(cached["lights"] as? Int == 1)
        try world.startEmulator()
        try await receipt.committed()
        let again = try await rooms.first {
            !$0.metadata.isFromCache && !$0.metadata.hasPendingWrites
        }
        #expect(again.count == 2)
    }

    @Test func `of offline changes to one document, the one that arrives last wins`() async throws {
        let world = try World()
        let early = try world.machine("early").client()
        let late = try world.machine("late").client()
        for client in [early, late] { try await client.disableNetwork() }
        // The order of arrival counts, not the time of the write.
        try await late.document("rooms/hall").setData(["lights": 2], until: .accepted)
        try await early.document("rooms/hall").setData(
            ["lights": 1, "windows": 4], until: .accepted)
        var seen = early.document("rooms/hall").snapshots.makeAsyncIterator()
        _ = try await seen.first { $0["lights"] as? Int == 1 }
        for client in [early, late] {
            try await client.enableNetwork()
            try await client.waitForPendingWrites()
        }
        _ = try await seen.first { $0["lights"] as? Int == 2 }
        for client in [early, late] {
            let hall = try await client.document("rooms/hall").getDocument(source: .server)
            #expect(hall.data() as? [String: Int] == ["lights": 2])
        }
    }

    @Test func `a default get offline answers from the cache, a server get fails`() async throws {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        try await client.document("rooms/hall").setData(["lights": 1])
        world.killEmulator()
        _ = try await client.document("rooms/attic").setData(["lights": 2], until: .accepted)
        let hall = try await client.document("rooms/hall").getDocument()
        #expect(hall["lights"] as? Int == 1)
        #expect(hall.metadata.isFromCache)
        let error = await #expect(throws: FirestoreError.self) {
            try await client.document("rooms/hall").getDocument(source: .server)
        }
        #expect(error?.code == .unavailable)
    }

    @Test func `accepted writes survive kill -9, all there, once, in order`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let count = 20
        do {
            let writer = machine.client()
            for number in 1...count {
                let batch = writer.batch()
                batch.setData(["last": number], forDocument: writer.document("logs/last"))
                batch.setData(
                    ["n": FieldValue.increment(Int64(1))],
                    forDocument: writer.document("logs/sum"), merge: true)
                try await batch.commit(until: .accepted)
            }
        }
        machine.killDaemon()
        try machine.startDaemon()
        let client = machine.client()
        let queue = try await client.pendingBatches().batches
        #expect(queue.count == count)
        #expect(queue.map(\.id) == queue.map(\.id).sorted())
        #expect(Set(queue.map(\.id)).count == count)
        let local = try await client.document("logs/sum").getDocument(source: .cache)
        #expect(local["n"] as? Int == count)
        try world.startEmulator()
        try await client.waitForPendingWrites()
        let sum = try await client.document("logs/sum").getDocument(source: .server)
        #expect(sum["n"] as? Int == count)
        let last = try await client.document("logs/last").getDocument(source: .server)
        #expect(last["last"] as? Int == count)
        #expect(try await client.pendingBatches().batches.isEmpty)
    }

    @Test func `a listener outlives the daemon and is told only what changed`() async throws {
        let world = try World()
        let machine = try world.machine()
        let elsewhere = try world.machine("elsewhere").client()
        for name in ["attic", "cellar", "hall"] {
            try await elsewhere.document("rooms/\(name)").setData(["lights": 1])
        }
        let client = machine.client()
        var rooms = client.collection("rooms").snapshots.makeAsyncIterator()
        let first = try await rooms.first { $0.count == 3 && !$0.metadata.isFromCache }
        #expect(first.count == 3)
        machine.killDaemon()
        try await elsewhere.document("rooms/cellar").setData(["lights": 2])
        try machine.startDaemon()
        let next = try await rooms.first { !$0.documentChanges.isEmpty }
        #expect(next.documentChanges.map(\.type) == [.modified])
        #expect(next.documentChanges.map(\.document.documentID) == ["cellar"])
        #expect(next.count == 3)
    }

    @Test func `a daemon that is asked to stop answers, exits with 0, and goes on where it was`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let client = machine.client()
        try await client.document("rooms/hall").setData(["lights": 1], until: .accepted)
        #expect(machine.stopDaemon() == 0)
        try machine.startDaemon()
        let hall = try await client.document("rooms/hall").getDocument(source: .cache)
        #expect(hall["lights"] as? Int == 1)
        #expect(hall.metadata.hasPendingWrites)
    }

    @Test func `a write that the backend refuses is told to its writer and kept for a decision`()
        async throws
    {
        let world = try World()
        let client = try world.machine().client()
        let error = await #expect(throws: FirestoreError.self) {
            try await client.document("rooms/nowhere").updateData(["lights": 1])
        }
        #expect(error?.code == .notFound)
        #expect(error?.mayHaveBeenApplied == false)
        let letters = try await eventually {
            try await client.deadLetters().letters
        } is: {
            !$0.isEmpty
        }
        #expect(letters.map(\.batch.documentPaths) == [["rooms/nowhere"]])
        #expect(letters.first?.error.code == .notFound)
    }

    @Test func `the status tells how many write, listen and wait`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let client = machine.client()
        try await client.document("rooms/hall").setData(["lights": 1], until: .accepted)
        var rooms = client.collection("rooms").snapshots.makeAsyncIterator()
        _ = try await rooms.first { $0.count == 1 }
        let status = try await client.daemonStatus()
        #expect(status.projectID == "demo")
        #expect(status.queueBatchCount == 1)
        #expect(status.oldestWrittenAt != nil)
        #expect(status.clientCount == 1)
        #expect(status.listenerCount == 1)
        #expect(status.degradedReasons == [])
    }
}
