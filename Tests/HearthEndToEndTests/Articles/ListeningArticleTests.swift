import Hearth
import HearthTestSupport
import Testing

/// The code of the article "Listening", as it stands there.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ListeningArticleTests {
    private let told = Transcript()

    /// Shadows Swift's own `print`, so that a test sees the output that a reader would see.
    private func print(_ items: Any...) {
        told.note(items.map { "\($0)" }.joined(separator: " "))
    }

    @Test func `a loop and a closure are told of changes`() async throws {
        let world = try World()
        let machine = try world.machine()
        let (db, other) = (machine.client(), machine.client())
        try await other.document("rooms/hall").setData(["lights": 1])
        try await other.document("rooms/attic").setData(["lights": 0])
        let registration = db.collection("rooms").addSnapshotListener { snapshot, error in
            guard let snapshot else {
                print("The listener has ended: \(String(describing: error))")
                return
            }
            for change in snapshot.documentChanges {
                print("\(change.type): \(change.document.documentID)")
            }
        }
        try await told.waitFor { $0 == "added: hall" }
        try await other.document("rooms/attic").delete()
        try await told.waitFor { $0 == "removed: attic" }
        registration.remove()
        _ = try await eventually({ try await db.daemonStatus().listenerCount }, is: { $0 == 0 })
        try await watchFlags(of: db)
        #expect(told.lines.last == "confirmed")
        try await listenToCache(db)
    }

    private func watchFlags(of db: Firestore) async throws {
        let hall = db.document("rooms/hall")
        let writing = Task { try await hall.updateData(["lights": 2]) }
        for try await snapshot in hall.snapshots(includeMetadataChanges: true) {
            print(snapshot.metadata.hasPendingWrites ? "waits" : "confirmed")
            if snapshot["lights"] as? Int == 2, !snapshot.metadata.hasPendingWrites { break }
        }
        _ = try await writing.value
    }

    private func listenToCache(_ db: Firestore) async throws {
        let options = SnapshotListenOptions().withSource(.cache)
        let cached = db.collection("rooms").addSnapshotListener(options: options) { snapshot, _ in
            print("\(snapshot?.count ?? 0) in the cache")
        }
        try await told.waitFor { $0 == "1 in the cache" }
        cached.remove()
    }
}
