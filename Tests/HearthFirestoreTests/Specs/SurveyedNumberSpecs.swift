import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// Numbers and plans that take a look at a collection which is too long for a turn.
struct SurveyedNumberSpecs {
    private let rooms = collection("rooms")
    private let request = RequestID(session: 1, number: 1)
    private let numbers = [
        Aggregation(alias: "count", operation: .count(upTo: nil)),
        Aggregation(alias: "sum", operation: .sum(FieldPath(["n"]))),
    ]

    /// An engine whose cache has five rooms, numbered by `n`, and a sixth without a number.
    private func bench() throws -> EngineBench {
        let store = MemoryStore()
        try store.transaction { transaction throws(StoreError) in
            for number in 1...6 {
                let fields: MapValue = number > 5 ? [:] : ["n": .integer(Int64(number))]
                var room = document("rooms/r\(number)", at: 1_000, fields)
                room.readAt = version(1_000)
                try transaction.setRemoteDocument(room)
            }
        }
        return try EngineBench(on: store, surveys: .tiny)
    }

    private func write(_ number: UInt64, _ mutation: Mutation) -> FirestoreEngine.Input {
        .write(
            WriteRequest(
                id: RequestID(session: 9, number: number),
                writer: Writer(uid: 1, gid: 1, pid: 1), mutations: [mutation]))
    }

    private func aggregate(
        _ query: Query, _ numbers: [Aggregation], for id: RequestID? = nil
    ) -> FirestoreEngine.Input {
        .aggregate(
            id ?? request, AggregateRequest(query: query, aggregations: numbers, source: .cache))
    }

    private func order(_ actions: [FirestoreEngine.Action]) throws -> SurveyOrder {
        for case .survey(.begin(let order)) in actions { return order }
        throw TestFailure.noOrder
    }

    private enum TestFailure: Error { case noOrder }

    private func answer(
        _ actions: [FirestoreEngine.Action], to id: RequestID? = nil
    ) -> AggregateResult? {
        let asked = id ?? request
        for case .result(asked, .aggregated(let result)) in actions { return result }
        return nil
    }

    @Test func `numbers are computed beside the turns, with the overlays of the user`() throws {
        var bench = try bench()
        try bench.take(write(1, Mutation(key: key("rooms/r1"), kind: .delete)))
        try bench.take(write(2, Mutation(key: key("rooms/r9"), kind: .set(["n": .integer(9)]))))
        let order = try order(try bench.take(aggregate(rooms, numbers)))
        let told = try bench.take(.surveyed(order.id, bench.store.survey(order)))
        let result = try #require(answer(told))
        #expect(result.values == ["count": .integer(5), "sum": .integer(23)])
        #expect(result.isFromCache)
        #expect(result.hasPendingWrites)
    }

    @Test func `numbers are of one moment, also when something changes meanwhile`() throws {
        var bench = try bench()
        let order = try order(try bench.take(aggregate(rooms, numbers)))
        let early = bench.store.survey(order)
        try bench.take(write(1, Mutation(key: key("rooms/r1"), kind: .delete)))
        let result = try #require(answer(try bench.take(.surveyed(order.id, early))))
        #expect(result.values == ["count": .integer(5), "sum": .integer(15)])
        #expect(!result.hasPendingWrites)
    }

    @Test func `whoever asks behind a write finds the write in the numbers`() throws {
        var bench = try bench()
        let first = try order(try bench.take(aggregate(rooms, numbers)))
        let early = bench.store.survey(first)
        try bench.take(write(1, Mutation(key: key("rooms/r1"), kind: .delete)))
        let (second, third) = (
            RequestID(session: 9, number: 2), RequestID(session: 9, number: 3)
        )
        #expect(try bench.take(aggregate(rooms, numbers, for: second)).isEmpty)
        #expect(try bench.take(aggregate(rooms, numbers, for: third)).isEmpty)
        let told = try bench.take(.surveyed(first.id, early))
        #expect(answer(told)?.values == ["count": .integer(5), "sum": .integer(15)])
        #expect(answer(told, to: second) == nil)
        let again = try order(told)
        let late = try bench.take(.surveyed(again.id, bench.store.survey(again)))
        let newer: MapValue = ["count": .integer(4), "sum": .integer(14)]
        #expect(answer(late, to: second)?.values == newer)
        // The next has a turn of its own.
        let last = try bench.take(.surveyed(again.id, bench.store.survey(again)))
        #expect(answer(last, to: third)?.values == newer)
    }

    @Test func `numbers for one user are never told to another`() throws {
        var bench = try bench()
        try bench.take(write(1, Mutation(key: key("rooms/r1"), kind: .delete)))
        let first = try order(try bench.take(aggregate(rooms, numbers)))
        let outcome = bench.store.survey(first)
        try bench.take(.changeUser(UserID("ada")))
        let again = try bench.take(.surveyed(first.id, outcome))
        #expect(answer(again) == nil)
        let second = try order(again)
        let told = try bench.take(.surveyed(second.id, bench.store.survey(second)))
        #expect(answer(told)?.values == ["count": .integer(5), "sum": .integer(15)])
    }

    @Test func `numbers within a limit are computed over the first documents that count`() throws {
        var bench = try bench()
        var query = rooms
        query.limit = Query.Limit(2)
        let order = try order(try bench.take(aggregate(query, numbers)))
        let early = bench.store.survey(order)
        try bench.take(write(1, Mutation(key: key("rooms/r1"), kind: .delete)))
        let result = try #require(answer(try bench.take(.surveyed(order.id, early))))
        #expect(result.values == ["count": .integer(2), "sum": .integer(5)])
    }

    @Test(arguments: [SurveyOutcome.failed, .tooLarge])
    func `without a survey the turn computes`(outcome: SurveyOutcome) throws {
        var bench = try bench()
        let order = try order(try bench.take(aggregate(rooms, numbers)))
        let result = try #require(answer(try bench.take(.surveyed(order.id, outcome))))
        #expect(result.values == ["count": .integer(5), "sum": .integer(15)])
    }

    @Test(arguments: [nil, Query.Limit(2)])
    func `a plan tells what the survey has examined`(limit: Query.Limit?) throws {
        var bench = try bench()
        var query = rooms
        query.filters = [.field(FieldPath(["n"]), .greaterThan, .integer(2))]
        query.limit = limit
        let order = try order(try bench.take(.explain(request, query)))
        let told = try bench.take(.surveyed(order.id, bench.store.survey(order)))
        guard case .explained(request, let plan)? = told.first else {
            Issue.record("\(told)")
            return
        }
        #expect(plan.plan == .fullScan)
        #expect(plan.examinedCount == 6)
        #expect(plan.matchedCount == limit?.count ?? 3)
    }
}
