import Hearth
import HearthTestSupport
import Testing

/// The page "Get real-time updates".
extension SnippetTests {
    @Test func `get real-time updates, listen to a document`() async throws {
        try await neighbour().document("cities/SF").setData(["name": "San Francisco"])

        db.collection("cities").document("SF")
            .addSnapshotListener { documentSnapshot, error in
                guard let document = documentSnapshot else {
                    print("Error fetching document: \(error!)")
                    return
                }
                guard let data = document.data() else {
                    print("Document data was empty.")
                    return
                }
                print("Current data: \(data)")
            }

        try await said.waitFor { $0 == "Current data: [\"name\": \"San Francisco\"]" }
        try await neighbour().document("cities/SF").delete()
        try await said.waitFor { $0 == "Document data was empty." }
    }

    @Test func `get real-time updates, events for local changes`() async throws {
        db.collection("cities").document("SF")
            .addSnapshotListener { documentSnapshot, error in
                guard let document = documentSnapshot else {
                    print("Error fetching document: \(error!)")
                    return
                }
                let source = document.metadata.hasPendingWrites ? "Local" : "Server"
                print("\(source) data: \(document.data() ?? [:])")
            }

        try await said.waitFor { $0 == "Server data: [:]" }
        world.killEmulator()
        try await neighbour().document("cities/SF").setData(["name": "SF"], until: .accepted)
        try await said.waitFor { $0 == "Local data: [\"name\": \"SF\"]" }
    }

    @Test func `get real-time updates, events for metadata changes`() async throws {
        db.collection("cities").document("SF")
            .addSnapshotListener(includeMetadataChanges: true) { documentSnapshot, error in
                print("pending \(documentSnapshot?.metadata.hasPendingWrites ?? false)")
            }

        try await said.waitFor { $0 == "pending false" }
        world.killEmulator()
        try await neighbour().document("cities/SF").setData(["name": "SF"], until: .accepted)
        try await said.waitFor { $0 == "pending true" }
        try world.startEmulator()
        _ = try await eventually({ said.lines.last }, is: { $0 == "pending false" })
    }

    @Test func `get real-time updates, listen only to local changes`() async throws {
        try await neighbour().document("cities/SF").setData(["name": "SF"])

        let options = SnapshotListenOptions()
            .withSource(ListenSource.cache)
            .withIncludeMetadataChanges(true)
        db.collection("cities").document("SF")
            .addSnapshotListener(options: options) { documentSnapshot, error in
                print("from cache \(documentSnapshot?.metadata.isFromCache ?? false)")
            }

        try await said.waitFor { $0 == "from cache true" }
    }

    @Test func `get real-time updates, listen to several documents of a collection`()
        async throws
    {
        try await neighbour().document("cities/SF").setData(["name": "SF", "state": "CA"])
        try await neighbour().document("cities/NY").setData(["name": "NY", "state": "NY"])

        db.collection("cities").whereField("state", isEqualTo: "CA")
            .addSnapshotListener { querySnapshot, error in
                guard let documents = querySnapshot?.documents else {
                    print("Error fetching documents: \(error!)")
                    return
                }
                let cities = documents.compactMap { $0["name"] }
                print("Current cities in CA: \(cities)")
            }

        try await said.waitFor { $0 == "Current cities in CA: [\"SF\"]" }
    }

    @Test func `get real-time updates, view changes between snapshots`() async throws {
        let city = neighbour().document("cities/SF")
        // swift-format-ignore: NoParensAroundConditions, ReplaceForEachWithForLoop
        db.collection("cities").whereField("state", isEqualTo: "CA")
            .addSnapshotListener { querySnapshot, error in
                guard let snapshot = querySnapshot else {
                    print("Error fetching snapshots: \(error!)")
                    return
                }
                snapshot.documentChanges.forEach { diff in
                    if (diff.type == .added) {
                        print("New city: \(diff.document.data())")
                    }
                    if (diff.type == .modified) {
                        print("Modified city: \(diff.document.data())")
                    }
                    if (diff.type == .removed) {
                        print("Removed city: \(diff.document.data())")
                    }
                }
            }

        try await city.setData(["state": "CA"])
        try await said.waitFor { $0.hasPrefix("New city: ") }
        try await city.updateData(["people": 1])
        try await said.waitFor { $0.hasPrefix("Modified city: ") }
        try await city.delete()
        try await said.waitFor { $0.hasPrefix("Removed city: ") }
        #expect(said.lines.count == 3)
    }

    @Test func `get real-time updates, detach a listener`() async throws {
        let listener = db.collection("cities").addSnapshotListener { querySnapshot, error in
            print("\(querySnapshot?.count ?? -1) cities")
        }
        try await said.waitFor { $0 == "0 cities" }

        listener.remove()

        _ = try await eventually(
            { try await db.daemonStatus().listenerCount }, is: { $0 == 0 })
        try await neighbour().document("cities/SF").setData(["state": "CA"])
        try await db.waitForPendingWrites()
        #expect(said.lines == ["0 cities"])
    }

    @Test func `get real-time updates, handle listen errors`() async throws {
        let refused = try World(rules: Self.nobody)
        let machine = try refused.machine("strict", ["--upstream.user", "ada"])
        let db = machine.client()

        db.collection("cities")
            .addSnapshotListener { querySnapshot, error in
                if let error = error {
                    print("Error retrieving collection: \(error)")
                }
            }

        try await said.waitFor { $0.hasPrefix("Error retrieving collection: PERMISSION_DENIED") }
        // After an error there is no listener left to detach, and nothing more is told.
        _ = try await eventually(
            { try await db.daemonStatus().listenerCount }, is: { $0 == 0 })
        #expect(said.lines.count == 1)
    }

    /// Rules that let nobody do anything.
    private static let nobody = """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents {
            match /{document=**} { allow read, write: if false; }
          }
        }
        """
}
