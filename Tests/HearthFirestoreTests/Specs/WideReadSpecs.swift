import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// One-time reads of queries with a limit, while writes wait that take documents out of what the
/// backend names.
struct WideReadSpecs {
    private let request = RequestID(session: 1, number: 1)

    /// A room of the backend. Its name has two digits, so names are ordered as numbers are.
    private func room(_ number: Int) -> Document {
        document("rooms/r\(number + 10)", ["n": .integer(Int64(number))])
    }

    private func rooms(_ numbers: ClosedRange<Int>) -> [Document] { numbers.map { room($0) } }

    private func first(_ count: Int) -> Query {
        var query = collection("rooms")
        query.limit = Query.Limit(count)
        return query
    }

    /// The rooms at one end of the order of their numbers.
    private func nearest(_ count: Int, _ end: Query.Limit.End) -> Query {
        var query = collection("rooms")
        query.explicitOrderBys = [OrderBy(FieldPath(["n"]))]
        query.limit = Query.Limit(count, end)
        return query
    }

    /// A backend and an engine, whose cache has some of the rooms.
    private func backend(
        caching numbers: [Int] = [], surveys: SurveyTerms? = nil
    ) throws -> WatchBackend {
        let store = MemoryStore()
        try store.transaction { transaction throws(StoreError) in
            for number in numbers {
                var cached = room(number)
                cached.readAt = version(1_000)
                try transaction.setRemoteDocument(cached)
            }
        }
        return WatchBackend(try EngineBench(on: store, surveys: surveys))
    }

    private func write(_ number: Int, _ kind: Mutation.Kind = .delete) -> FirestoreEngine.Input {
        .write(
            WriteRequest(
                id: RequestID(session: 9, number: UInt64(number)),
                writer: Writer(uid: 1, gid: 1, pid: 1),
                mutations: [Mutation(key: room(number).key, kind: kind)]))
    }

    /// What the read was answered with in the last turn; `nil` if it was not.
    private func answer(_ backend: WatchBackend) -> ViewSnapshot? {
        for case .answer(request, let snapshot) in backend.bench.actions { return snapshot }
        return nil
    }

    /// The numbers of the rooms that the read was answered with.
    private func numbers(_ backend: WatchBackend) -> [Value?]? {
        answer(backend)?.documents.documents.map { $0.fields["n"] }
    }

    private func isWatched(_ query: Query, _ backend: WatchBackend) -> Bool {
        backend.bench.engine.targetID(for: query) != nil
    }

    @Test(arguments: [ReadSource.server, .default])
    func `a read asks for more than its limit when a deletion waits`(source: ReadSource) throws {
        var backend = try backend()
        try backend.take(write(1))
        try backend.take(.get(request, first(2), source))
        try backend.answer(first(2), with: rooms(1...2))
        #expect(answer(backend) == nil)
        #expect(!isWatched(first(2), backend))
        try backend.answer(first(12), with: rooms(1...12))
        #expect(numbers(backend) == [.integer(2), .integer(3)])
        #expect(answer(backend)?.query == first(2))
        #expect(answer(backend)?.isFromCache == false)
        #expect(answer(backend)?.lostCount == 0)
        #expect(!isWatched(first(12), backend))
    }

    @Test func `a read from the end asks for more before its limit`() throws {
        var backend = try backend()
        try backend.take(write(9))
        try backend.take(.get(request, nearest(2, .last), .server))
        try backend.answer(nearest(2, .last), with: rooms(8...9))
        try backend.answer(nearest(12, .last), with: rooms(1...9))
        #expect(numbers(backend) == [.integer(7), .integer(8)])
    }

    @Test func `what the cache has behind a hole does not count`() throws {
        var backend = try backend(caching: [5])
        try backend.take(write(1))
        try backend.take(.get(request, first(2), .server))
        try backend.answer(first(2), with: rooms(1...2))
        try backend.answer(Query(document: room(5).key), with: [room(5)])
        #expect(answer(backend) == nil)
        try backend.answer(first(12), with: rooms(1...9))
        #expect(numbers(backend) == [.integer(2), .integer(3)])
        #expect(answer(backend)?.isFromCache == false)
    }

    @Test func `a write that moves a document behind the limit lets the read ask for more`() throws
    {
        var backend = try backend()
        try backend.take(write(1, .set(["n": .integer(6)])))
        try backend.take(.get(request, nearest(2, .first), .server))
        try backend.answer(nearest(2, .first), with: rooms(1...2))
        #expect(answer(backend) == nil)
        try backend.answer(nearest(12, .first), with: rooms(1...9))
        #expect(numbers(backend) == [.integer(2), .integer(3)])
    }

    @Test func `a read asks once more when the larger limit has lost too many`() throws {
        var backend = try backend()
        try backend.take(write(1))
        try backend.take(.get(request, first(2), .server))
        try backend.answer(first(2), with: rooms(1...2))
        for number in 2...12 { try backend.take(write(number)) }
        try backend.answer(first(12), with: rooms(1...12))
        #expect(answer(backend) == nil)
        try backend.answer(first(44), with: rooms(1...15))
        #expect(numbers(backend) == [.integer(13), .integer(14)])
    }

