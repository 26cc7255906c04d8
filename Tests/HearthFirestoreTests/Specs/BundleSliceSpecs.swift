import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// Bundles that go into the cache over several turns.
struct BundleSliceSpecs {
    private let rooms = collection("rooms")
    private let listener = ListenerID(session: 1, number: 1)
    private let request = RequestID(session: 9, number: 1)

    private func bench(on store: MemoryStore = MemoryStore()) throws -> EngineBench {
        try EngineBench(on: store, bundleSlices: .tiny)
    }

    private func room(_ number: Int, at microseconds: Int64 = 1_000) -> Document {
        document("rooms/r\(number)", at: microseconds, ["n": .integer(Int64(number))])
    }

    private func bundle(
        _ documents: [Document], named id: String = "b", at microseconds: Int64 = 2_000,
        query: String? = nil
    ) -> Bundle {
        let readAt = version(microseconds)
        return Bundle(
            record: BundleRecord(id: id, createdAt: readAt, version: 1),
            entries: documents.map { .init(document: $0, queries: query.map { [$0] } ?? []) },
            namedQueries: query.map { [NamedQuery(name: $0, query: rooms, readAt: readAt)] } ?? [],
            byteCount: 70)
    }

    private func five() -> [Document] { (1...5).map { room($0) } }

    /// Lets the timer of the bundles run out until it is not set any more.
    ///
    /// - Returns: What each turn asked for.
    private func finish(_ bench: inout EngineBench) throws -> [[FirestoreEngine.Action]] {
        var turns: [[FirestoreEngine.Action]] = []
        while turns.count < 100 {
            turns.append(try bench.take(.timerFired(.bundles)))
            guard goesOn(turns[turns.count - 1]) else { return turns }
        }
        Issue.record("the bundles come to no end")
        return turns
    }

    private func goesOn(_ actions: [FirestoreEngine.Action]) -> Bool {
        actions.contains(.schedule(.bundles, after: .zero))
    }

    private func loaded(_ actions: [FirestoreEngine.Action]) -> [RequestID] {
        actions.compactMap { if case .loaded(let id, _) = $0 { id } else { nil } }
    }

    /// The documents that the listener is shown in a turn; `nil` if it is shown nothing.
    private func shown(_ actions: [FirestoreEngine.Action]) -> [String]? {
        for case .emit(let snapshot, let ids) in actions where ids.contains(listener) {
            return snapshot.documents.documents.map { document in
                document.key.documentID + (document.hasPendingWrites ? "*" : "")
            }
        }
        return nil
    }

    private func cachedCount(_ bench: EngineBench) throws -> Int {
        try bench.read { try $0.remoteDocuments(DocumentScan(query: rooms)).documents.count }
    }

    private func listen(_ bench: inout EngineBench) throws {
        try bench.take(.listen(listener, rooms, ListenOptions(isCacheOnly: true)))
    }

    private func write(_ number: UInt64, _ mutation: Mutation) -> FirestoreEngine.Input {
        .write(
            WriteRequest(
                id: RequestID(session: 8, number: number), writer: Writer(uid: 1, gid: 1, pid: 1),
                mutations: [mutation]))
    }

    @Test func `a long bundle takes several turns, and whoever loads it is told at the end`() throws
    {
        var bench = try bench()
        let first = try bench.take(.loadBundle(request, bundle(five())))
        #expect(goesOn(first) && loaded(first).isEmpty)
        #expect(try cachedCount(bench) == 2)
        let turns = try finish(&bench)
        #expect(turns.count == 2)
        #expect(turns.dropLast().allSatisfy { loaded($0).isEmpty })
        let done = BundleProgress(
            documentsLoaded: 5, totalDocuments: 5, bytesLoaded: 70, totalBytes: 70)
        #expect(turns.last?.contains(.loaded(request, done)) == true)
        #expect(try cachedCount(bench) == 5)
    }

    @Test func `a short bundle takes one turn, though a long one is on its way`() throws {
        var bench = try bench()
        try bench.take(.loadBundle(request, bundle(five())))
        let short = RequestID(session: 9, number: 2)
        let actions = try bench.take(.loadBundle(short, bundle([room(9)], named: "short")))
        #expect(loaded(actions) == [short])
        #expect(!goesOn(actions))
        #expect(try finish(&bench).flatMap(loaded) == [request])
    }

