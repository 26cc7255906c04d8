import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// One-time reads while the backend cannot be reached.
struct ReadSpecs {
    private let id = RequestID(session: 1, number: 1)

    /// An engine that is offline, and whose cache holds `rooms/hall` and knows `rooms/gone` missing.
    private func offline() throws -> EngineBench {
        let store = MemoryStore()
        var hall = document("rooms/hall", ["n": .integer(1)])
        hall.readAt = version(1_000)
        var gone = Document.missing(key("rooms/gone"), at: version(1_000))
        gone.readAt = version(1_000)
        let (present, absent) = (hall, gone)
        try store.transaction { transaction throws(StoreError) in
            try transaction.setRemoteDocument(present)
            try transaction.setRemoteDocument(absent)
        }
        var bench = try EngineBench(on: store)
        try bench.take(.setNetwork(isEnabled: false))
        return bench
    }

    private func answer(_ actions: [FirestoreEngine.Action]) -> ViewSnapshot? {
        for case .answer(id, let snapshot) in actions { return snapshot }
        return nil
    }

    private func refusal(_ actions: [FirestoreEngine.Action]) -> StatusCode? {
        for case .refuse(id, let error) in actions { return error.code }
        return nil
    }

    @Test(arguments: [ReadSource.default, .cache])
    func `a cached document is answered from the cache`(source: ReadSource) throws {
        var bench = try offline()
        let actions = try bench.take(.get(id, Query(document: key("rooms/hall")), source))
        #expect(answer(actions)?.documents.count == 1)
        #expect(answer(actions)?.isFromCache == true)
    }

    @Test func `a document known to be missing is answered from the cache only on request`() throws
    {
        var bench = try offline()
        let query = Query(document: key("rooms/gone"))
        #expect(answer(try bench.take(.get(id, query, .cache)))?.documents.isEmpty == true)
        #expect(refusal(try bench.take(.get(id, query, .default))) == .unavailable)
    }

    @Test(arguments: [ReadSource.default, .cache, .server])
    func `a document of which nothing is known is unavailable`(source: ReadSource) throws {
        var bench = try offline()
        let query = Query(document: key("rooms/new"))
        #expect(refusal(try bench.take(.get(id, query, source))) == .unavailable)
    }

    @Test(arguments: [ReadSource.default, .cache])
    func `a query is answered from the cache, empty or not`(source: ReadSource) throws {
        var bench = try offline()
        #expect(
            answer(try bench.take(.get(id, collection("rooms"), source)))?.documents.count == 1)
        let none = answer(try bench.take(.get(id, collection("none"), source)))
        #expect(none?.documents.isEmpty == true)
        #expect(none?.isFromCache == true)
    }

    @Test(arguments: ["rooms", "rooms/hall"])
    func `a read from the server is unavailable, whatever the cache holds`(path: String) throws {
        var bench = try offline()
        let actions = try bench.take(.get(id, collection(path), .server))
        #expect(refusal(actions) == .unavailable)
    }

    @Test func `a read that waits for the backend is answered when it turns out to be away`() throws
    {
        var bench = try EngineBench()
        #expect(answer(try bench.take(.get(id, collection("rooms"), .default))) == nil)
        let actions = try bench.take(.timerFired(.onlineState))
        #expect(answer(actions)?.isFromCache == true)
        #expect(bench.engine.targetID(for: collection("rooms")) == nil)
    }

    @Test func `a query that cannot be is refused before anything is asked`() throws {
        var bench = try EngineBench()
        var query = collection("rooms")
        query.limit = Query.Limit(0)
        #expect(refusal(try bench.take(.get(id, query, .default))) == .invalidArgument)
    }
}
