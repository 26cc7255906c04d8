import GRPCCore
import HearthEmulator
import HearthModel
import HearthProtocol
import HearthTestSupport
import SwiftProtobuf
import Testing

@testable import HearthServer

/// Queries, numbers and lists, online and offline, in each mode.
@Suite(.timeLimit(.minutes(2)))
struct QueryCallsTests {
    private func bySize(_ query: inout ProtoStructuredQuery) {
        query.orderBy = [.with { $0.field.fieldPath = "size" }]
    }

    private func ids(_ told: GatewayClient.Told<ProtoRunQueryResponse>) -> [String] {
        told.messages.filter(\.hasDocument).map(\.document.id)
    }

    @Test func `a query is answered online, and offline as it was`() async throws {
        try await RoomBench.run { rooms in
            let online = try await rooms.query([:], bySize)
            #expect(ids(online) == ["attic", "cellar", "hall"])
            #expect(online.messages.map(\.done) == [false, false, true])
            #expect(online.messages.allSatisfy { $0.readTime.mark == 0 && $0.hasReadTime })
            try await rooms.setOnline(false)
            let offline = try await rooms.query([:], bySize)
            #expect(offline.messages.map(\.document) == online.messages.map(\.document))
            #expect(offline.messages.allSatisfy { $0.readTime.mark == 2 })
            #expect(offline.initial.text("hearth-from-cache") == "1")
        }
    }

    @Test func `offset, limit and projection are cut as the backend cuts them`() async throws {
        try await RoomBench.run { rooms in
            func change(_ query: inout ProtoStructuredQuery) {
                bySize(&query)
                query.offset = 1
                query.limit.value = 1
                query.select.fields = [.with { $0.fieldPath = "__name__" }]
            }
            let here = try await rooms.query([:], change)
            let request = RoomBench.request(change)
            let there: GatewayClient.Told<ProtoRunQueryResponse> = try await rooms.direct.call(
                .runQuery, request)
            #expect(here.messages.map(\.document) == there.messages.map(\.document))
            #expect(here.messages.map(\.skippedResults) == there.messages.map(\.skippedResults))
            #expect(ids(here) == ["cellar"])
            let none = try await rooms.query { $0.offset = 5 }
            #expect(none.messages.map(\.skippedResults) == [3])
            #expect(none.messages.map(\.done) == [true])
        }
    }

    @Test func `offline a query that was never complete here is an error, but not cache-first`()
        async throws
    {
        try await RoomBench.run { rooms in
            _ = try await rooms.get("rooms/hall")
            try await rooms.setOnline(false)
            let error = try await rooms.refusal { _ = try await rooms.query() }
            #expect(error.code == .failedPrecondition)
            #expect(error.reason == "HEARTH_NOT_CACHED")
            let cached = try await rooms.query(["hearth-reads": "cache-first"])
            #expect(ids(cached) == ["hall"])
            let strict = try await rooms.refusal {
                _ = try await rooms.query(["hearth-reads": "server"])
            }
            #expect(strict.reason == "HEARTH_OFFLINE")
        }
    }

    @Test func `offline a part of a collection that is known whole is known`() async throws {
        try await RoomBench.run { rooms in
            _ = try await rooms.query()
            try await rooms.setOnline(false)
            let large = try await rooms.query {
                $0.where.fieldFilter.field.fieldPath = "size"
                $0.where.fieldFilter.op = .greaterThan
                $0.where.fieldFilter.value.integerValue = 1
            }
            #expect(ids(large) == ["cellar", "hall"])
        }
    }

    @Test func `cache-first a query goes to the backend once`() async throws {
        try await RoomBench.run { rooms in
            let first: Metadata = ["hearth-reads": "cache-first"]
            let asked = try await rooms.query(first)
            #expect(ids(asked).count == 3)
            try await rooms.build("rooms/porch", size: 9)
            let cached = try await rooms.query(first)
            #expect(ids(cached).count == 3)
            #expect(cached.messages.allSatisfy { $0.readTime.mark == 2 })
            let news = try await rooms.query()
            #expect(ids(news).count == 4)
        }
    }

    @Test func `what only the backend can do is refused offline`() async throws {
        try await RoomBench.run { rooms in
            let all = try await rooms.query { $0.from = [.with { $0.allDescendants = true }] }
            #expect(ids(all).count == 3)
            try await rooms.setOnline(false)
            let error = try await rooms.refusal {
                _ = try await rooms.query { $0.from = [.with { $0.allDescendants = true }] }
            }
            #expect(error.code == .failedPrecondition)
            #expect(error.reason == "HEARTH_NEEDS_BACKEND")
        }
    }

    @Test func `a wrong query is refused in the backend's words`() async throws {
        try await RoomBench.run { rooms in
            let request = RoomBench.request { $0.offset = -1 }
            let here = await #expect(throws: RPCError.self) {
                let _: GatewayClient.Told<ProtoRunQueryResponse> = try await rooms.client.call(
                    .runQuery, request)
            }
            let there = await #expect(throws: RPCError.self) {
                let _: GatewayClient.Told<ProtoRunQueryResponse> = try await rooms.direct.call(
                    .runQuery, request)
            }
            #expect(here?.code == there?.code)
            #expect(here?.message == there?.message)
        }
    }

    // MARK: Numbers

    @Test func `rooms are counted by the backend, and offline from the cache`() async throws {
        try await RoomBench.run { rooms in
            func number(
                _ told: GatewayClient.Told<ProtoRunAggregationQueryResponse>
            ) throws -> [Int64] {
                try #require(told.messages.first).result.aggregateFields.map(\.value.integerValue)
            }
            let online = try await rooms.count()
            #expect(try number(online) == [3])
            _ = try await rooms.query()
            try await rooms.setOnline(false)
            let offline = try await rooms.count()
            #expect(try number(offline) == [3])
            #expect(
                offline.messages.first?.result.aggregateFields.map(\.key)
                    == online.messages.first?.result.aggregateFields.map(\.key))
            #expect(offline.messages.first?.readTime.mark == 2)
        }
    }

    @Test func `the count that finds the backend gone comes from the cache, like those after it`()
        async throws
    {
        try await RoomBench.run { rooms in
            _ = try await rooms.query()
            _ = try await rooms.count()
            rooms.bench.emulator.shutdown()
            for _ in 0..<3 {
                let told = try await rooms.count()
                let answer = try #require(told.messages.first)
                #expect(answer.result.aggregateFields.map(\.value.integerValue) == [3])
            }
        }
    }

    @Test func `the count that finds the backend gone is refused as offline if nobody knows`()
        async throws
    {
        try await RoomBench.run { rooms in
            _ = try await rooms.count()
            rooms.bench.emulator.shutdown()
            let first = try await eventually { () async throws -> RPCError? in
                do {
                    _ = try await rooms.count()
                    return nil
                } catch let error as RPCError {
                    return error
                }
            } is: {
                $0 != nil
            }
            #expect(first?.code == .failedPrecondition)
            #expect(first?.message.contains("is not in the cache") == true)
        }
    }

    @Test func `offline what was never complete here is not counted`() async throws {
        try await RoomBench.run { rooms in
            _ = try await rooms.get("rooms/hall")
            try await rooms.setOnline(false)
            let error = try await rooms.refusal { _ = try await rooms.count() }
            #expect(error.reason == "HEARTH_NOT_CACHED")
            let cached = try await rooms.count(["hearth-reads": "cache-first"])
            #expect(
                cached.messages.first?.result.aggregateFields.map(\.value.integerValue) == [1])
        }
    }
}
