import Hearth
import HearthTestSupport
import Testing

/// The page "Access data offline".
extension SnippetTests {
    @Test func `access data offline, configure offline persistence`() async throws {
        let settings = FirestoreSettings()

        settings.cacheSettings =
            MemoryCacheSettings(garbageCollectorSettings: MemoryLRUGCSettings())

        settings.cacheSettings = PersistentCacheSettings(sizeBytes: 100 * 1024 * 1024)

        let db = Firestore.firestore()
        db.settings = settings

        // The daemon keeps such a cache, so the program may go on.
        try await db.document("cities/SF").setData(["state": "CA"])
        let cached = try await db.document("cities/SF").getDocument(source: .cache)
        #expect(cached["state"] as? String == "CA")
    }

    @Test func `access data offline, configure cache size`() async throws {
        let settings = Firestore.firestore().settings
        settings.cacheSettings = PersistentCacheSettings(sizeBytes: 100 * 1024 * 1024)
        Firestore.firestore().settings = settings

        try await db.document("cities/SF").setData(["state": "CA"])
        // A daemon of another size says what to do.
        let other = try world.machine("small", ["--cache.byteCountMax", "2000000"])
        let elsewhere = other.client()
        elsewhere.settings = {
            let settings = elsewhere.settings
            settings.cacheSettings = PersistentCacheSettings(sizeBytes: 100 * 1024 * 1024)
            return settings
        }()
        let error = await #expect(throws: FirestoreError.self) {
            try await elsewhere.document("cities/SF").getDocument()
        }
        #expect(error?.code == .failedPrecondition)
        #expect(error?.message.contains("cache.byteCountMax") == true)
    }

    @Test func `access data offline, listen to offline data`() async throws {
        db.collection("cities").whereField("state", isEqualTo: "CA")
            .addSnapshotListener(includeMetadataChanges: true) { querySnapshot, error in
                guard let snapshot = querySnapshot else {
                    print("Error retrieving snapshot: \(error!)")
                    return
                }

                for diff in snapshot.documentChanges {
                    if diff.type == .added {
                        print("New city: \(diff.document.data())")
                    }
                }

                let source = snapshot.metadata.isFromCache ? "local cache" : "server"
                print("Metadata: Data fetched from \(source)")
            }

        try await said.waitFor { $0 == "Metadata: Data fetched from server" }
        world.killEmulator()
        try await neighbour().document("cities/LA").setData(["state": "CA"], until: .accepted)
        try await said.waitFor { $0.hasPrefix("New city: ") }
        try await said.waitFor { $0 == "Metadata: Data fetched from local cache" }
    }

    @Test func `access data offline, configure offline query indexes`() async throws {
        if let indexManager = Firestore.firestore().persistentCacheIndexManager {
            indexManager.enableIndexAutoCreation()
        } else {
            print("indexManager is nil")
        }

        let manager = try #require(neighbour().persistentCacheIndexManager)
        _ = try await eventually(
            { try await manager.indexes().createsAutomatically }, is: { $0 })
        #expect(said.lines.isEmpty)
    }

    @Test func `access data offline, disable network access`() async throws {
        try await db.document("cities/SF").setData(["state": "CA"])
        Firestore.firestore().disableNetwork { (error) in
            print("disabled, \(String(describing: error))")
        }

        try await said.waitFor { $0 == "disabled, nil" }
        let cached = try await db.document("cities/SF").getDocument()
        #expect(cached.metadata.isFromCache)
        try await db.document("cities/LA").setData(["state": "CA"], until: .accepted)
        #expect(try await db.pendingBatches().batches.count == 1)
    }

    @Test func `access data offline, enable network access`() async throws {
        try await db.disableNetwork()
        let receipt = try await db.document("cities/SF").setData(["state": "CA"], until: .accepted)
        Firestore.firestore().enableNetwork { (error) in
            print("enabled, \(String(describing: error))")
        }

        try await said.waitFor { $0 == "enabled, nil" }
        try await receipt.committed()
    }
}