    @Test func `long bundles take turns`() throws {
        var bench = try bench()
        let second = RequestID(session: 9, number: 2)
        try bench.take(.loadBundle(request, bundle((1...7).map { room($0) }, named: "x")))
        try bench.take(.loadBundle(second, bundle((11...13).map { room($0) }, named: "y")))
        #expect(try finish(&bench).map(loaded) == [[], [second], [], [request]])
    }

    @Test func `the same bundle waits for its twin, and is then loaded already`() throws {
        var bench = try bench()
        let second = RequestID(session: 9, number: 2)
        try bench.take(.loadBundle(request, bundle(five())))
        #expect(try bench.take(.loadBundle(second, bundle(five()))).isEmpty)
        #expect(try finish(&bench).map(loaded) == [[], [request], [second]])
    }

    @Test func `views hear of a long bundle at its end, all at once`() throws {
        var bench = try bench()
        try listen(&bench)
        #expect(shown(try bench.take(.loadBundle(request, bundle(five())))) == nil)
        let turns = try finish(&bench)
        #expect(turns.map(shown) == [nil, ["r1", "r2", "r3", "r4", "r5"]])
        #expect(bench.engine.untoldKeys.isEmpty)
    }

    @Test func `several views hear of a long bundle one after the other, each all at once`() throws
    {
        var bench = try bench()
        for (number, limit) in [nil, 3, 4].enumerated() {
            var query = rooms
            query.limit = limit.map { Query.Limit($0, .first) }
            let listener = ListenerID(session: 1, number: UInt64(number + 1))
            try bench.take(.listen(listener, query, ListenOptions(isCacheOnly: true)))
        }
        try bench.take(.loadBundle(request, bundle(five())))
        let turns = try finish(&bench)
        let told = turns.map { turn in
            turn.compactMap { action -> ViewSnapshot? in
                if case .emit(let snapshot, _) = action { snapshot } else { nil }
            }
        }
        #expect(told.map { $0.map(\.documents.documents.count) } == [[], [5], [3], [4]])
        #expect(turns.map(loaded) == [[], [], [], [request]])
        // What a view shows is what the cache has, though others have not been told yet.
        #expect(told.joined().allSatisfy { $0.changeNumber > 0 })
    }

    @Test(arguments: [(0, Int.max), (Int.max, 2), (Int.max, 0)])
    func `views hear of their part of a long bundle, though no name or no view is kept`(
        keptNameCountMax: Int, lackingViewCountMax: Int
    ) throws {
        var slices = BundleSlices.tiny
        slices.keptNameCountMax = keptNameCountMax
        slices.lackingViewCountMax = lackingViewCountMax
        var bench = try EngineBench(bundleSlices: slices)
        var few = rooms
        few.limit = Query.Limit(3, .first)
        for (number, query) in [rooms, few, collection("halls")].enumerated() {
            let listener = ListenerID(session: 1, number: UInt64(number + 1))
            try bench.take(.listen(listener, query, ListenOptions(isCacheOnly: true)))
        }
        let documents = five() + [document("halls/h1", at: 1_000)]
        try bench.take(.loadBundle(request, bundle(documents)))
        let told = try finish(&bench).map { turn in
            turn.compactMap { action -> Int? in
                if case .emit(let shown, _) = action {
                    shown.documents.documents.count
                } else {
                    nil
                }
            }
        }
        #expect(told == [[], [5], [3], [1]])
    }

    @Test func `a view that is gone before its turn is not told, and the bundle ends`() throws {
        var bench = try bench()
        try listen(&bench)
        var query = rooms
        query.limit = Query.Limit(3, .first)
        let other = ListenerID(session: 1, number: 2)
        try bench.take(.listen(other, query, ListenOptions(isCacheOnly: true)))
        try bench.take(.loadBundle(request, bundle(five())))
        try bench.take(.timerFired(.bundles))
        #expect(shown(try bench.take(.timerFired(.bundles)))?.count == 5)
        try bench.take(.unlisten(other))
        #expect(try finish(&bench).map(loaded) == [[request]])
    }

