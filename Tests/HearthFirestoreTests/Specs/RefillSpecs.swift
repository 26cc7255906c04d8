import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// Limits that lose documents, where to look for the next takes long.
struct RefillSpecs {
    private let listener = ListenerID(session: 1, number: 1)
    private let request = RequestID(session: 2, number: 1)

    private var query: Query {
        var query = collection("rooms")
        query.limit = Query.Limit(2)
        return query
    }

    /// An engine whose cache has six rooms, and a listener that is shown the first two.
    private func bench(
        arrange: (inout SurveyTerms) -> Void = { _ in }
    ) throws -> EngineBench {
        var terms = SurveyTerms.tiny
        terms.changeCountMax = 10
        terms.refillCountMax = 2
        arrange(&terms)
        let store = MemoryStore()
        try store.transaction { transaction throws(StoreError) in
            for number in 1...6 {
                var room = document("rooms/r\(number)", ["n": .integer(Int64(number))])
                room.readAt = version(1_000)
                try transaction.setRemoteDocument(room)
            }
        }
        var bench = try EngineBench(on: store, surveys: terms)
        let asked = try bench.take(.listen(listener, query, ListenOptions(isCacheOnly: true)))
        let order = try #require(orders(asked).first)
        let told = try bench.take(.surveyed(order.id, bench.store.survey(order)))
        #expect(shown(told) == ["r1", "r2"])
        return bench
    }

    private func orders(_ actions: [FirestoreEngine.Action]) -> [SurveyOrder] {
        actions.compactMap { action -> SurveyOrder? in
            if case .survey(.begin(let order)) = action { order } else { nil }
        }
    }

    private func shown(_ actions: [FirestoreEngine.Action]) -> [String]? {
        for case .emit(let snapshot, [listener]) in actions {
            return snapshot.documents.documents.map(\.key.documentID)
        }
        return nil
    }

    private func delete(_ number: UInt64) -> FirestoreEngine.Input {
        .write(
            WriteRequest(
                id: RequestID(session: 9, number: number), writer: Writer(uid: 1, gid: 1, pid: 1),
                mutations: [Mutation(key: key("rooms/r\(number)"), kind: .delete)]))
    }

    @Test func `a short look fills the limit in the turn`() throws {
        var bench = try bench { $0.refillCountMax = 6 }
        let told = try bench.take(delete(1))
        #expect(shown(told) == ["r2", "r3"])
        #expect(orders(told).isEmpty)
    }

    @Test func `a view is short until the survey has found the next document`() throws {
        var bench = try bench()
        let told = try bench.take(delete(1))
        #expect(shown(told) == ["r2"])
        let order = try #require(orders(told).first)
        #expect(order.session == nil)
        // Another loss meanwhile orders nothing more.
        let again = try bench.take(delete(2))
        #expect(shown(again) == [])
        #expect(orders(again).isEmpty)
        let filled = try bench.take(.surveyed(order.id, bench.store.survey(order)))
        #expect(shown(filled) == ["r3", "r4"])
        // The reserve knows what comes next.
        let next = try bench.take(delete(3))
        #expect(shown(next) == ["r4", "r5"])
        #expect(orders(next).isEmpty)
    }

    @Test func `a document that comes meanwhile is shown, and goes if nearer ones are found`()
        throws
    {
        var bench = try bench()
        let order = try #require(orders(try bench.take(delete(1))).first)
        let early = bench.store.survey(order)
        let set = Mutation(key: key("rooms/r9"), kind: .set(["n": .integer(9)]))
        let write = WriteRequest(
            id: RequestID(session: 9, number: 9), writer: Writer(uid: 1, gid: 1, pid: 1),
            mutations: [set])
        #expect(shown(try bench.take(.write(write))) == ["r2", "r9"])
        #expect(shown(try bench.take(.surveyed(order.id, early))) == ["r2", "r3"])
    }

    @Test(arguments: [SurveyOutcome.failed, .tooLarge])
    func `without a survey's findings the turn looks itself`(outcome: SurveyOutcome) throws {
        var bench = try bench()
        let order = try #require(orders(try bench.take(delete(1))).first)
        #expect(shown(try bench.take(.surveyed(order.id, outcome))) == ["r2", "r3"])
    }

    @Test func `a view that ends gives its survey up`() throws {
        var bench = try bench()
        let order = try #require(orders(try bench.take(delete(1))).first)
        #expect(try bench.take(.unlisten(listener)).contains(.survey(.end(order.id))))
        #expect(try bench.take(.surveyed(order.id, bench.store.survey(order))).isEmpty)
    }

    /// The documents that the one read is answered with; `nil` if it is not answered.
    private func read(_ actions: [FirestoreEngine.Action]) -> [String]? {
        for case .answer(request, let snapshot) in actions {
            return snapshot.documents.documents.map(\.key.documentID)
        }
        return nil
    }

    @Test func `a read of a short view waits until the limit is filled`() throws {
        var bench = try bench()
        try bench.take(.setNetwork(isEnabled: false))
        let order = try #require(orders(try bench.take(delete(1))).first)
        #expect(read(try bench.take(.get(request, query, .default))) == nil)
        // What comes meanwhile does not fill the limit for good.
        let set = Mutation(key: key("rooms/r9"), kind: .set(["n": .integer(9)]))
        let write = WriteRequest(
            id: RequestID(session: 9, number: 9), writer: Writer(uid: 1, gid: 1, pid: 1),
            mutations: [set])
        #expect(read(try bench.take(.write(write))) == nil)
        let filled = try bench.take(.surveyed(order.id, bench.store.survey(order)))
        #expect(read(filled) == ["r2", "r3"])
    }

    @Test func `a read of a short view is answered too when the cache has nothing more`() throws {
        var bench = try bench()
        try bench.take(.setNetwork(isEnabled: false))
        let order = try #require(orders(try bench.take(delete(1))).first)
        for number in 2...6 { try bench.take(delete(UInt64(number))) }
        #expect(read(try bench.take(.get(request, query, .default))) == nil)
        let filled = try bench.take(.surveyed(order.id, bench.store.survey(order)))
        #expect(read(filled) == [])
        #expect(shown(filled) == nil)
    }

    @Test func `a read that the backend leaves alone waits for the limit too`() throws {
        var bench = try bench()
        #expect(read(try bench.take(.get(request, query, .default))) == nil)
        let order = try #require(orders(try bench.take(delete(1))).first)
        #expect(read(try bench.take(.timerFired(.onlineState))) == nil)
        let filled = try bench.take(.surveyed(order.id, bench.store.survey(order)))
        #expect(read(filled) == ["r2", "r3"])
    }

    @Test func `when the store fails the view is filled a moment later`() throws {
        var bench = try bench()
        let order = try #require(orders(try bench.take(delete(1))).first)
        bench.store.failing = [.executeQuery]
        let input = FirestoreEngine.Input.surveyed(order.id, bench.store.survey(order))
        #expect(throws: StoreError.self) { try bench.take(input) }
        let failure = StoreError.injected(.executeQuery)
        bench.store.failing = []
        let actions = bench.fail(input, failure)
        #expect(actions == [.schedule(.settling, after: .seconds(1))])
        let asked = try bench.take(.timerFired(.settling))
        let second = try #require(orders(asked).first)
        let told = try bench.take(.surveyed(second.id, bench.store.survey(second)))
        #expect(shown(told) == ["r2", "r3"])
    }
}
