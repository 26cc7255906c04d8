import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// Looks at collections that are too long for a turn.
struct SurveySpecs {
    private let rooms = collection("rooms")
    private let listener = ListenerID(session: 1, number: 1)
    private let request = RequestID(session: 1, number: 2)

    /// An engine whose cache has five rooms, numbered by `n`.
    private func bench(
        arrange: (inout SurveyTerms) -> Void = { _ in }
    ) throws -> EngineBench {
        var terms = SurveyTerms.tiny
        terms.changeCountMax = 10
        arrange(&terms)
        let store = MemoryStore()
        try store.transaction { transaction throws(StoreError) in
            for number in 1...5 {
                try transaction.setRemoteDocument(room(number, at: 1_000))
            }
        }
        return try EngineBench(on: store, surveys: terms)
    }

    private func room(_ number: Int, at microseconds: Int64) -> Document {
        var room = document(
            "rooms/r\(number)", at: microseconds, ["n": .integer(Int64(number))])
        room.readAt = version(microseconds)
        return room
    }

    private func listen(_ query: Query, session: UInt64 = 1) -> FirestoreEngine.Input {
        .listen(
            ListenerID(session: session, number: 1), query, ListenOptions(isCacheOnly: true))
    }

    /// The change of one document by a program: its overlay.
    private func write(_ number: UInt64, _ mutation: Mutation) -> FirestoreEngine.Input {
        .write(
            WriteRequest(
                id: RequestID(session: 9, number: number),
                writer: Writer(uid: 1, gid: 1, pid: 1), mutations: [mutation]))
    }

    /// Documents that the backend tells beside the watch stream.
    private func news(_ documents: [Document]) -> FirestoreEngine.Input {
        .loadBundle(
            RequestID(session: 9, number: 99),
            Bundle(
                record: BundleRecord(id: "news", createdAt: version(3_000), version: 1),
                entries: documents.map { Bundle.Entry(document: $0, queries: []) },
                namedQueries: [], byteCount: 0))
    }

    private func order(_ actions: [FirestoreEngine.Action]) throws -> SurveyOrder {
        let orders = actions.compactMap { action -> SurveyOrder? in
            if case .survey(.begin(let order)) = action { order } else { nil }
        }
        #expect(orders.count == 1)
        return try #require(orders.first)
    }

    /// The documents that a listener is shown; `nil` if it is shown nothing.
    private func shown(
        _ actions: [FirestoreEngine.Action], to session: UInt64 = 1
    ) -> [String]? {
        for case .emit(let snapshot, let ids) in actions
        where ids.contains(ListenerID(session: session, number: 1)) {
            return snapshot.documents.documents.map { $0.key.path.string }
        }
        return nil
    }

    private func names(_ numbers: Int...) -> [String] { numbers.map { "rooms/r\($0)" } }

    @Test func `a short look is taken in the turn`() throws {
        var bench = try bench { $0.scanCountMax = 5 }
        #expect(shown(try bench.take(listen(rooms))) == names(1, 2, 3, 4, 5))
    }

    @Test func `a listener waits for a long look, and is told when the survey is back`() throws {
        var bench = try bench()
        let actions = try bench.take(listen(rooms))
        let order = try order(actions)
        #expect(order.session == 1)
        #expect(shown(actions) == nil)
        let told = try bench.take(.surveyed(order.id, bench.store.survey(order)))
        #expect(shown(told) == names(1, 2, 3, 4, 5))
        #expect(try bench.take(.surveyed(order.id, .failed)).isEmpty)
    }

    @Test(arguments: [false, true])
    func `what changes meanwhile counts, whether the survey has seen it or not`(isSeen: Bool) throws
    {
        var bench = try bench()
        let order = try order(try bench.take(listen(rooms)))
        let early = bench.store.survey(order)
        try bench.take(write(1, Mutation(key: key("rooms/r0"), kind: .set(["n": .integer(0)]))))
        try bench.take(write(2, Mutation(key: key("rooms/r2"), kind: .delete)))
        try bench.take(news([room(6, at: 2_000), .missing(key("rooms/r3"), at: version(2_000))]))
        let outcome = isSeen ? bench.store.survey(order) : early
        let told = try bench.take(.surveyed(order.id, outcome))
        #expect(shown(told) == names(0, 1, 4, 5, 6))
    }

