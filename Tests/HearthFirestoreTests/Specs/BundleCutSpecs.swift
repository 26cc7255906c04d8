import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// What operators hear of bundles on their way, and what becomes of a load whose process has died.
struct BundleCutSpecs {
    private let rooms = collection("rooms")
    private let request = RequestID(session: 9, number: 1)
    private let store = MemoryStore()

    private func bench() throws -> EngineBench {
        try EngineBench(on: store, bundleSlices: .tiny)
    }

    private func bundle(at microseconds: Int64 = 2_000) -> Bundle {
        let readAt = version(microseconds)
        return Bundle(
            record: BundleRecord(id: "b", createdAt: readAt, version: 1),
            entries: (1...5).map {
                .init(document: document("rooms/r\($0)", at: 1_000), queries: ["q"])
            },
            namedQueries: [NamedQuery(name: "q", query: rooms, readAt: readAt)], byteCount: 70)
    }

    private func finish(_ bench: inout EngineBench) throws -> [FirestoreEngine.Action] {
        var actions: [FirestoreEngine.Action] = []
        for _ in 0..<100 {
            let turn = try bench.take(.timerFired(.bundles))
            actions += turn
            if !turn.contains(.schedule(.bundles, after: .zero)) { return actions }
        }
        Issue.record("the bundles come to no end")
        return actions
    }

    private func notes(_ actions: [FirestoreEngine.Action]) -> [FirestoreEngine.Note] {
        actions.compactMap { if case .note(let note) = $0 { note } else { nil } }
    }

    private func cuts(_ actions: [FirestoreEngine.Action]) -> [BegunBundle] {
        notes(actions).compactMap { if case .bundleCut(let begun) = $0 { begun } else { nil } }
    }

    private func begun(_ bench: EngineBench) throws -> [BegunBundle] {
        try bench.read { try $0.begunBundles() }
    }

    /// How many targets of the load's own there are: the umbrella, and the stand-in of the query.
    private func targetCount(_ bench: EngineBench) throws -> Int {
        let places = [
            ResourcePath(["__bundle__", "docs", "b"]),
            ResourcePath(["__bundle__", "queries", "b", "results", "0"]),
        ]
        return try bench.read { store in
            try places.filter { try store.targetData(for: Query(path: $0).target) != nil }.count
        }
    }

    @Test func `the note of a load comes with the first slice, and goes with the last`() throws {
        var bench = try bench()
        try bench.take(.loadBundle(request, bundle()))
        let note = BegunBundle(record: bundle().record, documentCount: 5, queryCount: 1)
        #expect(try begun(bench) == [note])
        try bench.take(.timerFired(.bundles))
        #expect(try begun(bench) == [note])
        _ = try finish(&bench)
        #expect(try begun(bench).isEmpty)
        #expect(try bench.read { try $0.bundle("b") } == bundle().record)
    }

    @Test func `a bundle that goes in whole leaves no note`() throws {
        var bench = try EngineBench(on: store)
        let actions = try bench.take(.loadBundle(request, bundle()))
        #expect(notes(actions).contains(.bundleLoaded(bundle().record)))
        #expect(try begun(bench).isEmpty)
    }

    @Test func `a bundle has a note while views are told of it one after the other`() throws {
        var slices = BundleSlices.tiny
        slices.stepCountMax = 14  // Five documents with a place each, and a query.
        var bench = try EngineBench(on: store, bundleSlices: slices)
        for count in 5...8 {
            var query = rooms
            query.limit = Query.Limit(count)
            let listener = ListenerID(session: 1, number: UInt64(count))
            try bench.take(.listen(listener, query, ListenOptions(isCacheOnly: true)))
        }
        func isTelling(_ actions: [FirestoreEngine.Action]) -> Bool {
            actions.contains { if case .emit = $0 { true } else { false } }
        }
        #expect(isTelling(try bench.take(.loadBundle(request, bundle()))))
        let note = BegunBundle(record: bundle().record, documentCount: 5, queryCount: 1)
        #expect(try begun(bench) == [note])
        #expect(isTelling(try finish(&bench)))
        #expect(try begun(bench).isEmpty)
        #expect(try bench.read { try $0.bundle("b") } == bundle().record)
    }

    @Test func `a start tells of a load that died, and lets go of what the load held`() throws {
        var first = try bench()
        try first.take(.loadBundle(request, bundle()))
        try first.take(.timerFired(.bundles))
        #expect(try targetCount(first) == 2)

        var second = try bench()
        #expect(cuts(second.actions).map(\.record) == [bundle().record])
        #expect(second.actions.contains(.schedule(.bundles, after: .zero)))
        // Until the note is gone from the store, the next start would tell again.
        #expect(cuts(try bench().actions).count == 1)
        #expect(!notes(try finish(&second)).contains(.bundleLoaded(bundle().record)))
        #expect(try targetCount(second) == 0)
        #expect(try second.read { try $0.isInAnyTarget(key("rooms/r1")) } == false)
        #expect(try begun(second).isEmpty)
        #expect(cuts(try bench().actions).isEmpty)
    }

