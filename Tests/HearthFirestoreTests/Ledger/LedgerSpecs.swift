import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// Whole stories of an engine with its ledger, on a clock that the test moves.
struct LedgerSpecs {
    let rooms = collection("rooms")
    let noon = Timestamp(seconds: 86_400 * 20_000 + 43_200, nanoseconds: 0)

    func backend(
        _ terms: LedgerTerms = LedgerTerms(), on store: MemoryStore = MemoryStore()
    ) throws -> WatchBackend {
        var bench = try EngineBench(on: store, at: noon)
        try bench.take(.setLedgerTerms(terms))
        for session in 1...3 {
            try bench.take(
                .introduce(
                    session: UInt64(session),
                    LedgerProgram(uid: 1_000, unit: "", name: "program \(session)")))
        }
        return WatchBackend(bench)
    }

    func listener(_ session: UInt64, _ number: UInt64 = 1) -> ListenerID {
        ListenerID(session: session, number: number)
    }

    func documents(_ count: Int) -> [Document] {
        (0..<count).map { document("rooms/\($0)", ["n": .integer(Int64($0))]) }
    }

    /// A document as the backend answers a read of it.
    func told(_ path: String) -> Document {
        var document = document(path)
        document.readAt = version(9_000)
        return document
    }

    func report(
        _ backend: inout WatchBackend, since: Timestamp? = nil,
        by grouping: LedgerQuestion.Grouping = .program, ofUser uid: UInt32? = nil
    ) throws -> LedgerReport {
        let id = RequestID(session: 9, number: 1)
        let question = LedgerQuestion(since: since, by: grouping)
        for case .result(id, .ledger(let report)) in try backend.take(
            .readLedger(id, question, ofUser: uid))
        {
            return report
        }
        throw HearthError(code: .notFound, message: "no report")
    }

    func sums(_ backend: inout WatchBackend) throws -> [String: LedgerSums] {
        var sums: [String: LedgerSums] = [:]
        for row in try report(&backend).rows { sums[row.program?.name ?? ""] = row.sums }
        return sums
    }

    func total(_ backend: inout WatchBackend) throws -> LedgerSums {
        try report(&backend).total
    }

    func terms(_ budget: UInt64, _ onBudget: LedgerTerms.OnBudget) -> LedgerTerms {
        var terms = LedgerTerms()
        terms.readBudget = budget
        terms.onBudget = onBudget
        return terms
    }

    // MARK: What is counted

    @Test func `two programs share a target: one real read of each document, two alone`() throws {
        var backend = try backend()
        try backend.take(.listen(listener(1), rooms, ListenOptions()))
        try backend.take(.listen(listener(2), rooms, ListenOptions()))
        try backend.answer(rooms, with: documents(4))
        #expect(try total(&backend) == LedgerSums(reads: 4, aloneReads: 8))
        try backend.send([document("rooms/0", at: 2_000, ["n": .integer(9)])], to: rooms)
        try backend.reachSnapshot()
        let sums = try sums(&backend)
        #expect(try total(&backend) == LedgerSums(reads: 5, aloneReads: 10))
        #expect(sums["program 1"]?.aloneReads == 5)
        #expect(sums["program 2"]?.aloneReads == 5)
    }

    @Test func `who listens later is served from the shared view and saves a query`() throws {
        var backend = try backend()
        try backend.take(.listen(listener(1), rooms, ListenOptions()))
        try backend.answer(rooms, with: documents(4))
        try backend.take(.get(RequestID(session: 2, number: 5), rooms, .default))
        #expect(try sums(&backend)["program 2"] == LedgerSums(reads: 0, aloneReads: 4))
        try backend.take(.get(RequestID(session: 2, number: 6), rooms, .default))
        #expect(try sums(&backend)["program 2"] == LedgerSums(reads: 0, aloneReads: 8))
    }

    @Test func `a query without results costs one`() throws {
        var backend = try backend()
        try backend.take(.listen(listener(1), rooms, ListenOptions()))
        try backend.answer(rooms, with: [])
        #expect(try total(&backend) == LedgerSums(reads: 1, aloneReads: 1))
    }

