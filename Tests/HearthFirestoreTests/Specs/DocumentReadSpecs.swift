import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// Reads of documents by name: the backend's answers, the cache's documents, and unknown documents.
struct DocumentReadSpecs {
    private let id = RequestID(session: 1, number: 1)
    private let keys = [key("rooms/hall"), key("rooms/gone"), key("rooms/new")]
    private let lost = HearthError(code: .unavailable, message: "Lost.")

    /// A cache that holds `rooms/hall` and knows `rooms/gone` missing.
    private func store() throws -> MemoryStore {
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
        return store
    }

    /// An engine with that cache.
    private func engine(online: Bool = true) throws -> EngineBench {
        var bench = try EngineBench(on: try store())
        if !online { try bench.take(.setNetwork(isEnabled: false)) }
        return bench
    }

    /// A document as the backend answers it.
    private func told(
        _ path: String, at microseconds: Int64, n: Int64? = nil, readAt: Int64 = 9_000
    ) -> Document {
        var told =
            n.map { document(path, at: microseconds, ["n": .integer($0)]) }
            ?? .missing(key(path), at: version(microseconds))
        told.readAt = version(readAt)
        return told
    }

    private func result(_ actions: [FirestoreEngine.Action]) -> DocumentsRead? {
        for case .result(id, .read(let read)) in actions { return read }
        return nil
    }

    private func refusal(_ actions: [FirestoreEngine.Action]) -> StatusCode? {
        for case .refuse(id, let error) in actions { return error.code }
        return nil
    }