    @Test func `a document that ceases to match meanwhile is not shown`() throws {
        var bench = try bench()
        var query = rooms
        query.filters = [.field(FieldPath(["n"]), .lessThan, .integer(4))]
        let order = try order(try bench.take(listen(query)))
        let early = bench.store.survey(order)
        var moved = document("rooms/r2", at: 2_000, ["n": .integer(9)])
        moved.readAt = version(2_000)
        try bench.take(news([moved]))
        #expect(shown(try bench.take(.surveyed(order.id, early))) == names(1, 3))
    }

    @Test func `an overlay from before the survey counts`() throws {
        var bench = try bench()
        try bench.take(write(1, Mutation(key: key("rooms/r5"), kind: .delete)))
        let order = try order(try bench.take(listen(rooms)))
        let told = try bench.take(.surveyed(order.id, bench.store.survey(order)))
        #expect(shown(told) == names(1, 2, 3, 4))
    }

    @Test func `two who listen to the same share a survey, and each may leave`() throws {
        var bench = try bench()
        let order = try order(try bench.take(listen(rooms)))
        let joined = try bench.take(listen(rooms, session: 2))
        #expect(!joined.contains { if case .survey = $0 { true } else { false } })
        #expect(!(try bench.take(.unlisten(listener)).contains(.survey(.end(order.id)))))
        let told = try bench.take(.surveyed(order.id, bench.store.survey(order)))
        #expect(shown(told) == nil)
        #expect(shown(told, to: 2) == names(1, 2, 3, 4, 5))
    }

    @Test func `a survey is joined by each other user who asks the same, once`() throws {
        var bench = try bench()
        for (session, uid) in [(UInt64(1), UInt32(7)), (2, 7), (3, 8), (4, 8)] {
            let program = LedgerProgram(uid: uid, unit: "", name: "test")
            try bench.take(.introduce(session: session, program))
        }
        let order = try order(try bench.take(listen(rooms)))
        #expect(order.uid == 7)
        var errands: [SurveyErrand] = []
        for session in UInt64(2)...4 {
            let actions = try bench.take(listen(rooms, session: session))
            for case .survey(let errand) in actions { errands.append(errand) }
        }
        #expect(errands == [.join(order.id, 8)])
    }

    @Test(arguments: [nil, SurveyOutcome.failed, .tooLarge])
    func `whoever shares a survey is served in a turn alone`(spoilt: SurveyOutcome?) throws {
        var bench = try bench()
        let gets = (UInt64(1)...3).map { RequestID(session: $0, number: 1) }
        let first = try order(try bench.take(.get(gets[0], rooms, .cache)))
        for get in gets.dropFirst() {
            #expect(try bench.take(.get(get, rooms, .cache)).isEmpty)
        }
        var outcome = spoilt ?? bench.store.survey(first)
        var id = first.id
        for (place, get) in gets.enumerated() {
            let set = Mutation(key: key("rooms/r0"), kind: .set([:]))
            try bench.take(write(UInt64(place) + 1, set))
            let told = try bench.take(.surveyed(id, outcome))
            let answers = told.compactMap { action -> (RequestID, Int)? in
                guard case .answer(let id, let snapshot) = action else { return nil }
                return (id, snapshot.documents.count)
            }
            #expect(answers.map(\.0) == [get])
            // A picture is of one moment: here of the moment before all writes.
            #expect(answers.map(\.1) == [spoilt == nil ? 5 : 6])
            let next = told.compactMap { action -> (SurveyOrder, SurveyOutcome)? in
                guard case .survey(.handOn(let order, let outcome)) = action else { return nil }
                return (order, outcome)
            }
            #expect(next.map(\.0.session) == (place < 2 ? [UInt64(place) + 2] : []))
            if let next = next.first { (id, outcome) = (next.0.id, next.1) }
        }
        #expect(try bench.take(.surveyed(id, outcome)).isEmpty)
    }

    @Test func `a survey that nobody waits for ends, and a late answer is told to nobody`() throws {
        var bench = try bench()
        let first = try order(try bench.take(listen(rooms)))
        #expect(try bench.take(.unlisten(listener)).contains(.survey(.end(first.id))))
        #expect(try bench.take(.surveyed(first.id, bench.store.survey(first))).isEmpty)
        let second = try order(try bench.take(.get(request, rooms, .cache)))
        #expect(try bench.take(.abandon(request)).contains(.survey(.end(second.id))))
        let third = try order(try bench.take(listen(rooms)))
        let gone = try bench.take(.disconnected(session: 1))
        #expect(gone.contains(.survey(.end(third.id))))
    }

