import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthServer
@testable import HearthStore

/// What operators hear of a bundle of which a daemon that ended has left a part in the cache.
struct BundleReportTests {
    private let folder = TemporaryFolder()
    private let database = DatabaseID(project: "demo")
    private let record = BundleRecord(
        id: "news", createdAt: SnapshotVersion(Timestamp(seconds: 9, nanoseconds: 0)), version: 1)

    private var path: String { StoreFolder.path(of: .firestore(database), in: folder.path) }

    /// Leaves the store as a daemon does that dies between two slices of a bundle.
    private func leaveHalf() throws {
        try StoreFolder.makeFolders(above: path)
        let store = try SQLiteStore(StoreConfiguration(path: path, database: database))
        let begun = BegunBundle(record: record, documentCount: 5_000, queryCount: 2)
        try store.transaction { transaction throws(StoreError) in
            try transaction.setBegunBundle(begun)
        }
    }

    /// Starts the engine of the store, without a backend.
    private func start(_ outlet: RecordingOutlet) -> RunningEngine {
        var configuration = ServerConfiguration()
        configuration.storeFolder = folder.path
        configuration.isUpstreamEnabled = false
        return FirestoreAssembly(
            configuration: configuration, outlet: outlet, memory: SharedSurveyMemory()
        ).start(database, door: ClosedDoor.silent) { SilentUpstream($0) }
    }

    private func losses(_ engine: RunningEngine, are isAwaited: ([StoreLoss]) -> Bool) async throws
        -> [StoreLoss]
    {
        try await eventually {
            LossReports.standing(engine.lifecycle.status.losses)
        } is: {
            engine.lifecycle.status.phase == .open && isAwaited($0)
        }
    }

    private func cuts(_ outlet: RecordingOutlet) -> Int {
        outlet.actions.count { if case .note(.bundleCut) = $0 { true } else { false } }
    }

    /// The bundle without documents, or another edition of the bundle.
    private func load(_ engine: RunningEngine, madeAt seconds: Int64 = 9) {
        let record = BundleRecord(
            id: self.record.id,
            createdAt: SnapshotVersion(Timestamp(seconds: seconds, nanoseconds: 0)), version: 1)
        let bundle = Bundle(record: record, entries: [], namedQueries: [], byteCount: 0)
        _ = engine.firestore.inlet.submit(
            [.loadBundle(RequestID(session: 1, number: 1), bundle)], from: .session(1))
    }

    private func hasLoaded(_ outlet: RecordingOutlet) -> Bool {
        outlet.actions.contains { if case .loaded = $0 { true } else { false } }
    }

    @Test func `a bundle that was cut off is told until somebody loads the bundle whole`()
        async throws
    {
        try leaveHalf()
        let outlet = RecordingOutlet(FaultyStore.Script())
        let engine = start(outlet)
        let told = try await losses(engine) { !$0.isEmpty }
        #expect(told.count == 1)
        #expect(told.first?.account.contains("\"news\"") == true)
        #expect(cuts(outlet) == 1)
        load(engine)
        _ = try await losses(engine) { $0.isEmpty }
        #expect(LossReports.read(besides: path).isEmpty)
        await engine.lifecycle.close()

        let second = RecordingOutlet(FaultyStore.Script())
        let again = start(second)
        let left = try await losses(again) { _ in true }
        #expect(left.isEmpty)
        #expect(cuts(second) == 0)
        await again.lifecycle.close()
    }

    @Test func `an older bundle of the name leaves the report of a newer one`() async throws {
        try leaveHalf()
        let outlet = RecordingOutlet(FaultyStore.Script())
        let engine = start(outlet)
        let told = try await losses(engine) { !$0.isEmpty }
        load(engine, madeAt: 8)
        _ = try await eventually {
            hasLoaded(outlet)
        } is: {
            $0
        }
        #expect(LossReports.standing(engine.lifecycle.status.losses) == told)
        load(engine, madeAt: 10)
        _ = try await losses(engine) { $0.isEmpty }
        #expect(LossReports.read(besides: path).isEmpty)
        await engine.lifecycle.close()
    }

    @Test func `a bundle whose client leaves half-way is told like one that was cut off`()
        async throws
    {
        let outlet = RecordingOutlet(FaultyStore.Script())
        let engine = start(outlet)
        _ = try await losses(engine) { $0.isEmpty }
        let readAt = SnapshotVersion(Timestamp(seconds: 1, nanoseconds: 0))
        let entries = try (1...1_001).map { number in
            Bundle.Entry(
                document: .missing(try DocumentKey(parsing: "many/\(number)"), at: readAt),
                queries: [])
        }
        let bundle = Bundle(record: record, entries: entries, namedQueries: [], byteCount: 0)
        _ = engine.firestore.inlet.submit(
            [.loadBundle(RequestID(session: 2, number: 1), bundle), .disconnected(session: 2)],
            from: .session(2))
        let told = try await losses(engine) { !$0.isEmpty }
        #expect(told.map { $0.account.contains("1001 documents") } == [true])
        _ = try await eventually {
            cuts(outlet)
        } is: {
            $0 == 1
        }
        load(engine)
        _ = try await losses(engine) { $0.isEmpty }
        await engine.lifecycle.close()
    }

    @Test func `a cache that is cleared lacks no bundle, and the report goes with the cache`()
        async throws
    {
        try leaveHalf()
        LossReports.write("Rescue.", besides: path + ".damaged-5")
        let outlet = RecordingOutlet(FaultyStore.Script())
        let engine = start(outlet)
        _ = try await losses(engine) { $0.count == 2 }
        let seven = Timestamp(seconds: 7, nanoseconds: 0)
        for number in 1...(LossReports.toldCountMax + 1) {
            let loss = LossName(of: "bundle \(number)", madeAt: seven)
            LossReports.write("Another.", of: loss, besides: path, at: seven)
        }
        let request = RequestID(session: 1, number: 1)
        _ = engine.firestore.inlet.submit([.clearPersistence(request)], from: .session(1))
        _ = try await eventually {
            outlet.actions.contains(.complete(request))
        } is: {
            $0
        }
        #expect(outlet.actions.contains(.note(.cacheCleared)))
        let left = LossReports.standing(engine.lifecycle.status.losses)
        #expect(left.map(\.account) == ["Rescue."])
        #expect(LossReports.read(besides: path) == left)
        await engine.lifecycle.close()

        let again = start(RecordingOutlet(FaultyStore.Script()))
        let told = try await losses(again) { _ in true }
        #expect(told == left)
        await again.lifecycle.close()
    }

    @Test func `whoever removes the report has taken note`() async throws {
        try leaveHalf()
        let engine = start(RecordingOutlet(FaultyStore.Script()))
        let told = try await losses(engine) { !$0.isEmpty }
        try #require(unlink(try #require(told.first).path) == 0)
        #expect(LossReports.standing(engine.lifecycle.status.losses).isEmpty)
        await engine.lifecycle.close()
    }
}