    @Test func `a load that its client leaves is told as cut, and one that waits is dropped`()
        throws
    {
        var bench = try bench()
        try bench.take(.loadBundle(request, bundle()))
        let waiting = RequestID(session: 9, number: 2)
        try bench.take(.loadBundle(waiting, bundle(at: 3_000)))
        let note = BegunBundle(record: bundle().record, documentCount: 5, queryCount: 1)
        #expect(cuts(try bench.take(.disconnected(session: 9))) == [note])
        let actions = try finish(&bench)
        #expect(cuts(actions).isEmpty)
        #expect(!notes(actions).contains { if case .bundleLoaded = $0 { true } else { false } })
        #expect(cuts(try self.bench().actions).isEmpty)
    }

    @Test func `a bundle that the cache has whole comes to its end without its client`() throws {
        var slices = BundleSlices.tiny
        slices.stepCountMax = 14  // Five documents with a place each, and a query.
        var bench = try EngineBench(on: store, bundleSlices: slices)
        for count in 5...8 {
            var query = rooms
            query.limit = Query.Limit(count)
            let listener = ListenerID(session: 1, number: UInt64(count))
            try bench.take(.listen(listener, query, ListenOptions(isCacheOnly: true)))
        }
        try bench.take(.loadBundle(request, bundle()))
        try #require(try begun(bench).count == 1)
        #expect(cuts(try bench.take(.disconnected(session: 9))).isEmpty)
        let actions = try finish(&bench)
        #expect(notes(actions).contains(.bundleLoaded(bundle().record)))
        #expect(!actions.contains { if case .loaded = $0 { true } else { false } })
        #expect(try bench.read { try $0.bundle("b") } == bundle().record)
    }

    @Test func `who loads an older bundle has operators told of the one that is loaded`() throws {
        var bench = try bench()
        let newer = bundle(at: 3_000)
        try bench.take(.loadBundle(request, newer))
        _ = try finish(&bench)
        let actions = try bench.take(.loadBundle(request, bundle()))
        #expect(notes(actions).contains(.bundleSkipped(bundle().record, because: newer.record)))
        // That nothing was taken is in the answer.
        let skipped = BundleProgress(
            documentsLoaded: 0, totalDocuments: 5, bytesLoaded: 70, totalBytes: 70)
        #expect(actions.contains(.loaded(request, skipped)))
    }

    @Test func `a load that its client has left is no longer noted in the end`() throws {
        var bench = try bench()
        try bench.take(.loadBundle(request, bundle()))
        try bench.take(.timerFired(.bundles))
        try bench.take(.disconnected(session: 9))
        _ = try finish(&bench)
        #expect(try targetCount(bench) == 0)
        #expect(try begun(bench).isEmpty)
    }

    @Test func `a daemon that goes down leaves the note for its next start`() throws {
        var first = try bench()
        try first.take(.loadBundle(request, bundle()))
        #expect(notes(try first.take(.shutdown)).contains(.bundlesLoading([])))
        #expect(cuts(try bench().actions).count == 1)
    }

    @Test func `whoever loads a bundle again waits for the end of what was left, and is told`()
        throws
    {
        var first = try bench()
        try first.take(.loadBundle(request, bundle()))
        var second = try bench()
        try second.take(.loadBundle(request, bundle()))
        let actions = try finish(&second)
        #expect(actions.contains { if case .loaded(request, _) = $0 { true } else { false } })
        #expect(notes(actions).contains(.bundleLoaded(bundle().record)))
        let data = try #require(try second.read { try $0.targetData(for: rooms.target) })
        #expect(try second.read { try $0.keys(of: data.id) }.count == 5)
        // It is told once more, so that a report that the first time did not take back goes.
        let again = try second.take(.loadBundle(request, bundle()))
        let record = bundle().record
        #expect(notes(again).contains(.bundleSkipped(record, because: record)))
    }

    @Test func `an older bundle of the name counts no longer while a newer one is loaded`() throws {
        var first = try bench()
        try first.take(.loadBundle(request, bundle()))
        _ = try finish(&first)
        try first.take(.loadBundle(request, bundle(at: 3_000)))
        #expect(try first.read { try $0.bundle("b") } == nil)
        var second = try bench()
        _ = try finish(&second)
        #expect(try second.read { try $0.bundle("b") } == nil)
        try second.take(.loadBundle(request, bundle()))
        let actions = try finish(&second)
        #expect(actions.contains { if case .loaded(request, _) = $0 { true } else { false } })
    }

    @Test func `operators are told how far a bundle is after each slice, and that it has ended`()
        throws
    {
        var bench = try bench()
        var actions = try bench.take(.loadBundle(request, bundle()))
        actions += try finish(&bench)
        let told = notes(actions).compactMap { note -> [BundleLoading]? in
            if case .bundlesLoading(let loads) = note { loads } else { nil }
        }
        #expect(told.last == [])
        let counts = told.dropLast().flatMap { $0 }
        #expect(counts.allSatisfy { $0.id == "b" && $0.totalDocumentCount == 5 })
        #expect(counts.map(\.documentCount) == counts.map(\.documentCount).sorted())
        #expect(counts.first.map { $0.documentCount < 5 } == true)
        #expect(counts.last?.documentCount == 5)
    }

    @Test func `a cache that is cleared has no note left`() throws {
        var bench = try bench()
        try bench.take(.loadBundle(request, bundle()))
        try bench.take(.disconnected(session: 9))
        let cleared = try bench.take(.clearPersistence(RequestID(session: 2, number: 1)))
        #expect(notes(cleared).contains(.cacheCleared))
        #expect(try begun(bench).isEmpty)
        #expect(cuts(try self.bench().actions).isEmpty)
    }
}
