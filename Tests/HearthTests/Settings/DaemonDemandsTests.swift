import HearthWire
import Testing

@testable import Hearth

/// What a program counts on, held against how a daemon is set up.
struct DaemonDemandsTests {
    private static let mebibyte: Int64 = 1 << 20

    private func setup(
        _ collection: DaemonSetup.Collection = .leastUsed(cacheByteCountMax: 100 << 20),
        upstream: String = "firestore.googleapis.com:443", isEmulator: Bool = false,
        isPersistent: Bool = true
    ) -> DaemonSetup {
        DaemonSetup(
            upstream: upstream, isEmulator: isEmulator, isPersistent: isPersistent,
            collection: collection)
    }

    private func contradiction(
        _ setup: DaemonSetup?, _ change: (FirestoreSettings) -> Void
    ) -> String? {
        let settings = FirestoreSettings(socketPath: "/nowhere")
        change(settings)
        let error = settings.demands.contradiction(by: setup)
        if let error { #expect(error.code == .failedPrecondition) }
        return error?.message
    }

    @Test func `who counts on nothing goes on with any daemon`() {
        #expect(contradiction(nil) { _ in } == nil)
        #expect(contradiction(setup(.eager, isPersistent: false)) { _ in } == nil)
        #expect(contradiction(setup()) { $0.connectTimeout = .zero } == nil)
    }

    @Test func `a daemon that does not tell is refused by who counts on something`() {
        let message = contradiction(nil) { $0.cacheSettings = PersistentCacheSettings() }
        #expect(message?.contains("does not tell") == true)
    }

    @Test func `a program of the Realtime Database is told that service's keys`() {
        var demands = DaemonDemands(service: .realtime)
        #expect(demands.contradiction(by: nil) == nil)
        demands.cacheByteCountMax = 5
        #expect(
            demands.contradiction(by: setup())?.message.contains("realtime.cacheByteCountMax")
                == true)
        demands = DaemonDemands(service: .realtime, host: "localhost:9000", isEncrypted: false)
        #expect(
            demands.contradiction(by: setup())?.message.contains("realtime.emulator") == true)
    }

    @Test func `a persistent cache agrees by kind and by size`() {
        func demand(_ cache: PersistentCacheSettings, _ setup: DaemonSetup) -> String? {
            contradiction(setup) { $0.cacheSettings = cache }
        }
        #expect(demand(PersistentCacheSettings(), setup()) == nil)
        #expect(demand(PersistentCacheSettings(sizeBytes: 100 * Self.mebibyte), setup()) == nil)
        #expect(
            demand(PersistentCacheSettings(sizeBytes: FirestoreCacheSizeUnlimited), setup(.never))
                == nil)
        let size = demand(PersistentCacheSettings(sizeBytes: 50 * Self.mebibyte), setup())
        #expect(size?.contains("52428800") == true)
        #expect(size?.contains("104857600") == true)
        #expect(size?.contains("cache.byteCountMax") == true)
        #expect(
            demand(PersistentCacheSettings(sizeBytes: FirestoreCacheSizeUnlimited), setup()) != nil)
        #expect(
            demand(PersistentCacheSettings(), setup(isPersistent: false))?
                .contains("store.isPersistent") == true)
    }

    @Test func `a cache in memory agrees by kind and by collector`() {
        func demand(_ collector: any MemoryGarbageCollectorSettings, _ setup: DaemonSetup)
            -> String?
        {
            contradiction(setup) {
                $0.cacheSettings = MemoryCacheSettings(garbageCollectorSettings: collector)
            }
        }
        let least = setup(.leastUsed(cacheByteCountMax: 2 << 20), isPersistent: false)
        let eager = setup(.eager, isPersistent: false)
        #expect(demand(MemoryLRUGCSettings(), least) == nil)
        #expect(demand(MemoryLRUGCSettings(sizeBytes: 2 * Self.mebibyte), least) == nil)
        #expect(demand(MemoryEagerGCSetting(), eager) == nil)
        #expect(contradiction(eager) { $0.cacheSettings = MemoryCacheSettings() } == nil)
        #expect(demand(MemoryLRUGCSettings(sizeBytes: 3 * Self.mebibyte), least) != nil)
        #expect(demand(MemoryLRUGCSettings(), eager) != nil)
        #expect(demand(MemoryEagerGCSetting(), least)?.contains("cache.collection") == true)
        #expect(demand(MemoryLRUGCSettings(), setup())?.contains("in memory") == true)
    }

    @Test func `the older settings say the same`() {
        #expect(contradiction(setup()) { $0.isPersistenceEnabled = true } == nil)
        #expect(contradiction(setup()) { $0.isPersistenceEnabled = false } != nil)
        #expect(contradiction(setup()) { $0.cacheSizeBytes = 100 * Self.mebibyte } == nil)
        #expect(contradiction(setup()) { $0.cacheSizeBytes = 99 * Self.mebibyte } != nil)
        #expect(
            contradiction(setup(.never)) { $0.cacheSizeBytes = FirestoreCacheSizeUnlimited } == nil)
    }

    @Test(arguments: ["localhost:8080", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST:8080"])
    func `an emulator is the same however its machine is called`(host: String) {
        let emulator = setup(upstream: "localhost:8080", isEmulator: true)
        func demand(_ settings: FirestoreSettings) {
            settings.host = host
            settings.isSSLEnabled = false
        }
        #expect(contradiction(emulator, demand) == nil)
        let other = setup(upstream: "localhost:9090", isEmulator: true)
        #expect(contradiction(other, demand)?.contains("upstream.emulator") == true)
        #expect(contradiction(setup(), demand)?.contains("firestore.googleapis.com:443") == true)
    }

    @Test func `a backend has the port of TLS unless it names one`() {
        #expect(contradiction(setup()) { $0.host = "firestore.googleapis.com" } == nil)
        #expect(contradiction(setup()) { $0.host = "Firestore.googleapis.com:443" } == nil)
        #expect(contradiction(setup()) { $0.host = "firestore.googleapis.com:444" } != nil)
        #expect(contradiction(setup()) { $0.host = "elsewhere.example" } != nil)
        #expect(contradiction(setup()) { $0.isSSLEnabled = true } == nil)
        #expect(contradiction(setup()) { $0.isSSLEnabled = false } != nil)
        let socket = setup(upstream: "unix:/a/B.sock", isEmulator: true)
        #expect(contradiction(socket) { $0.host = "unix:/a/B.sock" } == nil)
        #expect(contradiction(socket) { $0.host = "unix:/a/b.sock" } != nil)
        #expect(contradiction(socket) { $0.isSSLEnabled = true } != nil)
    }
}
