import Glibc
import Hearth
import HearthTestSupport
import Synchronization
import Testing

/// Databases, the backend that a program counts on, and everything that concerns the whole
/// `Firestore`, in each of its forms.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct LifecycleAPITests {
    /// Calls a function that answers a closure with an error or none.
    private func told(
        _ body: (@escaping @Sendable ((any Error)?) -> Void) -> Void
    ) async -> FirestoreError? {
        await withCheckedContinuation { continuation in
            body { continuation.resume(returning: $0 as? FirestoreError) }
        }
    }

    @Test func `a database of another name is another database of the same project`() async throws {
        let world = try World()
        let machine = try world.machine()
        try await Firestore.firestore().terminate()
        setenv("HEARTH_SOCKET", machine.socketPath, 1)
        let (main, other) = (Firestore.firestore(), Firestore.firestore(database: "other"))
        #expect(main == Firestore.firestore())
        #expect(main == Firestore.firestore(database: "(default)"))
        #expect(other == Firestore.firestore(database: "other"))
        #expect(main != other)
        try await main.document("rooms/hall").setData(["n": 1])
        #expect(try await other.document("rooms/hall").getDocument(source: .server).exists == false)
        #expect(try await other.daemonStatus().databaseID == "other")
        #expect(try await other.daemonStatus().projectID == "demo")
        try await other.terminate()
        #expect(other != Firestore.firestore(database: "other"))
    }

    @Test func `a program that counts on an emulator goes on with that one alone`() async throws {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        let settings = client.settings
        settings.host = world.emulatorAddress
        settings.isSSLEnabled = false
        client.settings = settings
        try await client.document("rooms/hall").setData(["n": 1])
        let misled = machine.client()
        misled.useEmulator(withHost: "localhost", port: 8080)
        let error = await #expect(throws: FirestoreError.self) {
            try await misled.document("rooms/hall").setData(["n": 2])
        }
        #expect(error?.code == .failedPrecondition)
        #expect(error?.message.contains("upstream.emulator") == true)
        #expect(try await client.document("rooms/hall").getDocument()["n"] as? Int == 1)
    }

    @Test func `the network's switches and the waiting for writes answer closures`() async throws {
        let world = try World()
        let client = try world.machine().client()
        try await client.document("rooms/hall").setData(["n": 1])
        #expect(await told { client.disableNetwork(completion: $0) } == nil)
        #expect(try await client.document("rooms/hall").getDocument().metadata.isFromCache)
        let receipt = try await client.document("rooms/hall").setData(["n": 2], until: .accepted)
        let waits = Mutex(true)
        client.waitForPendingWrites { error in
            #expect(error == nil)
            waits.withLock { $0 = false }
        }
        #expect(waits.withLock { $0 })
        #expect(await told { client.enableNetwork(completion: $0) } == nil)
        try await receipt.committed()
        _ = try await eventually({ waits.withLock { $0 } }, is: { !$0 })
    }

    @Test func `what is terminated answers with an error, and its cache can be cleared`()
        async throws
    {
        let world = try World()
        let machine = try world.machine()
        let client = machine.client()
        try await client.document("rooms/hall").setData(["n": 1])
        #expect(await told { client.terminate(completion: $0) } == nil)
        let error = await #expect(throws: FirestoreError.self) {
            try await client.document("rooms/hall").getDocument()
        }
        #expect(error?.code == .failedPrecondition)
        #expect(await told { client.clearPersistence(completion: $0) } == nil)
        let next = machine.client()
        let cached = await #expect(throws: FirestoreError.self) {
            try await next.document("rooms/hall").getDocument(source: .cache)
        }
        #expect(cached?.code == .unavailable)
    }

    @Test func `snapshots in sync are told after the listeners`() async throws {
        let world = try World()
        let client = try world.machine().client()
        let said = Mutex<[String]>([])
        let rooms = client.collection("rooms").addSnapshotListener { snapshot, _ in
            said.withLock { $0.append("rooms \(snapshot?.count ?? -1)") }
        }
        let sync = client.addSnapshotsInSyncListener {
            said.withLock { if $0.last != "in sync" { $0.append("in sync") } }
        }
        try await client.document("rooms/hall").setData(["n": 1])
        let lines = try await eventually(
            { said.withLock { $0 } }, is: { $0.suffix(2) == ["rooms 1", "in sync"] })
        #expect(lines.filter { $0 == "rooms 1" }.count == 1)
        sync.remove()
        rooms.remove()
    }

    @Test func `indexes come from the file that Firebase's tools write`() async throws {
        let world = try World(isOnline: false)
        let client = try world.machine().client()
        let json = """
            {"indexes": [{"collectionGroup": "rooms", "queryScope": "COLLECTION", "fields": [
              {"fieldPath": "city", "order": "ASCENDING"},
              {"fieldPath": "tags", "arrayConfig": "CONTAINS"}]}], "fieldOverrides": []}
            """
        try await client.setIndexConfiguration(json)
        let manager = try #require(client.persistentCacheIndexManager)
        let indexes = try await manager.indexes().indexes.map(\.description)
        #expect(indexes == ["rooms(city asc, tags contains)"])
        let error = await told { client.setIndexConfiguration("no JSON", completion: $0) }
        #expect(error?.code == .invalidArgument)
        manager.deleteAllIndexes()
        _ = try await eventually({ try await manager.indexes().indexes }, is: { $0.isEmpty })
    }

    @Test func `the library tells of its connection if it is asked to`() async throws {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let process = try ChildProcess(
            "DemoListener", ["CA"], log: "\(world.folder.path)/listener.log",
            output: "\(world.folder.path)/listener-output.log",
            environment: ["HEARTH_SOCKET=\(machine.socketPath)", "HEARTH_LOGGING=1"])
        _ = try await eventually(
            { world.log("listener") },
            is: { $0.contains("hearth: connecting to") && $0.contains("hearth: session ") })
        process.kill9()
    }
}
