import Hearth
import HearthTestSupport
import Testing

/// The code of the article "A first snapshot", as it stands there.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct FirstSnapshotArticleTests {
    private let told = Transcript()

    /// Shadows Swift's own `print`, so that a test sees the output that a reader would see.
    private func print(_ items: Any...) {
        told.note(items.map { "\($0)" }.joined(separator: " "))
    }

    @Test func `a program writes, reads and is told of changes`() async throws {
        let world = try World()
        let db = try world.machine().client()
        let hall = db.collection("rooms").document("hall")
        try await hall.setData(["name": "Hall", "lights": 3])
        let snapshot = try await hall.getDocument()
        if let lights = snapshot["lights"] as? Int {
            print("\(lights) lights in \(snapshot.documentID)")
        }
        #expect(snapshot["lights"] as? Int == 3)
        let seen = try await firstLit(of: db)
        #expect(seen == ["hall 3"])
    }

    /// The first results that the backend has confirmed.
    private func firstLit(of db: Firestore) async throws -> [String] {
        let lit = db.collection("rooms").whereField("lights", isGreaterThan: 0)
        for try await rooms in lit.snapshots(includeMetadataChanges: true) {
            let names = rooms.documents.map { "\($0.documentID) \($0["lights"] ?? 0)" }
            print(names, rooms.metadata.isFromCache ? "from the cache" : "from the backend")
            if !rooms.metadata.isFromCache { return names }
        }
        return []
    }
}
