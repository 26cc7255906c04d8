import Hearth
import HearthTestSupport
import Testing

/// A writer's own terms, through the library and the command line.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct WriteTermsTests {
    private func code(_ work: () async throws -> Void) async -> FirestoreErrorCode? {
        do {
            try await work()
            return nil
        } catch let error as FirestoreError {
            return error.code
        } catch {
            return .unknown
        }
    }

    @Test func `a write holds only if the document is as its writer knows it`() async throws {
        let world = try World()
        let db = try world.machine().client()
        let hall = db.document("rooms/hall")
        let made = try await hall.setData(["lights": 1], precondition: .exists(false))
        #expect(
            await code { try await hall.setData(["x": 1], precondition: .exists(false)) }
                == .alreadyExists)
        let known = try #require(try await hall.getDocument(source: .server).updateTime)
        #expect(try await made.committed().updateTimes == [known])
        try await hall.updateData(["lights": 2], precondition: .lastUpdateTime(known))
        #expect(
            await code { try await hall.delete(precondition: .lastUpdateTime(known)) }
                == .failedPrecondition)
        let batch = db.batch()
        batch.updateData(["lights": 3], forDocument: hall, precondition: .lastUpdateTime(known))
        batch.setData(["lights": 0], forDocument: db.document("rooms/attic"))
        #expect(await code { try await batch.commit() } == .failedPrecondition)
        #expect(try await db.document("rooms/attic").getDocument(source: .server).exists == false)
        #expect(try await hall.getDocument(source: .server)["lights"] as? Int == 2)
    }

    @Test func `a write that nobody could send expires, over a kill too`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let db = machine.client()
        let receipt = try await db.document("rooms/hall").setData(
            ["lights": 1], expires: .after(.seconds(2)), until: .accepted)
        try await db.document("rooms/attic").setData(["lights": 1], until: .accepted)
        machine.killDaemon()
        try machine.startDaemon()
        #expect(await code { try await receipt.committed() } == .deadlineExceeded)
        let letters = try await machine.client().deadLetters().letters
        #expect(letters.map(\.error.code) == [.deadlineExceeded])
        try world.startEmulator()
        try await machine.client().waitForPendingWrites()
        let rooms = try await machine.client().collection("rooms").getDocuments(source: .server)
        #expect(rooms.documents.map(\.documentID) == ["attic"])
    }

    @Test func `a program takes its own unsent write back`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let db = machine.client()
        let hall = db.document("rooms/hall")
        let receipt = try await hall.setData(["lights": 1], until: .accepted)
        try await receipt.cancel()
        #expect(await code { try await receipt.committed() } == .cancelled)
        #expect(await code { try await receipt.cancel() } == .failedPrecondition)
        #expect(try await machine.client().daemonStatus().queueBatchCount == 0)
        #expect(try await machine.client().deadLetters().letters.isEmpty)
        #expect(await code { _ = try await hall.getDocument(source: .cache) } == .unavailable)
    }

    @Test func `a receipt takes its write back after a kill of the daemon`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let db = machine.client()
        let receipt = try await db.document("rooms/hall").setData(["lights": 1], until: .accepted)
        machine.killDaemon()
        try machine.startDaemon()
        try await receipt.cancel()
        #expect(await code { try await receipt.committed() } == .cancelled)
        #expect(try await db.daemonStatus().queueBatchCount == 0)
    }

    @Test func `a condition outlasts a kill, and the backend judges by what is there then`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let db = machine.client()
        let receipt = try await db.document("rooms/hall").setData(
            ["by": "us"], precondition: .exists(false), until: .accepted)
        let held = try CommandRun(world, machine, ["queue", "hold", "--all"])
        #expect(held.status == 0, "\(held.complaints)")
        machine.killDaemon()
        try machine.startDaemon()
        try world.startEmulator()
        let other = try world.machine("other").client().document("rooms/hall")
        try await other.setData(["by": "them"], until: .committed)
        let released = try CommandRun(world, machine, ["queue", "release", "--all"])
        #expect(released.status == 0, "\(released.complaints)")
        #expect(await code { try await receipt.committed() } == .alreadyExists)
        let letters = try await db.deadLetters().letters
        #expect(letters.map(\.error.code) == [.alreadyExists])
        #expect(try await other.getDocument(source: .server)["by"] as? String == "them")
    }

    @Test func `a write for now is refused offline, and the command line knows all terms`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        try await machine.knowsItIsOffline()
        let db = machine.client()
        let refusal = await code {
            try await db.document("rooms/hall").setData(["n": 1], whenOnlineOnly: true)
        }
        #expect(refusal == .unavailable)
        func hearth(_ arguments: String...) throws -> CommandRun {
            try CommandRun(world, machine, arguments)
        }
        #expect(try hearth("set", "rooms/hall", "n=1", "--only-online").status == 10)
        #expect(
            try hearth("set", "rooms/hall", "n=1", "--if-missing", "--expires", "1h").status == 0)
        #expect(try hearth("set", "rooms/hall", "n=2", "--if-missing").status == 1)
        #expect(try hearth("update", "rooms/hall", "n=2", "--if-exists").status == 0)
        #expect(
            try hearth("delete", "rooms/hall", "--if-unchanged-since", "2026-01-02T03:04:05Z")
                .status
                == 1)
        #expect(try hearth("delete", "rooms/hall", "--if-unchanged-since", "then").status == 64)
        #expect(try hearth("set", "rooms/a", "n=1", "--if-missing", "--if-exists").status == 64)
    }
}
