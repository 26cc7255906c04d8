import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// Transactions, numbers and votes: what an engine asks of the backend outside the streams.
struct BackendCallSpecs {
    private let id = RequestID(session: 1, number: 1)
    private let lost = HearthError(code: .unavailable, message: "Lost.")
    private let hall = Mutation(key: key("rooms/hall"), kind: .delete)

    private func engine(_ documents: [Document] = []) throws -> EngineBench {
        let store = MemoryStore()
        try store.transaction { transaction throws(StoreError) in
            for var document in documents {
                document.readAt = version(1_000)
                try transaction.setRemoteDocument(document)
            }
        }
        return try EngineBench(on: store)
    }

    private func answered(_ actions: [FirestoreEngine.Action]) -> AggregateResult? {
        for case .result(id, .aggregated(let result)) in actions { return result }
        return nil
    }

    private func refusal(_ actions: [FirestoreEngine.Action]) -> HearthError? {
        for case .refuse(id, let error) in actions { return error }
        return nil
    }

    // MARK: Transactions

    @Test func `a transaction reads from the backend, and its commit leaves the queue alone`()
        throws
    {
        var bench = try engine()
        #expect(
            try bench.take(.readForTransaction(id, [hall.key]))
                == [.upstream(.call(id, .read([hall.key]), as: .unauthenticated))])
        let found = document("rooms/hall")
        #expect(
            try bench.take(.upstream(.called(id, .read([found]))))
                == [
                    .result(id, .documents([found])),
                    .schedule(.ledger, after: LedgerLimits.unsavedTimeMax),
                ])
        #expect(
            try bench.take(.commitTransaction(id, [hall]))
                == [.upstream(.call(id, .commit([hall]), as: .unauthenticated))])
        let results = [Mutation.Result(version: version(5_000))]
        #expect(
            try bench.take(.upstream(.called(id, .committed(at: version(6_000), results))))
                == [.result(id, .committed(at: version(6_000), updatedAt: [version(5_000)]))])
        #expect(try bench.read { try $0.highestBatchID(of: .unauthenticated) } == nil)
        #expect(try bench.read { try $0.remoteDocument(hall.key) }.isValid == false)
    }

    @Test func `a read that nobody waits for is given up, and a commit goes on`() throws {
        var bench = try engine()
        let give = FirestoreEngine.Action.upstream(.abandon(id))
        try bench.take(.readForTransaction(id, [hall.key]))
        #expect(try bench.take(.abandon(id)) == [give])
        #expect(try bench.take(.abandon(id)) == [])
        #expect(try bench.take(.upstream(.called(id, .read([])))) == [])
        try bench.take(.read(id, [hall.key], .server))
        #expect(try bench.take(.disconnected(session: id.session)) == [give])
        try bench.take(.commitTransaction(id, [hall]))
        #expect(try bench.take(.abandon(id)) == [])
        #expect(try bench.take(.upstream(.called(id, .failed(lost)))) == [])
    }

    @Test func `a commit past the queue is in the cache and in views, below what waits`() throws {
        var bench = try engine([
            document("rooms/hall", ["n": .integer(1), "m": .integer(1)])
        ])
        try bench.take(.setNetwork(isEnabled: false))
        let listener = ListenerID(session: 3, number: 1)
        try bench.take(.listen(listener, collection("rooms"), ListenOptions()))
        let patch = Mutation(
            key: hall.key, kind: .patch(["m": .integer(9)], FieldMask([FieldPath(["m"])])))
        try bench.take(
            .write(
                WriteRequest(
                    id: RequestID(session: 2, number: 1), identity: nil,
                    writer: Writer(uid: 1000, gid: 1000, pid: 42, program: "test"),
                    mutations: [patch])))

        let set = Mutation(key: hall.key, kind: .set(["n": .integer(2), "m": .integer(2)]))
        let answer = WriteAnswer(
            token: [], committedAt: version(6_000),
            results: [Mutation.Result(version: version(5_000))])
        var actions = try bench.take(.learnCommit(id, [set], answer))
        #expect(actions.contains(.complete(id)))
        let remote = try bench.read { try $0.remoteDocument(hall.key) }
        #expect(remote.fields == ["n": .integer(2), "m": .integer(2)])
        #expect(remote.version == version(5_000))
        #expect(remote.readAt == version(6_000))
        actions += try bench.take(.timerFired(.settling))
        let shown = actions.compactMap { action -> Document? in
            guard case .emit(let snapshot, [listener]) = action else { return nil }
            return snapshot.documents.first
        }
        #expect(shown.last?.fields == ["n": .integer(2), "m": .integer(9)])

        // The watch stream was quicker with what came later: the commit changes nothing.
        let older = WriteAnswer(
            token: [], committedAt: version(4_000),
            results: [Mutation.Result(version: version(4_000))])
        #expect(try bench.take(.learnCommit(id, [hall], older)) == [.complete(id)])
        #expect(try bench.read { try $0.remoteDocument(hall.key) } == remote)
    }

    @Test func `offline a transaction is refused at once, and nothing is in doubt`() throws {
        var bench = try engine()
        try bench.take(.setNetwork(isEnabled: false))
        let error = try #require(refusal(try bench.take(.readForTransaction(id, [hall.key]))))
        #expect(error.code == .unavailable)
        #expect(error.message.contains("transaction needs the backend"))
        #expect(
            try bench.take(.commitTransaction(id, [hall]))
                == [.result(id, .commitFailed(error, mayHaveBeenApplied: false))])
    }

    @Test(arguments: [
        (StatusCode.failedPrecondition, false), (.aborted, false), (.alreadyExists, false),
        (.notFound, false), (.unavailable, true), (.deadlineExceeded, true), (.unknown, true),
    ])
    func `a commit whose answer is lost is in doubt, a refused one is not`(
        code: StatusCode, isInDoubt: Bool
    ) throws {
        var bench = try engine()
        try bench.take(.commitTransaction(id, [hall]))
        let error = HearthError(code: code, message: "No.")
        #expect(
            try bench.take(.upstream(.called(id, .failed(error))))
                == [.result(id, .commitFailed(error, mayHaveBeenApplied: isInDoubt))])
    }

    @Test func `the answer for a session that is gone is dropped`() throws {
        var bench = try engine()
        try bench.take(.readForTransaction(id, [hall.key]))
        try bench.take(.disconnected(session: 1))
        #expect(try bench.take(.upstream(.called(id, .failed(lost)))).isEmpty)
    }

    @Test func `a daemon that goes down says that the commit is in doubt`() throws {
        var bench = try engine()
        try bench.take(.commitTransaction(id, [hall]))
        let said = try bench.take(.shutdown).contains { action in
            if case .result(id, .commitFailed(_, mayHaveBeenApplied: true)) = action {
                true
            } else {
                false
            }
        }
        #expect(said)
    }

    @Test func `calls are made as the user, and end when another signs in`() throws {
        var bench = try engine()
        let (read, commit, count) = (
            id, RequestID(session: 1, number: 2), RequestID(session: 2, number: 1)
        )
        try bench.take(.changeUser(UserID("ann")))
        #expect(
            try bench.take(.readForTransaction(read, [hall.key]))
                == [.upstream(.call(read, .read([hall.key]), as: UserID("ann")))])
        try bench.take(.commitTransaction(commit, [hall]))
        let request = AggregateRequest(
            query: collection("rooms"), aggregations: numbers, source: .server)
        try bench.take(.aggregate(count, request))
        // The same user again is no change.
        #expect(refusal(try bench.take(.changeUser(UserID("ann")))) == nil)
        let actions = try bench.take(.changeUser(UserID("bob")))
        let error = HearthError(
            code: .cancelled, message: "Another user signed in before the backend has answered.")
        #expect(actions.contains(.refuse(read, error)))
        #expect(actions.contains(.refuse(count, error)))
        #expect(
            actions.contains(.result(commit, .commitFailed(error, mayHaveBeenApplied: true))))
        // What was asked as Ann is not told while Bob is signed in.
        #expect(
            try bench.take(.upstream(.called(read, .read([document("rooms/hall")])))).isEmpty)
    }

    // MARK: Numbers

    private let numbers = [
        Aggregation(alias: "n", operation: .count(upTo: nil)),
        Aggregation(alias: "s", operation: .sum(FieldPath(["x"]))),
        Aggregation(alias: "a", operation: .average(FieldPath(["x"]))),
    ]

    private func ask(_ source: ReadSource, _ query: Query = collection("rooms"))
        -> FirestoreEngine.Input
    {
        .aggregate(id, AggregateRequest(query: query, aggregations: numbers, source: source))
    }

    @Test func `numbers come from the backend, or by default from the cache if it is away`() throws
    {
        var bench = try engine([document("rooms/hall", ["x": .integer(3)])])
        let query = collection("rooms").aggregateTarget.structuredQuery
        #expect(
            try bench.take(ask(.server)) == [
                .upstream(.call(id, .aggregate(numbers, query), as: .unauthenticated))
            ])
        #expect(refusal(try bench.take(.upstream(.called(id, .failed(lost))))) == lost)
        try bench.take(ask(.default))
        let fallback = answered(try bench.take(.upstream(.called(id, .failed(lost)))))
        #expect(fallback?.isFromCache == true)
        #expect(fallback?.values == ["n": .integer(1), "s": .integer(3), "a": .double(3)])
        try bench.take(ask(.default))
        let values: MapValue = ["n": .integer(7)]
        let told = answered(try bench.take(.upstream(.called(id, .aggregated(values)))))
        #expect(told?.isFromCache == false)
        #expect(told?.values == values)
        try bench.take(.setNetwork(isEnabled: false))
        #expect(refusal(try bench.take(ask(.server)))?.code == .unavailable)
        #expect(answered(try bench.take(ask(.default)))?.isFromCache == true)
    }

    @Test func `the cache computes with local writes, and as the backend would`() throws {
        var bench = try engine([
            document("rooms/a", ["x": .integer(1)]), document("rooms/b", ["x": .string("no")]),
            document("rooms/c", ["y": .integer(9)]), document("rooms/d", ["x": .integer(4)]),
        ])
        let whole = try #require(answered(try bench.take(ask(.cache))))
        #expect(whole.values == ["n": .integer(3), "s": .integer(5), "a": .double(2.5)])
        #expect(!whole.hasPendingWrites)
        var first = collection("rooms")
        first.explicitOrderBys = [OrderBy(FieldPath(["x"]), .descending)]
        first.limit = .init(2)
        #expect(
            answered(try bench.take(ask(.cache, first)))?.values
                == ["n": .integer(2), "s": .integer(4), "a": .double(4)])
        try bench.take(.setNetwork(isEnabled: false))
        try bench.take(
            .write(
                WriteRequest(
                    id: RequestID(session: 1, number: 2),
                    writer: Writer(uid: 1, gid: 1, pid: 1),
                    mutations: [
                        Mutation(key: key("rooms/e"), kind: .set(["x": .double(0.5)]))
                    ])))
        let mixed = try #require(answered(try bench.take(ask(.cache))))
        #expect(mixed.values == ["n": .integer(4), "s": .double(5.5), "a": .double(5.5 / 3)])
        #expect(mixed.hasPendingWrites)
    }

    @Test(arguments: [
        ([Value.integer(.max), .integer(1)], Value.double(Double(Int64.max) + 1)),
        ([.integer(1), .double(2)], .double(3)), ([.double(.nan), .integer(1)], .double(.nan)),
        ([.null, .string("1")], .integer(0)), ([], .integer(0)),
    ])
    func `a sum is a whole number as long as it can be`(values: [Value], sum: Value) throws {
        var bench = try engine(
            values.enumerated().map { document("rooms/d\($0.offset)", ["x": $0.element]) })
        let result = try #require(answered(try bench.take(ask(.cache))))
        #expect(result.values[FieldPath(["s"])] == sum)
        let numberCount = values.count { $0.isNumber }
        let mean = try #require(result.values[FieldPath(["a"])])
        #expect(mean.isNull == (numberCount == 0))
    }

    @Test func `what cannot be computed is refused`() throws {
        var bench = try engine()
        let single = Query(document: key("rooms/hall"))
        #expect(refusal(try bench.take(ask(.cache, single)))?.code == .invalidArgument)
        let none = AggregateRequest(query: collection("rooms"), aggregations: [], source: .cache)
        #expect(refusal(try bench.take(.aggregate(id, none)))?.code == .invalidArgument)
        let names = AggregateRequest(
            query: collection("rooms"),
            aggregations: [Aggregation(alias: "s", operation: .sum(.documentID))], source: .cache)
        #expect(refusal(try bench.take(.aggregate(id, names)))?.code == .invalidArgument)
    }

    // MARK: Votes

    private func isOffline(_ bench: inout EngineBench, session: UInt64) throws -> Bool {
        let probe = RequestID(session: session, number: 99)
        return try !bench.take(.readForTransaction(probe, [hall.key])).contains {
            if case .upstream(.call) = $0 { true } else { false }
        }
    }

    @Test func `the network is left alone only while all who use it want so`() throws {
        var bench = try engine()
        let (first, second) = (id, RequestID(session: 2, number: 1))
        #expect(try bench.take(.vote(first, isEnabled: false)).contains(.complete(first)))
        #expect(try isOffline(&bench, session: 1))
        // Another session asks for something: it is for the network, without saying so.
        #expect(try !isOffline(&bench, session: 2))
        // The first goes on keeping itself away.
        #expect(try isOffline(&bench, session: 1))
        try bench.take(.vote(second, isEnabled: false))
        #expect(try isOffline(&bench, session: 2))
        try bench.take(.disconnected(session: 1))
        #expect(try isOffline(&bench, session: 2))
        try bench.take(.vote(second, isEnabled: true))
        #expect(try !isOffline(&bench, session: 2))
    }

    @Test func `the last to go leaves the network in use`() throws {
        var bench = try engine()
        try bench.take(.setNetwork(isEnabled: true))
        try bench.take(.write(request(1, session: 3)))
        try bench.take(.disconnected(session: 3))
        try bench.take(.vote(id, isEnabled: false))
        let back = try bench.take(.disconnected(session: 1))
        #expect(
            back.contains {
                if case .upstream(.openWrite) = $0 { true } else { false }
            })
    }

    @Test func `own writes are awaited without those of others`() throws {
        var bench = try engine()
        try bench.take(.write(request(1, session: 1)))
        try bench.take(.write(request(1, session: 2)))
        let (own, all) = (RequestID(session: 1, number: 8), RequestID(session: 1, number: 9))
        #expect(try bench.take(.waitForPendingWrites(own, .own(last: .none))).isEmpty)
        #expect(try bench.take(.waitForPendingWrites(all, .all)).isEmpty)
        try bench.openWriteStream(1)
        try bench.commit(1, at: 5_000)
        #expect(bench.actions.contains(.complete(own)))
        #expect(!bench.actions.contains(.complete(all)))
        try bench.commit(1, at: 6_000)
        #expect(bench.actions.contains(.complete(all)))
        #expect(
            try bench.take(.waitForPendingWrites(own, .own(last: BatchID(1)))) == [.complete(own)])
    }
}