    @Test(arguments: [ReadSource.default, .server])
    func `the backend is asked once for all documents, and the cache keeps the answer`(
        source: ReadSource
    ) throws {
        var bench = try engine()
        let asked = FirestoreEngine.Action.upstream(
            .call(id, .read(keys), as: .unauthenticated))
        let clock = FirestoreEngine.Action.schedule(
            .backendSilence, after: BackendSilence.patience)
        #expect(
            try bench.take(.read(id, keys, source))
                == (source == .default ? [asked, clock] : [asked]))
        let answer = [
            told("rooms/hall", at: 5_000, n: 2), told("rooms/gone", at: 9_000),
            told("rooms/new", at: 6_000, n: 3),
        ]
        let read = try #require(result(try bench.take(.upstream(.called(id, .read(answer))))))
        #expect(read.documents == answer)
        #expect(!read.isFromCache)
        #expect(read.readAt == version(9_000))
        for document in answer {
            #expect(try bench.read { try $0.remoteDocument(document.key) } == document)
        }
    }

    @Test func `an answer older than what is known is not told`() throws {
        var bench = try engine()
        try bench.take(.read(id, [keys[0]], .default))
        let stale = told("rooms/hall", at: 500, n: 0, readAt: 600)
        let read = try #require(result(try bench.take(.upstream(.called(id, .read([stale]))))))
        #expect(read.documents.map(\.version) == [version(1_000)])
        #expect(try bench.read { try $0.remoteDocument(keys[0]) }.version == version(1_000))
    }

    @Test func `a read that tells nothing new writes nothing`() throws {
        var bench = try engine()
        let answer = told("rooms/hall", at: 5_000, n: 2)
        var counters: [StoreGlobals] = []
        for _ in 0..<3 {
            try bench.take(.read(id, [keys[0]], .default))
            try bench.take(.upstream(.called(id, .read([answer]))))
            counters.append(try bench.read { try $0.globals() })
        }
        #expect(counters[0].sequenceNumber > 0)
        #expect(counters[1] == counters[0])
        #expect(counters[2] == counters[0])
    }

    @Test func `writes that wait are in the answer of the backend and of the cache`() throws {
        var bench = try engine()
        try bench.take(.write(request(7, "rooms/new")))
        try bench.take(.read(id, [keys[2]], .default))
        let missing = told("rooms/new", at: 9_000)
        let online = try #require(result(try bench.take(.upstream(.called(id, .read([missing]))))))
        #expect(online.documents.map(\.fields) == [["n": .integer(7)]])
        #expect(online.documents.map(\.hasLocalMutations) == [true])
        let cached = try #require(result(try bench.take(.read(id, [keys[2]], .cache))))
        #expect(cached.documents == online.documents)
    }

    @Test func `offline what is unknown is not missing`() throws {
        var bench = try engine(online: false)
        for source in [ReadSource.default, .cache] {
            let read = try #require(result(try bench.take(.read(id, keys, source))))
            #expect(read.isFromCache)
            #expect(read.documents.map(\.key) == keys)
            #expect(read.documents.map(\.isFound) == [true, false, false])
            #expect(read.documents.map(\.isMissing) == [false, true, false])
        }
        #expect(refusal(try bench.take(.read(id, keys, .server))) == .unavailable)
    }

    @Test(arguments: [
        (StatusCode.unavailable, true), (.deadlineExceeded, true), (.permissionDenied, false),
    ])
    func `the cache answers for a backend that does not, but not against its word`(
        code: StatusCode, isAnswered: Bool
    ) throws {
        var bench = try engine()
        let error = HearthError(code: code, message: "No.")
        try bench.take(.read(id, keys, .default))
        let actions = try bench.take(.upstream(.called(id, .failed(error))))
        #expect(result(actions)?.isFromCache == (isAnswered ? true : nil))
        #expect(refusal(actions) == (isAnswered ? nil : code))
        try bench.take(.read(id, keys, .server))
        #expect(refusal(try bench.take(.upstream(.called(id, .failed(error))))) == code)
    }

    @Test func `a view that is not watched shows what was read`() throws {
        var bench = try engine(online: false)
        let listener = ListenerID(session: 2, number: 1)
        try bench.take(.listen(listener, collection("rooms"), ListenOptions(isCacheOnly: true)))
        try bench.take(.setNetwork(isEnabled: true))
        try bench.take(.read(id, [keys[2]], .default))
        let actions = try bench.take(
            .upstream(.called(id, .read([told("rooms/new", at: 6_000, n: 3)]))))
        let shown = actions.compactMap { action -> Int? in
            if case .emit(let snapshot, [listener]) = action {
                snapshot.documents.count
            } else {
                nil
            }
        }
        #expect(shown == [2])
    }

    @Test func `a snapshot tells for which state of the cache a read would find the same`() throws {
        var bench = try engine(online: false)
        let listener = ListenerID(session: 2, number: 1)
        func number(_ actions: [FirestoreEngine.Action]) -> UInt64? {
            for case .emit(let snapshot, [listener]) in actions { return snapshot.changeNumber }
            return nil
        }
        let first = try bench.take(
            .listen(listener, collection("rooms"), ListenOptions(isCacheOnly: true)))
        #expect(number(first) == bench.store.changes.number)
        let shown = number(try bench.take(.write(request(7))))
        #expect(shown == bench.store.changes.number)
        // A change elsewhere: the listener hears nothing, and its number is no longer the store's.
        #expect(number(try bench.take(.write(request(2, "halls/great")))) == nil)
        #expect(try #require(shown) < bench.store.changes.number)
        let other = ListenerID(session: 3, number: 1)
        let late = try bench.take(
            .listen(other, collection("rooms"), ListenOptions(isCacheOnly: true)))
        let told = late.compactMap { action -> UInt64? in
            if case .emit(let snapshot, [other]) = action { snapshot.changeNumber } else { nil }
        }
        #expect(told == [bench.store.changes.number])
    }

    @Test func `a snapshot with an older version is not what a read would find`() throws {
        var bench = try engine(online: false)
        let listener = ListenerID(session: 2, number: 1)
        func number(_ actions: [FirestoreEngine.Action]) -> UInt64? {
            for case .emit(let snapshot, [listener]) in actions { return snapshot.changeNumber }
            return nil
        }
        func news(_ document: Document) -> FirestoreEngine.Input {
            .loadBundle(
                id,
                Bundle(
                    record: BundleRecord(
                        id: "news", createdAt: document.version, version: 1),
                    entries: [Bundle.Entry(document: document, queries: [])], namedQueries: [],
                    byteCount: 0))
        }
        try bench.take(
            .listen(listener, collection("rooms"), ListenOptions(isCacheOnly: true)))
        // The same fields in a newer version: nobody is told.
        #expect(number(try bench.take(news(told("rooms/hall", at: 5_000, n: 1)))) == nil)
        #expect(number(try bench.take(news(told("rooms/new", at: 6_000, n: 3)))) == 0)
        let shown = number(try bench.take(news(told("rooms/hall", at: 7_000, n: 2))))
        #expect(shown == bench.store.changes.number)
    }

    @Test func `what either user has written is another document when one signs in`() throws {
        var bench = try engine(online: false)
        try bench.take(.write(request(7)))
        try bench.take(.changeUser(UserID("ann")))
        #expect(bench.store.changes.keys == [keys[0]])
        try bench.take(.write(request(8, "rooms/new")))
        try bench.take(.changeUser(.unauthenticated))
        #expect(bench.store.changes.keys == [keys[0], keys[2]])
    }

    @Test func `a watched view gets what was read by its stream, at its time`() throws {
        var bench = try engine()
        try bench.take(
            .listen(ListenerID(session: 2, number: 1), collection("rooms"), ListenOptions()))
        try bench.take(.read(id, [keys[2]], .default))
        let answer = told("rooms/new", at: 6_000, n: 3)
        let actions = try bench.take(.upstream(.called(id, .read([answer]))))
        #expect(result(actions)?.documents == [answer])
        #expect(!actions.contains { if case .emit = $0 { true } else { false } })
        #expect(try bench.read { try $0.remoteDocument(keys[2]) }.isValid == false)
    }

    @Test(arguments: [true, false])
    func `what a program says it has read is collected after what nobody has read`(
        isNoted: Bool
    ) throws {
        let store = try store()
        let byteCount = try store.transaction { transaction throws(StoreError) in
            try transaction.cacheByteCount()
        }
        var bench = try EngineBench(
            on: store, collection: .leastUsed(cacheByteCountMax: byteCount - 1))
        if isNoted {
            let noted = try bench.take(.noteReads(id, [key("rooms/unknown"), keys[0]]))
            #expect(noted == [.complete(id)])
        }
        try bench.take(.timerFired(.garbageCollection))
        #expect(try bench.read { try $0.remoteDocument(keys[0]) }.isFound == isNoted)
        #expect(try !bench.read { try $0.remoteDocument(keys[1]) }.isMissing)
        #expect(try !bench.read { try $0.remoteDocument(key("rooms/unknown")) }.isValid)
    }

    @Test func `a daemon that goes down refuses reads that wait`() throws {
        var bench = try engine()
        try bench.take(.read(id, keys, .default))
        #expect(refusal(try bench.take(.shutdown)) == .unavailable)
        #expect(try bench.take(.upstream(.called(id, .failed(lost)))).isEmpty)
    }

    @Test func `what the cache answers says up to when the backend has told of it`() throws {
        var bench = try engine(online: false)
        let rooms = collection("rooms")
        func readAt(_ query: Query) throws -> SnapshotVersion? {
            for case .answer(id, let snapshot) in try bench.take(.get(id, query, .cache)) {
                return snapshot.readAt
            }
            return nil
        }
        #expect(try readAt(rooms) == .zero)
        try bench.store.transaction { transaction throws(StoreError) in
            try transaction.setTargetData(
                TargetData(
                    id: TargetID(2), target: rooms.target, sequenceNumber: 1,
                    snapshotVersion: version(40), resumeToken: token("t")))
        }
        var first = rooms
        first.limit = .init(1)
        for query in [rooms, first] { #expect(try readAt(query) == version(40)) }
        #expect(try readAt(collection("halls")) == .zero)
        let count = AggregateRequest(
            query: first, aggregations: [Aggregation(alias: "n", operation: .count(upTo: nil))],
            source: .default)
        var counted: [SnapshotVersion] = []
        for case .result(id, .aggregated(let numbers)) in try bench.take(.aggregate(id, count)) {
            counted.append(numbers.readAt)
        }
        #expect(counted == [version(40)])
    }
}
