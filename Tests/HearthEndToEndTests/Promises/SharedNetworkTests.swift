import Hearth
import HearthTestSupport
import Testing

/// The guarantees for several programs that share one connection and one cache.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SharedNetworkTests {
    private func isReachable(_ client: Firestore) async throws -> Bool {
        do {
            _ = try await client.document("rooms/hall").getDocument(source: .server)
            return true
        } catch let error as FirestoreError where error.code == .unavailable {
            return false
        }
    }

    @Test func `one program's wish for quiet leaves the others online`() async throws {
        let world = try World()
        let machine = try world.machine()
        let (quiet, busy) = (machine.client(), machine.client())
        try await busy.document("rooms/hall").setData(["lights": 1])
        var seen = quiet.document("rooms/hall").snapshots(includeMetadataChanges: true)
            .makeAsyncIterator()
        _ = try await seen.first { $0["lights"] as? Int == 1 && !$0.metadata.isFromCache }
        try await quiet.disableNetwork()
        _ = try await seen.first { $0.metadata.isFromCache }
        #expect(try await isReachable(busy))
        #expect(try await !isReachable(quiet))
        // It reads the cache, which has what the other's connection has brought.
        #expect(try await quiet.document("rooms/hall").getDocument().metadata.isFromCache)
        try await busy.disableNetwork()
        #expect(try await !isReachable(busy))
        #expect(try await !isReachable(quiet))
        try await busy.document("rooms/hall").setData(["lights": 2], until: .accepted)
        // Who asks for the status wants nothing of the backend.
        #expect(try CommandRun(world, machine, ["status", "--json"]).output.count == 1)
        #expect(try await !isReachable(quiet))
        try await busy.terminate()
        #expect(try await !isReachable(quiet))
        try await quiet.enableNetwork()
        try await quiet.waitForPendingWrites()
        #expect(try await isReachable(quiet))
    }

    @Test func `a wish for quiet outlives the daemon, but not the program`() async throws {
        let world = try World()
        let machine = try world.machine()
        let (quiet, next) = (machine.client(), machine.client())
        try await quiet.document("rooms/hall").setData(["lights": 1])
        try await quiet.disableNetwork()
        #expect(try await !isReachable(quiet))
        machine.killDaemon()
        try machine.startDaemon()
        #expect(try await !isReachable(quiet))
        try await quiet.document("rooms/hall").setData(["lights": 2], until: .accepted)
        #expect(try await next.pendingBatches().batches.count == 1)
        try await quiet.terminate()
        try await next.waitForPendingWrites()
        let hall = try await next.document("rooms/hall").getDocument(source: .server)
        #expect(hall["lights"] as? Int == 2)
    }

    @Test func `offline every source of a read ends as promised`() async throws {
        let world = try World()
        let client = try world.machine().client()
        try await client.document("rooms/hall").setData(["lights": 1])
        _ = try await client.document("rooms/hall").getDocument(source: .server)
        let gone = try await client.document("rooms/gone").getDocument(source: .server)
        #expect(!gone.exists)
        try await client.disableNetwork()
        func code(_ path: String, _ source: FirestoreSource) async -> FirestoreErrorCode? {
            do {
                _ = try await client.document(path).getDocument(source: source)
                return nil
            } catch {
                return (error as? FirestoreError)?.code
            }
        }
        #expect(await code("rooms/hall", .default) == nil)
        #expect(await code("rooms/hall", .cache) == nil)
        #expect(await code("rooms/hall", .server) == .unavailable)
        #expect(await code("rooms/gone", .default) == .unavailable)
        let missing = try await client.document("rooms/gone").getDocument(source: .cache)
        #expect(!missing.exists)
        for source in [FirestoreSource.default, .cache, .server] {
            #expect(await code("rooms/new", source) == .unavailable)
        }
        let rooms = client.collection("rooms")
        #expect(try await rooms.getDocuments().metadata.isFromCache)
        #expect(try await rooms.getDocuments(source: .cache).count == 1)
        let none = try await client.collection("none").getDocuments()
        #expect(none.isEmpty && none.metadata.isFromCache)
        let error = await #expect(throws: FirestoreError.self) {
            try await rooms.getDocuments(source: .server)
        }
        #expect(error?.code == .unavailable)
    }

    @Test func `a bundle that one program loads is there for all`() async throws {
        let world = try World()
        let source = try world.machine("source").client()
        try await source.document("rooms/hall").setData(["lights": 3])
        _ = try await source.collection("rooms").getDocuments(source: .server)
        let bytes = try await source.buildBundle(
            named: "rooms", queries: [("all", source.collection("rooms"))])
        let machine = try world.machine()
        let (loader, reader) = (machine.client(), machine.client())
        try await loader.disableNetwork()
        try await reader.disableNetwork()
        var rooms = reader.collection("rooms").snapshots.makeAsyncIterator()
        _ = try await rooms.first { $0.isEmpty }
        try await loader.loadBundle(bytes)
        let shown = try await rooms.first { $0.count == 1 }
        #expect(shown.documents.first?["lights"] as? Int == 3)
        #expect(shown.metadata.isFromCache)
        #expect(await reader.getQuery(named: "all") != nil)
    }
}