    @Test func `a document that was deleted costs nothing, one that matches no longer costs one`()
        throws
    {
        var backend = try backend()
        try backend.take(.listen(listener(1), rooms, ListenOptions()))
        try backend.answer(rooms, with: documents(3))
        let wire = try backend.wire(rooms)
        try backend.watch(
            .document(
                .init(
                    updated: [], removed: [wire], key: key("rooms/0"),
                    document: .missing(key("rooms/0"), at: version(2_000)))))
        try backend.watch(
            .document(.init(updated: [], removed: [wire], key: key("rooms/1"), document: nil)))
        try backend.reachSnapshot()
        #expect(try total(&backend) == LedgerSums(reads: 4, aloneReads: 4))
    }

    @Test(arguments: [(1_700, 4 + 1, 4 + 1), (1_900, 4 + 5, 4 + 5)] as [(Int64, UInt64, UInt64)])
    func `a listener that was cut off pays what changed within 30 minutes, and all after`(
        seconds: Int64, reads: UInt64, alone: UInt64
    ) throws {
        var backend = try backend()
        try backend.take(.listen(listener(1), rooms, ListenOptions()))
        try backend.answer(rooms, with: documents(4))
        backend.bench.now = noon.advanced(by: .seconds(seconds))
        try backend.cut()
        try backend.answer(rooms, with: [document("rooms/new", ["n": .integer(5)])])
        #expect(try total(&backend) == LedgerSums(reads: reads, aloneReads: alone))
    }

    @Test
    func `a program that starts anew resumes what the cache has, and alone would pay a query`()
        throws
    {
        var backend = try backend()
        try backend.take(.listen(listener(1), rooms, ListenOptions()))
        try backend.answer(rooms, with: documents(4))
        try backend.take(.disconnected(session: 1))
        backend.bench.now = noon.advanced(by: .seconds(600))
        try backend.take(.listen(listener(2), rooms, ListenOptions()))
        try backend.answer(rooms, with: [])
        #expect(try sums(&backend)["program 2"] == LedgerSums(reads: 0, aloneReads: 4))
        #expect(try total(&backend).reads == 4)
    }

    @Test func `a lookup of a document in limbo costs its holder one`() throws {
        var backend = try backend()
        try backend.take(.listen(listener(1), rooms, ListenOptions()))
        try backend.answer(rooms, with: documents(2))
        try backend.watch(.target(.init(kind: .reset, targets: [try backend.wire(rooms)])))
        try backend.send([documents(2)[0]], to: rooms)
        try backend.watch(
            .target(
                .init(
                    kind: .current, targets: [try backend.wire(rooms)],
                    resumeToken: token("after"))))
        try backend.reachSnapshot()
        let before = try total(&backend)
        let lost = Query(document: key("rooms/1"))
        try backend.answer(lost, with: [])
        let after = try total(&backend)
        #expect(after.reads == before.reads + 1)
        #expect(after.aloneReads == before.aloneReads)
        let shapes = try report(&backend, by: .query).rows.compactMap(\.query)
        #expect(shapes.contains("rooms/* (lookup)"))
    }

    @Test func `documents by name and aggregations cost what the answer tells`() throws {
        var backend = try backend()
        let read = RequestID(session: 1, number: 1)
        try backend.take(.read(read, [key("a/b"), key("a/c")], .server))
        var missing = Document.missing(key("a/c"), at: version(5))
        missing.readAt = version(9_000)
        try backend.take(.upstream(.called(read, .read([told("a/b"), missing]))))
        #expect(try total(&backend) == LedgerSums(reads: 2, aloneReads: 2))
        let count = RequestID(session: 1, number: 2)
        let request = AggregateRequest(
            query: rooms, aggregations: [Aggregation(alias: "n", operation: .count(upTo: nil))],
            source: .server)
        try backend.take(.aggregate(count, request))
        try backend.take(.upstream(.called(count, .aggregated(["n": .integer(1_001)]))))
        #expect(try total(&backend) == LedgerSums(reads: 4, aloneReads: 4))
    }

    @Test func `a failed read and a listener to the cache cost nothing`() throws {
        var backend = try backend()
        let read = RequestID(session: 1, number: 1)
        try backend.take(.read(read, [key("a/b")], .server))
        let denied = HearthError(code: .permissionDenied, message: "no")
        try backend.take(.upstream(.called(read, .failed(denied))))
        var options = ListenOptions()
        options.isCacheOnly = true
        try backend.take(.listen(listener(1), rooms, options))
        #expect(try total(&backend) == LedgerSums())
    }

