import Dispatch
import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import Hearth

/// Settings: copies, the part that a session hears, and the moment when settings are frozen.
struct FirestoreSettingsTests {
    @Test func `settings are handed over as copies`() {
        let settings = FirestoreSettings(socketPath: "/nowhere")
        let firestore = Firestore(settings: settings)
        settings.socketPath = "/elsewhere"
        #expect(firestore.settings.socketPath == "/nowhere")
        firestore.settings.databaseID = "other"
        #expect(firestore.settings.databaseID == "(default)")
        let copy = firestore.settings
        #expect(copy == firestore.settings)
        copy.programName = "other"
        #expect(copy != firestore.settings)
        #expect(firestore.settings.programName == nil)
    }

    @Test func `what was set of the cache is read again`() {
        let settings = FirestoreSettings(socketPath: "/nowhere")
        #expect(settings.cacheSettings == nil)
        let persistent = PersistentCacheSettings(sizeBytes: 1 << 20)
        settings.cacheSettings = persistent
        #expect(settings.cacheSettings as? PersistentCacheSettings == persistent)
        let memory = MemoryCacheSettings(garbageCollectorSettings: MemoryLRUGCSettings())
        settings.cacheSettings = memory
        #expect(settings.cacheSettings as? MemoryCacheSettings == memory)
        #expect(settings.host == "firestore.googleapis.com")
        #expect(settings.isSSLEnabled)
        #expect(settings.cacheSizeBytes == nil)
        #expect(settings.isPersistenceEnabled == nil)
    }

    @Test func `settings that change before the first request count`() async throws {
        let daemon = try FakeDaemon()
        let firestore = Firestore(settings: FirestoreSettings(socketPath: "/nowhere"))
        let settings = firestore.settings
        settings.socketPath = daemon.path
        settings.projectID = "demo"
        settings.programName = "renamed"
        firestore.settings = settings
        async let status = firestore.daemonStatus()
        var sessions = daemon.sessions.makeAsyncIterator()
        let session = try #require(await sessions.next())
        let hello = try await session.greet()
        #expect(hello?.program == "renamed")
        #expect(hello?.database == .firestore(.exactly(DatabaseID(project: "demo"))))
        let asked = try #require(await session.next())
        try session.send(
            .report(.status(StatusReport(database: .firestore(FakeDaemon.database)))), asked.number)
        #expect(try await status.projectID == "demo")
        firestore.settings = settings  // In use, but nothing changes.
    }

    @Test func `settings of a Firestore in use stop the program if they change`() async {
        await #expect(processExitsWith: .failure) {
            let firestore = Firestore(settings: FirestoreSettings(socketPath: "/nowhere"))
            firestore.enableNetwork(completion: nil)
            firestore.settings = FirestoreSettings(socketPath: "/elsewhere")
        }
    }

    @Test func `a cache of a few bytes stops the program`() async {
        await #expect(processExitsWith: .failure) {
            _ = PersistentCacheSettings(sizeBytes: 1_000)
        }
    }

    @Test func `a database of the default project is asked for by its name`() async throws {
        let daemon = try FakeDaemon()
        let firestore = Firestore(
            settings: FirestoreSettings(socketPath: daemon.path), database: "other")
        let status = Task { try await firestore.daemonStatus() }
        var sessions = daemon.sessions.makeAsyncIterator()
        let session = try #require(await sessions.next())
        let first = try #require(await session.next())
        guard case .session(.hello(let hello)) = first.request else {
            Issue.record("\(first.request)")
            return
        }
        #expect(hello.database == .firestore(.named("other")))
        // A daemon that does not know the field welcomes to its default database.
        try session.send(.welcome(Events.welcome()), first.number)
        let error = await #expect(throws: FirestoreError.self) { try await status.value }
        #expect(error?.code == .failedPrecondition)
        #expect(error?.message.contains("other") == true)
    }

    @Test func `a demand that the daemon does not meet fails every request`() async throws {
        let daemon = try FakeDaemon()
        let firestore = Firestore(settings: FirestoreSettings(socketPath: daemon.path))
        firestore.useEmulator(withHost: "localhost", port: 8080)
        #expect(firestore.settings.host == "localhost:8080")
        let asked = Task { try await firestore.document("a/b").setData(["c": 1]) }
        var sessions = daemon.sessions.makeAsyncIterator()
        let session = try #require(await sessions.next())
        let first = try #require(await session.next())
        var welcome = Events.welcome()
        welcome.setup = DaemonSetup(
            upstream: "firestore.googleapis.com:443", isEmulator: false, isPersistent: true,
            collection: .never)
        try session.send(.welcome(welcome), first.number)
        let error = await #expect(throws: FirestoreError.self) { try await asked.value }
        #expect(error?.code == .failedPrecondition)
        #expect(await session.next() == nil, "Nothing but Hello was sent")
    }

    @Test func `closures are called on the queue that the program names`() async throws {
        let key = DispatchSpecificKey<Int>()
        let queue = DispatchQueue(label: "test")
        queue.setSpecific(key: key, value: 7)
        let settings = FirestoreSettings(socketPath: "/nowhere", connectTimeout: .zero)
        settings.dispatchQueue = queue
        let firestore = Firestore(settings: settings)
        let value = await withCheckedContinuation { continuation in
            firestore.enableNetwork { _ in
                continuation.resume(returning: DispatchQueue.getSpecific(key: key))
            }
        }
        #expect(value == 7)
    }
}
