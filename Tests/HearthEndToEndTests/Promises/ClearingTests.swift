import Hearth
import HearthTestSupport
import Testing

/// Who may forget the cache, when, and what is left.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ClearingTests {
    @Test func `the cache is cleared only when nobody uses it, and then it is empty`() async throws
    {
        let world = try World()
        let machine = try world.machine()
        let (client, other) = (machine.client(), machine.client())
        try await client.document("rooms/hall").setData(["lights": 1])
        world.killEmulator()
        let receipt = try await client.document("rooms/attic").setData(
            ["lights": 2], until: .accepted)
        #expect(try await other.pendingBatches().batches.count == 1)
        let inUse = await #expect(throws: FirestoreError.self) {
            try await client.clearPersistence()
        }
        #expect(inUse?.code == .failedPrecondition)
        try await client.terminate()
        let shared = await #expect(throws: FirestoreError.self) {
            try await client.clearPersistence()
        }
        #expect(shared?.code == .failedPrecondition)
        #expect(shared?.message.contains("1 other programs use") == true)
        #expect(try await other.pendingBatches().batches.count == 1)
        try await other.terminate()
        try await client.clearPersistence()
        try world.startEmulator()
        let next = machine.client()
        #expect(try await next.pendingBatches().batches.isEmpty)
        let rooms = try await next.collection("rooms").getDocuments(source: .cache)
        #expect(rooms.isEmpty)
        // Numbers go on, and the backend is as it was.
        let accepted = try await next.document("rooms/cellar").setData(["lights": 3])
        #expect(try await accepted.accepted() > receipt.accepted())
        let server = try await next.collection("rooms").getDocuments(source: .server)
        #expect(server.documents.map(\.documentID) == ["cellar", "hall"])
    }
}
