import Hearth
import HearthTestSupport
import Testing

/// The code of the article "Offline", as it stands there.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct OfflineArticleTests {
    private let told = Transcript()

    /// Shadows Swift's own `print`, so that a test sees the output that a reader would see.
    private func print(_ items: Any...) {
        told.note(items.map { "\($0)" }.joined(separator: " "))
    }

    @Test func `a program works on without a network`() async throws {
        let world = try World()
        let db = try world.machine().client()
        let hall = db.document("rooms/hall")
        try await hall.setData(["lights": 3])
        world.killEmulator()
        try await hall.updateData(["lights": 4], until: .accepted)
        let snapshot = try await hall.getDocument(source: .cache)
        print(snapshot["lights"] ?? "none", snapshot.metadata.hasPendingWrites)
        #expect(snapshot["lights"] as? Int == 4)
        #expect(snapshot.metadata.hasPendingWrites)
        do {
            let attic = try await db.document("rooms/attic").getDocument()
            print(attic.exists)
        } catch let error as FirestoreError where error.code == .unavailable {
            print("The cache does not know it, and the backend cannot be asked.")
        }
        try await db.disableNetwork()
        // Whatever is read now comes from the cache, and whatever is written waits.
        try await db.enableNetwork()
        try world.startEmulator()
        try await db.waitForPendingWrites()
        #expect(try await hall.getDocument(source: .server)["lights"] as? Int == 4)
    }

    @Test func `a list tells an integer from a double, which the backend's count does not`()
        async throws
    {
        let world = try World()
        let db = try world.machine().client()
        try await db.document("rooms/hall").setData(["lights": 1])
        try await db.document("rooms/attic").setData(["lights": 1.0])
        let integers = db.collection("rooms").whereField("lights", in: [1])
        let found = try await integers.getDocuments(source: .server)
        #expect(found.documents.map(\.documentID) == ["hall"])
        #expect(try await integers.count.getAggregation(source: .server).count == 2)
        let both = db.collection("rooms").whereField("lights", in: [1, 1.0])
        let ones = try await both.getDocuments()
        print(ones.count)
        #expect(ones.count == 2)
        let equal = db.collection("rooms").whereField("lights", isEqualTo: 1)
        #expect(try await equal.getDocuments().count == 2)
    }

    @Test func `what is pinned is here without a listener`() async throws {
        let world = try World()
        let machine = try world.machine()
        let db = machine.client()
        try await db.document("menu/soup").setData(["name": "Soup"])
        let menu = db.collection("menu").order(by: "name")
        try await menu.pin(name: "menu")
        try await db.document("shops/1").pin(fresh: .seconds(600))
        try await db.waitForPin("menu")
        #expect(try await db.pins().map(\.name) == ["menu", "shops/1"])
        world.killEmulator()
        machine.killDaemon()
        try machine.startDaemon()
        let again = machine.client()
        try await again.waitForPin("menu")
        let cached = try await again.collection("menu").getDocuments(source: .cache)
        #expect(cached.documents.map(\.documentID) == ["soup"])
    }

    @Test func `a loop sees the backend go and come, and the queue drain`() async throws {
        let world = try World(isOnline: false)
        let db = try world.machine().client()
        try await db.document("rooms/hall").setData(["lights": 3], until: .accepted)
        var states = db.states.makeAsyncIterator()
        let first = await states.next()
        #expect(first?.waitingBatchCount == 1 && first?.oldestWrittenAt != nil)
        try world.startEmulator()
        for await state in db.states {
            print(state.connection, state.waitingBatchCount, state.lastError as Any)
            if state.waitingBatchCount == 0 { break }
        }
        let last = await states.next()
        // Who has nothing to send and nothing to listen to needs no connection.
        #expect(last?.connection == .online || last?.connection == .idle)
        #expect(last?.waitingBatchCount == 0)
        #expect(last?.lastError == nil && last?.oldestWrittenAt == nil)
    }

    @Test func `the cache makes its indexes if it may`() async throws {
        let world = try World()
        let db = try world.machine().client()
        db.persistentCacheIndexManager?.enableIndexAutoCreation()
        let manager = try #require(db.persistentCacheIndexManager)
        _ = try await eventually({ try await manager.indexes().createsAutomatically }, is: { $0 })
        try await db.document("rooms/hall").setData(["lights": 1])
        let query = db.collection("rooms").whereField("lights", isGreaterThan: 0)
        let explanation = try await query.explain()
        print(explanation.plan, explanation.examinedCount, explanation.why)
        #expect(!explanation.plan.isEmpty)
    }
}