    @Test func `a limit is filled in its order, though its documents go meanwhile`() throws {
        var bench = try bench()
        var query = rooms
        query.explicitOrderBys = [OrderBy(FieldPath(["n"]), .descending)]
        query.limit = Query.Limit(2)
        let first = try order(try bench.take(listen(query)))
        let early = bench.store.survey(first)
        // The survey has one document behind the limit: the fifth and the fourth are too many.
        try bench.take(write(1, Mutation(key: key("rooms/r5"), kind: .delete)))
        try bench.take(write(2, Mutation(key: key("rooms/r4"), kind: .delete)))
        let again = try bench.take(.surveyed(first.id, early))
        #expect(shown(again) == nil)
        let second = try order(again)
        let told = try bench.take(.surveyed(second.id, bench.store.survey(second)))
        #expect(shown(told) == names(3, 2))
    }

    @Test func `one document may leave a limit without another survey`() throws {
        var bench = try bench()
        var query = rooms
        query.limit = Query.Limit(2)
        let order = try order(try bench.take(listen(query)))
        let early = bench.store.survey(order)
        try bench.take(write(1, Mutation(key: key("rooms/r1"), kind: .delete)))
        #expect(shown(try bench.take(.surveyed(order.id, early))) == names(2, 3))
    }

    @Test func `when too much changes, the turn looks itself in the end`() throws {
        var bench = try bench { $0.changeCountMax = 0 }
        var pending = try order(try bench.take(listen(rooms)))
        let first = bench.store.survey(pending)
        try bench.take(write(1, Mutation(key: key("rooms/r0"), kind: .set(["n": .integer(0)]))))
        pending = try order(try bench.take(.surveyed(pending.id, first)))
        let second = bench.store.survey(pending)
        try bench.take(write(2, Mutation(key: key("rooms/r1"), kind: .delete)))
        let told = try bench.take(.surveyed(pending.id, second))
        #expect(shown(told) == names(0, 2, 3, 4, 5))
    }

    @Test(arguments: [SurveyOutcome.failed, .tooLarge])
    func `without a survey's findings the turn looks itself`(outcome: SurveyOutcome) throws {
        var bench = try bench()
        let order = try order(try bench.take(listen(rooms)))
        #expect(shown(try bench.take(.surveyed(order.id, outcome))) == names(1, 2, 3, 4, 5))
    }

    @Test func `a survey says when its documents are too many`() throws {
        var bench = try bench { $0.byteCountMax = 100 }
        let order = try order(try bench.take(listen(rooms)))
        #expect(bench.store.survey(order) == .tooLarge)
    }

    @Test func `a read from the cache waits too, and sees what was written before`() throws {
        var bench = try bench()
        try bench.take(write(1, Mutation(key: key("rooms/r0"), kind: .set(["n": .integer(0)]))))
        let order = try order(try bench.take(.get(request, rooms, .cache)))
        let told = try bench.take(.surveyed(order.id, bench.store.survey(order)))
        guard case .answer(request, let snapshot)? = told.first else {
            Issue.record("\(told)")
            return
        }
        #expect(snapshot.documents.count == 6)
        #expect(snapshot.isFromCache)
    }

    @Test func `a read from the cache is of one moment, and not of one before the question`() throws
    {
        var bench = try bench()
        func count(_ actions: [FirestoreEngine.Action], for id: RequestID) -> Int? {
            for case .answer(id, let snapshot) in actions { return snapshot.documents.count }
            return nil
        }
        let first = try order(try bench.take(.get(request, rooms, .cache)))
        let early = bench.store.survey(first)
        try bench.take(write(1, Mutation(key: key("rooms/r0"), kind: .set(["n": .integer(0)]))))
        let late = RequestID(session: 1, number: 3)
        #expect(try bench.take(.get(late, rooms, .cache)).isEmpty)
        let told = try bench.take(.surveyed(first.id, early))
        #expect(count(told, for: request) == 5)
        #expect(count(told, for: late) == nil)
        let second = try order(told)
        let again = try bench.take(.surveyed(second.id, bench.store.survey(second)))
        #expect(count(again, for: late) == 6)
    }

