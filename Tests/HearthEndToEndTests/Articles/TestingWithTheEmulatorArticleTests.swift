import Hearth
import HearthTestSupport
import Testing

/// The code of the article "Testing with the emulator", as it stands there.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct TestingWithTheEmulatorArticleTests {
    private let told = Transcript()

    /// Shadows Swift's own `print`, so that a test sees the output that a reader would see.
    private func print(_ items: Any...) {
        told.note(items.map { "\($0)" }.joined(separator: " "))
    }

    @Test func `a test counts on an emulator`() async throws {
        let world = try World()
        let machine = try world.machine()
        let db = machine.client()
        db.useEmulator(withHost: "localhost", port: 8080)
        let error = await #expect(throws: FirestoreError.self) {
            try await db.document("rooms/hall").setData(["lights": 1])
        }
        #expect(error?.code == .failedPrecondition)
        let socketPath = machine.socketPath
        let settings = FirestoreSettings(socketPath: socketPath, connectTimeout: .seconds(5))
        let program = Firestore(settings: settings)
        try await program.document("rooms/hall").setData(["lights": 1])
        try await program.waitForPendingWrites()
        let rooms = try await program.collection("rooms").getDocuments(source: .server)
        #expect(rooms.count == 1)
    }
}