    @Test func `a limit that is full as far as the backend told is answered at once`() throws {
        var backend = try backend()
        try backend.take(write(0, .set(["n": .integer(0)])))
        try backend.take(write(1))
        try backend.take(.get(request, first(2), .server))
        try backend.answer(first(2), with: rooms(1...2))
        #expect(numbers(backend) == [.integer(0), .integer(2)])
        #expect(answer(backend)?.lostCount == 0)
        #expect(answer(backend)?.hasPendingWrites == true)
        #expect(!isWatched(first(12), backend))
    }

    @Test func `a backend that has no more than the limit is not asked again`() throws {
        var backend = try backend()
        try backend.take(write(1))
        try backend.take(.get(request, first(2), .server))
        try backend.answer(first(2), with: rooms(1...1))
        #expect(numbers(backend) == [])
    }

    @Test func `new documents may fill the limit, whatever comes behind them`() throws {
        var backend = try backend()
        try backend.take(write(0, .set(["n": .integer(0)])))
        try backend.take(.get(request, first(1), .server))
        try backend.answer(first(1), with: rooms(1...1))
        #expect(numbers(backend) == [.integer(0)])
        #expect(answer(backend)?.lostCount == 0)
    }

    @Test func `a document that the backend judges otherwise lets no read ask for more`() throws {
        var backend = try backend()
        var query = first(2)
        query.filters = [.field(FieldPath(["n"]), .notEqual, .integer(1))]
        try backend.take(write(9))
        try backend.take(.get(request, query, .server))
        try backend.answer(query, with: rooms(1...2))
        #expect(numbers(backend) == [.integer(2)])
    }

    @Test func `a listener is told what the backend named`() throws {
        var backend = try backend()
        let listener = ListenerID(session: 1, number: 1)
        try backend.take(write(1))
        try backend.take(.listen(listener, first(2), ListenOptions()))
        try backend.answer(first(2), with: rooms(1...2))
        #expect(!isWatched(first(12), backend))
        // A read beside the listener asks for more all the same.
        try backend.take(.get(request, first(2), .server))
        #expect(answer(backend) == nil)
        try backend.answer(first(12), with: rooms(1...9))
        #expect(numbers(backend) == [.integer(2), .integer(3)])
        #expect(isWatched(first(2), backend))
    }

    @Test func `a read that is given up asks no longer`() throws {
        var backend = try backend()
        try backend.take(write(1))
        try backend.take(.get(request, first(2), .server))
        try backend.answer(first(2), with: rooms(1...2))
        #expect(isWatched(first(12), backend))
        try backend.take(.abandon(request))
        #expect(!isWatched(first(12), backend))
    }

    @Test func `a read whose larger limit the backend refuses is answered with its first results`()
        throws
    {
        var backend = try backend()
        try backend.take(write(1))
        try backend.take(.get(request, first(2), .server))
        try backend.answer(first(2), with: rooms(1...2))
        let refusal = HearthError(code: .permissionDenied, message: "request.query.limit <= 2")
        let wire = try backend.wire(first(12))
        try backend.watch(.target(.init(kind: .removed(refusal), targets: [wire])))
        #expect(numbers(backend) == [.integer(2)])
        #expect(answer(backend)?.query == first(2))
        #expect(answer(backend)?.isFromCache == false)
        #expect(answer(backend)?.lostCount == 1)
        #expect(!isWatched(first(12), backend))
        // The next read asks for itself again.
        try backend.take(.get(request, first(2), .server))
        try backend.answer(first(2), with: rooms(1...2))
        #expect(isWatched(first(12), backend))
    }

    @Test(arguments: [ReadSource.server, .default])
    func `a read that asked for more is answered when the backend goes away`(
        source: ReadSource
    ) throws {
        var backend = try backend()
        try backend.take(write(1))
        try backend.take(.get(request, first(2), source))
        try backend.answer(first(2), with: rooms(1...2))
        try backend.take(.setNetwork(isEnabled: false))
        #expect(numbers(backend) == [.integer(2)])
        #expect(answer(backend)?.query == first(2))
        // What the server has told of the narrow limit is still its word, and says what is missing.
        #expect(answer(backend)?.isFromCache == (source == .default))
        #expect(answer(backend)?.lostCount == (source == .default ? 0 : 1))
        #expect(!isWatched(first(12), backend))
    }

    /// Takes the survey that the last turn has ordered.
    private func takeSurvey(_ backend: inout WatchBackend) throws {
        let order = backend.bench.actions.compactMap { action -> SurveyOrder? in
            if case .survey(.begin(let order)) = action { order } else { nil }
        }.first
        let wanted = try #require(order)
        try backend.take(.surveyed(wanted.id, backend.bench.store.survey(wanted)))
    }

    @Test(arguments: [false, true])
    func `a read that asks for more waits for a long look`(isGivenUp: Bool) throws {
        var backend = try backend(caching: [1, 2, 3, 4, 5], surveys: .tiny)
        try backend.take(write(1))
        try backend.take(.get(request, first(2), .server))
        try takeSurvey(&backend)
        try backend.answer(first(2), with: rooms(1...2))
        try backend.answer(Query(document: room(3).key), with: [room(3)])
        #expect(!isWatched(first(12), backend))
        if isGivenUp {
            let left = try backend.take(.abandon(request))
            #expect(left.contains { if case .survey(.end) = $0 { true } else { false } })
            return
        }
        try takeSurvey(&backend)
        try backend.answer(first(12), with: rooms(1...5))
        #expect(numbers(backend) == [.integer(2), .integer(3)])
    }
}
