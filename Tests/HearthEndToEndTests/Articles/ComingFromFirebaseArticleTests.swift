import Hearth
import HearthTestSupport
import Testing

/// The code of the article "Coming from Firebase", as it stands there.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ComingFromFirebaseArticleTests {
    private let told = Transcript()

    /// Shadows Swift's own `print`, so that a test sees the output that a reader would see.
    private func print(_ items: Any...) {
        told.note(items.map { "\($0)" }.joined(separator: " "))
    }

    @Test func `code for Firebase needs little else than another import`() async throws {
        let world = try World()
        let db = try world.machine().client()
        db.collection("cities").whereField("state", isEqualTo: "CA")
            .order(by: "name").limit(to: 10)
            .addSnapshotListener { snapshot, error in
                guard let documents = snapshot?.documents else { return }
                print("\(documents.compactMap { $0["name"] as? String })")
            }
        try await db.document("cities/SF").setData(["state": "CA", "name": "San Francisco"])
        try await told.waitFor { $0 == "[\"San Francisco\"]" }
        let document = try await db.document("cities/SF").getDocument()
        let name = document["name"] as? String
        let population = document["population"] as? Int
        let isUnset = document["population"] is FirestoreNull
        #expect(name == "San Francisco")
        #expect(population == nil)
        #expect(!isUnset)
        do {
            _ = try await db.document("cities/LA").getDocument(source: .server)
        } catch let error as FirestoreError {
            switch error.code {
            case .permissionDenied: print("The rules do not let us.")
            case .unavailable: print("The backend cannot be reached.")
            default: print(error)
            }
        }
        try await db.document("cities/LA").setData(["state": "CA"], until: .accepted)
    }
}