    @Test func `a write between two slices is shown at once, and stays`() throws {
        var bench = try bench()
        try listen(&bench)
        try bench.take(.loadBundle(request, bundle(five())))
        let set = Mutation(key: key("rooms/r1"), kind: .set(["n": .integer(7)]))
        #expect(shown(try bench.take(write(1, set))) == ["r1*"])
        let delete = Mutation(key: key("rooms/r2"), kind: .delete)
        try bench.take(write(2, delete))
        #expect(try finish(&bench).map(shown) == [nil, ["r1*", "r3", "r4", "r5"]])
    }

    @Test func `what is newer than the bundle stays, whether it comes before or behind`() throws {
        var bench = try bench()
        try listen(&bench)
        try bench.take(.loadBundle(request, bundle(five())))
        let news = [room(1, at: 1_500), .missing(key("rooms/r5"), at: version(1_500))]
        let other = RequestID(session: 9, number: 2)
        let told = try bench.take(.loadBundle(other, bundle(news, named: "news")))
        #expect(shown(told) == ["r1"])
        #expect(try finish(&bench).map(shown) == [nil, ["r1", "r2", "r3", "r4"]])
        let known = try bench.read { try $0.remoteDocument(key("rooms/r1")) }
        #expect(known.version == version(1_500))
    }

    @Test func `who listens between two slices sees what the cache has, and then the rest`() throws
    {
        var bench = try bench()
        try bench.take(.loadBundle(request, bundle(five())))
        let options = ListenOptions(isCacheOnly: true)
        #expect(shown(try bench.take(.listen(listener, rooms, options))) == ["r1", "r2"])
        #expect(try finish(&bench).map(shown) == [nil, ["r1", "r2", "r3", "r4", "r5"]])
    }

    @Test func `what the backend names between two slices is shown at once`() throws {
        let spec = try FirestoreSpec(bundleSlices: .tiny)
        spec.userListens(to: rooms)
        spec.driver.take(.loadBundle(request, bundle(five())))
        try spec.expectSilence()
        // The cache has both documents already, in the same version.
        try spec.watchAnswers(rooms, with: [room(1), room(2)], resumeToken: "r1", at: 1_500)
        try spec.expectSnapshot(of: rooms, added: [room(1), room(2)], isFromCache: false)
        while spec.driver.timers.contains(.bundles) { spec.driver.fire(upTo: .bundles) }
        try spec.expectSnapshot(
            of: rooms, added: [room(3), room(4), room(5)], isFromCache: true)
    }

    @Test func `a named query is known at the end, with all its results`() throws {
        var bench = try bench()
        try bench.take(.loadBundle(request, bundle(five(), query: "all")))
        #expect(try bench.read { try $0.namedQuery("all") } == nil)
        #expect(try bench.read { try $0.targetData(for: rooms.target) } == nil)
        #expect(try finish(&bench).flatMap(loaded) == [request])
        let data = try #require(try bench.read { try $0.targetData(for: rooms.target) })
        #expect(data.snapshotVersion == version(2_000))
        #expect(try bench.read { try $0.keys(of: data.id) }.sorted() == five().map(\.key))
        #expect(try bench.read { try $0.namedQuery("all") }?.query == rooms)
    }

    @Test func `a newer bundle's results take the place of the older's`() throws {
        var bench = try bench()
        try bench.take(.loadBundle(request, bundle(five(), query: "all")))
        _ = try finish(&bench)
        let newer = [room(2), room(6), room(7)]
        try bench.take(.loadBundle(request, bundle(newer, at: 3_000, query: "all")))
        _ = try finish(&bench)
        let data = try #require(try bench.read { try $0.targetData(for: rooms.target) })
        #expect(data.snapshotVersion == version(3_000))
        #expect(try bench.read { try $0.keys(of: data.id) }.sorted() == newer.map(\.key))
        // Nothing of the older bundle holds its other documents.
        #expect(try bench.read { try $0.isInAnyTarget(key("rooms/r1")) } == false)
        #expect(try bench.read { try $0.isInAnyTarget(key("rooms/r6")) })
    }