    // MARK: Who may see what

    @Test func `a report is of the asker's own user, by program, query, listener or day`() throws {
        var backend = try backend()
        try backend.take(.introduce(session: 4, LedgerProgram(uid: 7, unit: "", name: "other")))
        try backend.take(.listen(listener(4), rooms, ListenOptions()))
        try backend.answer(rooms, with: documents(2))
        #expect(try report(&backend, ofUser: 1_000).rows.isEmpty)
        #expect(try report(&backend, ofUser: 1_000).total == LedgerSums())
        #expect(try report(&backend, by: .listener, ofUser: 1_000).rows.isEmpty)
        #expect(try report(&backend, ofUser: 7).total.reads == 2)
        let listeners = try report(&backend, by: .listener).rows
        #expect(listeners.map(\.session) == [4])
        #expect(listeners.map(\.query) == ["rooms"])
        #expect(listeners.map(\.sums) == [LedgerSums(reads: 2, aloneReads: 2)])
        #expect(try report(&backend, by: .day).rows.map(\.day) == [LedgerDay(of: noon)])
    }

    // MARK: Budgets

    @Test func `a program at its budget reads from the cache, the other program goes on`() throws {
        var backend = try backend(terms(4, .stop))
        try backend.take(.listen(listener(1), rooms, ListenOptions()))
        let attic = collection("attic")
        try backend.take(.listen(listener(2), attic, ListenOptions()))
        try backend.answer(attic, with: [])
        try backend.answer(rooms, with: documents(4))
        #expect(backend.bench.engine.wireTargetIDs().count == 1)
        let refused = RequestID(session: 1, number: 2)
        let actions = try backend.take(.get(refused, rooms, .server))
        #expect(code(of: refused, in: actions) == .resourceExhausted)
        let read = RequestID(session: 1, number: 3)
        #expect(
            code(of: read, in: try backend.take(.read(read, [key("a/b")], .server)))
                == .resourceExhausted)
        let transaction = RequestID(session: 1, number: 4)
        let reading = try backend.take(.readForTransaction(transaction, [key("a/b")]))
        #expect(code(of: transaction, in: reading) == .resourceExhausted)
        let cached = RequestID(session: 1, number: 5)
        let answered = try backend.take(.get(cached, rooms, .default))
        #expect(
            answered.contains {
                if case .answer(cached, let found) = $0 { found.isFromCache } else { false }
            })
        let write = try backend.take(.write(request(6)))
        #expect(write.contains { if case .accept = $0 { true } else { false } })
        #expect(
            try report(&backend).rows.first { $0.program?.name == "program 1" }?.isStopped == true)
        #expect(
            try report(&backend).rows.first { $0.program?.name == "program 2" }?.isStopped == false)
    }

    @Test func `a program of a user over the user's budget is stopped whatever its name`() throws {
        var terms = LedgerTerms()
        terms.uidReadBudget = 4
        terms.onBudget = .stop
        var backend = try backend(terms)
        try backend.take(.introduce(session: 4, LedgerProgram(uid: 7, unit: "", name: "other")))
        try backend.take(.listen(listener(1), rooms, ListenOptions()))
        try backend.answer(rooms, with: documents(4))
        try backend.take(
            .introduce(session: 8, LedgerProgram(uid: 1_000, unit: "", name: "a new name")))
        for (session, code) in [(1, StatusCode.resourceExhausted), (2, .resourceExhausted)] {
            let get = RequestID(session: UInt64(session), number: 20)
            let actions = try backend.take(.get(get, rooms, .server))
            #expect(self.code(of: get, in: actions) == code)
        }
        let anew = RequestID(session: 8, number: 1)
        let actions = try backend.take(.get(anew, rooms, .server))
        for case .refuse(anew, let error) in actions {
            #expect(error.message.contains("uid 1000 has read the 4 documents"))
            #expect(error.message.contains("ledger.uidReadBudget"))
        }
        #expect(code(of: anew, in: actions) == .resourceExhausted)
        let other = RequestID(session: 4, number: 1)
        #expect(code(of: other, in: try backend.take(.get(other, rooms, .server))) == nil)
        let row = try #require(
            try report(&backend).rows.first { $0.program?.name == "program 1" })
        #expect(row.isStopped)
        #expect(row.budget == LedgerBudget(.user(1_000), readCount: 4, limit: 4))
        #expect(try report(&backend).uidReadBudget == 4)
    }

    @Test
    func `a target that another program wants goes on, marked as from the cache for the stopped`()
        throws
    {
        var backend = try backend(terms(2, .stop))
        try backend.take(.listen(listener(1), rooms, ListenOptions()))
        try backend.answer(rooms, with: documents(1))
        try backend.take(.listen(listener(2), rooms, ListenOptions()))
        let read = RequestID(session: 1, number: 7)
        try backend.take(.read(read, [key("a/b")], .server))
        let actions = try backend.take(.upstream(.called(read, .read([told("a/b")]))))
        #expect(
            actions.contains { if case .note(.budget(.reached, _)) = $0 { true } else { false } })
        #expect(backend.bench.engine.wireTargetIDs().count == 1)
        try backend.send([document("rooms/9", ["n": .integer(9)])], to: rooms)
        try backend.reachSnapshot()
        #expect(try sums(&backend)["program 1"]?.reads == 2)
        #expect(try sums(&backend)["program 2"]?.reads == 1)
    }

    @Test func `a stop is lifted when the next day begins`() throws {
        var backend = try backend(terms(4, .stop))
        try backend.take(.listen(listener(1), rooms, ListenOptions()))
        try backend.answer(rooms, with: documents(4))
        #expect(backend.bench.engine.wireTargetIDs().isEmpty)
        backend.bench.now = noon.advanced(by: .seconds(43_200))
        let actions = try backend.take(.timerFired(.ledger))
        #expect(actions.contains { if case .upstream(.listen) = $0 { true } else { false } })
        let get = RequestID(session: 1, number: 2)
        #expect(code(of: get, in: try backend.take(.get(get, rooms, .server))) == nil)
    }

    @Test func `a stop is lifted by a larger budget, and by a warning in its place`() throws {
        for better in [terms(5, .stop), terms(4, .warn), LedgerTerms()] {
            var backend = try backend(terms(4, .stop))
            try backend.take(.listen(listener(1), rooms, ListenOptions()))
            try backend.answer(rooms, with: documents(4))
            #expect(backend.bench.engine.wireTargetIDs().isEmpty)
            try backend.take(.setLedgerTerms(better))
            #expect(backend.bench.engine.wireTargetIDs().count == 1)
        }
    }

    @Test func `a program that withholds itself stays withheld when its budget is lifted`() throws {
        var backend = try backend(terms(4, .stop))
        try backend.take(.listen(listener(1), rooms, ListenOptions()))
        try backend.take(.listen(listener(2), collection("attic"), ListenOptions()))
        try backend.answer(rooms, with: documents(4))
        try backend.take(.withhold(RequestID(session: 1, number: 8), isWithheld: true))
        try backend.take(.setLedgerTerms(LedgerTerms()))
        #expect(backend.bench.engine.wireTargetIDs().count == 1)
        try backend.take(.withhold(RequestID(session: 1, number: 9), isWithheld: false))
        #expect(backend.bench.engine.wireTargetIDs().count == 2)
    }

    @Test func `a new session of a stopped program is stopped`() throws {
        var backend = try backend(terms(4, .stop))
        try backend.take(.listen(listener(1), rooms, ListenOptions()))
        try backend.answer(rooms, with: documents(4))
        try backend.take(
            .introduce(session: 8, LedgerProgram(uid: 1_000, unit: "", name: "program 1")))
        let get = RequestID(session: 8, number: 1)
        #expect(
            code(of: get, in: try backend.take(.get(get, rooms, .server))) == .resourceExhausted)
    }

    func code(of id: RequestID, in actions: [FirestoreEngine.Action]) -> StatusCode? {
        for case .refuse(id, let error) in actions { return error.code }
        return nil
    }

    func stored(_ backend: WatchBackend) throws -> UInt64 {
        let day = LedgerDay(of: backend.bench.now)
        var reads: UInt64 = 0
        try backend.bench.read {
            try $0.ledgerRows(from: day, before: day.before(-1), ofUser: nil) {
                reads += $0.sums.reads
            }
        }
        return reads
    }
}
