import Hearth
import HearthTestSupport
import Testing

/// The news for other programs when the backend rejects a write.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct RejectedWriteTests {
    private static let rules = """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents {
            match /rooms/{room} {
              allow read: if true;
              allow write: if request.resource.data.seats < 100;
            }
          }
        }
        """

    @Test func `another program's listener is told which write was rolled back, and why`()
        async throws
    {
        let world = try World(isOnline: false, rules: Self.rules)
        let machine = try world.machine("machine", ["--upstream.user", "ada"])
        let (writer, reader) = (machine.client(), machine.client())
        var rooms = reader.collection("rooms").snapshots.makeAsyncIterator()
        _ = try await rooms.first { $0.isEmpty }
        try await writer.document("rooms/hall").setData(["seats": 400], until: .accepted)
        let batch = try #require(try await writer.pendingBatches().batches.first)
        let pending = try await rooms.first { $0.count == 1 }
        #expect(pending.metadata.rejectedWrites.isEmpty)
        try world.startEmulator()
        _ = try? await writer.retryBackend()
        let undone = try await rooms.first { $0.isEmpty }
        let rejected = try #require(undone.metadata.rejectedWrites.first)
        #expect(undone.metadata.rejectedWrites.count == 1)
        #expect(rejected.batchID == batch.id)
        #expect(rejected.error.code == .permissionDenied)
        // What somebody changes is no rejection.
        try await writer.document("rooms/hall").setData(["seats": 40])
        let changed = try await rooms.first { $0.count == 1 }
        #expect(changed.metadata.rejectedWrites.isEmpty)
    }
}