    @Test func `the target of a query in use stays as it is`() throws {
        var bench = try bench()
        try bench.take(.listen(listener, rooms, ListenOptions()))
        let before = try bench.read { try $0.targetData(for: rooms.target) }
        try bench.take(.loadBundle(request, bundle(five(), query: "all")))
        _ = try finish(&bench)
        #expect(try bench.read { try $0.targetData(for: rooms.target) } == before)
        #expect(try bench.read { try $0.namedQuery("all") } != nil)
    }

    @Test func `a process that dies between two slices has loaded nothing, and loads all later`()
        throws
    {
        let store = MemoryStore()
        var bench = try bench(on: store)
        try bench.take(.loadBundle(request, bundle(five(), query: "all")))
        try bench.take(.timerFired(.bundles))
        var next = try self.bench(on: store)
        #expect(try next.read { try $0.bundle("b") } == nil)
        #expect(try next.read { try $0.targetData(for: rooms.target) } == nil)
        try next.take(.loadBundle(request, bundle(five(), query: "all")))
        #expect(try finish(&next).flatMap(loaded) == [request])
        let data = try #require(try next.read { try $0.targetData(for: rooms.target) })
        #expect(try next.read { try $0.keys(of: data.id) }.count == 5)
    }

    @Test func `who leaves gives the bundle up, and views hear of what the cache has`() throws {
        var bench = try bench()
        try listen(&bench)
        try bench.take(.loadBundle(request, bundle(five(), query: "all")))
        try bench.take(.timerFired(.bundles))
        try bench.take(.disconnected(session: 9))
        let turns = try finish(&bench)
        #expect(turns.map(shown) == [["r1", "r2"]])
        #expect(turns.flatMap(loaded).isEmpty)
        #expect(try bench.read { try $0.bundle("b") } == nil)
        #expect(try bench.read { try $0.isInAnyTarget(key("rooms/r1")) } == false)
    }

    @Test func `a slice that fails is told to whoever loads, once`() throws {
        var bench = try bench()
        try listen(&bench)
        try bench.take(.loadBundle(request, bundle(five())))
        bench.store.failing = [.loadBundle]
        let slice = FirestoreEngine.Input.timerFired(.bundles)
        #expect(throws: StoreError.self) { try bench.take(slice) }
        let error = StoreError.injected(.loadBundle)
        var engine = bench.engine
        let first = engine.turnFailed(slice, error, at: bench.now)
        let later = FirestoreEngine.Action.schedule(.bundles, after: .seconds(1))
        let none = FirestoreEngine.Action.note(.bundlesLoading([]))
        let cut = FirestoreEngine.Action.note(
            .bundleCut(
                BegunBundle(record: bundle(five()).record, documentCount: 5, queryCount: 0)))
        #expect(first == [.refuse(request, .storeFailed(error)), cut, later, none])
        #expect(engine.turnFailed(slice, error, at: bench.now) == [later])
    }

    @Test func `the cache is not cleared under a bundle, and the daemon's end ends the bundle`()
        throws
    {
        var bench = try bench()
        let clearing = RequestID(session: 2, number: 1)
        try bench.take(.loadBundle(request, bundle(five())))
        let refused = try bench.take(.clearPersistence(clearing))
        #expect(refused.contains { if case .refuse(clearing, _) = $0 { true } else { false } })
        let ended = try bench.take(.shutdown)
        #expect(ended.contains { if case .refuse(request, _) = $0 { true } else { false } })
    }

    @Test func `a bundle that was given up does not keep the cache from being cleared`() throws {
        var bench = try bench()
        let clearing = RequestID(session: 2, number: 1)
        try bench.take(.loadBundle(request, bundle(five(), query: "all")))
        try bench.take(.disconnected(session: 9))
        #expect(try bench.take(.clearPersistence(clearing)).contains(.complete(clearing)))
        #expect(try bench.take(.timerFired(.bundles)).isEmpty)
        #expect(try bench.read { try $0.isInAnyTarget(key("rooms/r1")) } == false)
        try bench.take(.loadBundle(request, bundle(five())))
        #expect(try finish(&bench).flatMap(loaded) == [request])
    }
}