    @Test func `a picture knows how far the backend has told, though the disk does not yet`() throws
    {
        var bench = try bench()
        let order = try order(try bench.take(.get(request, rooms, .cache)))
        let told = SurveyOrder(
            id: order.id, question: order.question, user: order.user, readAt: version(7_000),
            terms: order.terms)
        guard case .picture(let picture) = bench.store.survey(told) else {
            Issue.record("no picture came")
            return
        }
        #expect(picture.snapshot.readAt == version(7_000))
    }

    @Test func `a picture may be larger than the documents that a survey hands over`() throws {
        var bench = try bench { $0.byteCountMax = 100 }
        let order = try order(try bench.take(.get(request, rooms, .cache)))
        let told = try bench.take(.surveyed(order.id, bench.store.survey(order)))
        guard case .answer(request, let snapshot)? = told.first else {
            Issue.record("\(told)")
            return
        }
        #expect(snapshot.documents.documents.map(\.key.path.string) == names(1, 2, 3, 4, 5))
    }

    @Test func `another user's overlays count when that user has signed in meanwhile`() throws {
        var bench = try bench()
        try bench.take(write(1, Mutation(key: key("rooms/r1"), kind: .delete)))
        let order = try order(try bench.take(listen(rooms)))
        let outcome = bench.store.survey(order)
        try bench.take(.changeUser(UserID("ada")))
        #expect(shown(try bench.take(.surveyed(order.id, outcome))) == names(1, 2, 3, 4, 5))
    }

    @Test func `a pin is taken up when its survey is back, and waits for one survey alone`() throws
    {
        var bench = try bench()
        let pin = Pin(id: Pin.ID(uid: nil, name: "rooms"), query: rooms, freshness: nil)
        var pins = PinSet()
        pins.pins = [pin]
        try bench.take(.setPins(pins, for: nil))
        let order = try order(try bench.take(.timerFired(.pins)))
        #expect(order.session == nil)
        #expect(try bench.take(.timerFired(.pins)).isEmpty)
        let actions = try bench.take(.surveyed(order.id, bench.store.survey(order)))
        #expect(actions.contains(.schedule(.pins, after: PinLimits.pause)))
        let told = try bench.take(.tellPins(request, [pin.id]))
        guard case .result(request, .pins(let reports))? = told.first else {
            Issue.record("\(told)")
            return
        }
        #expect(reports.map(\.pin) == [pin])
        #expect(reports.allSatisfy { $0.byteCount > 0 })
    }

    @Test func `the store's failure is told to everybody who waits`() throws {
        var bench = try bench()
        let order = try order(try bench.take(listen(rooms)))
        try bench.take(.get(request, rooms, .default))
        bench.store.failing = [.executeQuery]
        let input = FirestoreEngine.Input.surveyed(order.id, bench.store.survey(order))
        #expect(throws: StoreError.self) { try bench.take(input) }
        var engine = bench.engine
        let actions = engine.turnFailed(input, .injected(.executeQuery), at: bench.now)
        let refusal = HearthError.storeFailed(.injected(.executeQuery))
        #expect(actions == [.fail(listener, refusal), .refuse(request, refusal)])
    }

    @Test func `the cache is not cleared under those who wait`() throws {
        var bench = try bench()
        let clearing = RequestID(session: 2, number: 1)
        let order = try order(try bench.take(listen(rooms)))
        let refused = try bench.take(.clearPersistence(clearing))
        #expect(refused.contains { if case .refuse(clearing, _) = $0 { true } else { false } })
        try bench.take(.surveyed(order.id, bench.store.survey(order)))
        try bench.take(.unlisten(listener))
        #expect(try bench.take(.clearPersistence(clearing)).contains(.complete(clearing)))
    }

    @Test func `whoever waits is told when the daemon goes down`() throws {
        var bench = try bench()
        let order = try order(try bench.take(listen(rooms)))
        let actions = try bench.take(.shutdown)
        #expect(actions.contains(.survey(.end(order.id))))
        var codes: [StatusCode] = []
        for case .fail(listener, let error) in actions { codes.append(error.code) }
        #expect(codes == [.unavailable])
    }
}
