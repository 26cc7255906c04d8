import GRPCCore
import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthTestSupport
import SwiftProtobuf
import Testing

@testable import HearthServer

/// Queries with a limit while writes wait that take documents out of what the backend named.
@Suite(.timeLimit(.minutes(2)))
struct LimitedQueryTests {
    private func first(_ count: Int32) -> (inout ProtoStructuredQuery) -> Void {
        {
            $0.orderBy = [.with { $0.field.fieldPath = "size" }]
            $0.limit.value = count
        }
    }

    private func sizes(_ told: GatewayClient.Told<ProtoRunQueryResponse>) -> [Int64?] {
        told.messages.filter(\.hasDocument).map(\.document.size)
    }

    /// Works with rooms of the sizes 1 to 9, after what is read of them.
    private func withRooms(
        _ body: @Sendable (RoomBench) async throws -> Void
    ) async throws {
        try await RoomBench.run { rooms in
            for size in Int64(4)...9 { try await rooms.build("rooms/r\(size)", size: size) }
            try await body(rooms)
        }
    }

    @Test(arguments: [true, false])
    func `with the backend at hand, the backend fills the limit`(isCached: Bool) async throws {
        try await withRooms { rooms in
            if isCached {
                let all = try await rooms.query {
                    $0.orderBy = [.with { $0.field.fieldPath = "size" }]
                }
                #expect(sizes(all) == Array(1...9))
            }
            try await rooms.holdDeletes(["rooms/attic"])
            #expect(try await sizes(rooms.query([:], first(3))) == [2, 3, 4])
            try await rooms.holdDeletes(["rooms/r4", "rooms/hall", "rooms/r5"], after: 1)
            #expect(try await sizes(rooms.query([:], first(3))) == [2, 6, 7])
            #expect(try await sizes(rooms.query([:], first(8))) == [2, 6, 7, 8, 9])
            let last = try await rooms.query { query in
                first(2)(&query)
                query.offset = 2
            }
            #expect(sizes(last) == [7, 8])
        }
    }

    @Test func `offline, what would fill the limit is not known`() async throws {
        try await withRooms { rooms in
            #expect(try await sizes(rooms.query([:], first(2))) == [1, 2])
            #expect(try await rooms.get("rooms/r6").size == 6)
            try await rooms.setOnline(false)
            #expect(try await sizes(rooms.query([:], first(2))) == [1, 2])
            // A write that moves nothing out leaves all known.
            try rooms.queue("rooms/attic", size: 0)
            #expect(try await sizes(rooms.query([:], first(2))) == [0, 2])
            try await rooms.holdDeletes(["rooms/attic"], after: 1, isOnline: false)
            let error = try await rooms.refusal { _ = try await rooms.query([:], first(2)) }
            #expect(error.reason == "HEARTH_NOT_CACHED")
            // Who asks for what happens to be cached gets it.
            let cached = try await rooms.query(["hearth-reads": "cache-first"], first(2))
            #expect(sizes(cached) == [2, 6])
        }
    }

    private func number(
        _ told: GatewayClient.Told<ProtoRunAggregationQueryResponse>
    ) -> Int64? {
        told.messages.first?.result.aggregateFields.first?.value.integerValue
    }

    @Test func `offline, a count up to a limit is known as far as its results are`() async throws {
        try await withRooms { rooms in
            #expect(try await sizes(rooms.query([:], first(2))) == [1, 2])
            try await rooms.setOnline(false)
            #expect(try await number(rooms.count([:], first(2))) == 2)
            // A write that moves nothing out leaves all known.
            try rooms.queue("rooms/attic", size: 0)
            #expect(try await number(rooms.count([:], first(2))) == 2)
            try await rooms.holdDeletes(["rooms/attic"], after: 1, isOnline: false)
            let error = try await rooms.refusal { _ = try await rooms.count([:], first(2)) }
            #expect(error.reason == "HEARTH_NOT_CACHED")
            // Who asks for what happens to be cached gets it.
            let cached = try await rooms.count(["hearth-reads": "cache-first"], first(2))
            #expect(number(cached) == 1)
        }
    }

    @Test func `offline, a count up to a limit is right where all results are known`() async throws
    {
        try await withRooms { rooms in
            #expect(try await sizes(rooms.query([:], first(2))) == [1, 2])
            let all = try await rooms.query { $0.orderBy = [.with { $0.field.fieldPath = "size" }] }
            #expect(sizes(all) == Array(1...9))
            try await rooms.holdDeletes(["rooms/attic"], isOnline: false)
            #expect(try await number(rooms.count([:], first(2))) == 2)
            #expect(try await number(rooms.count([:], first(20))) == 8)
        }
    }

    @Test func `offline, a limit of one whose document was changed in place is known`() async throws
    {
        try await withRooms { rooms in
            #expect(try await sizes(rooms.query([:], first(1))) == [1])
            try await rooms.setOnline(false)
            try rooms.queue("rooms/attic", size: 1)
            #expect(try await sizes(rooms.query([:], first(1))) == [1])
            try rooms.queue("rooms/attic", size: 5)
            let error = try await rooms.refusal { _ = try await rooms.query([:], first(1)) }
            #expect(error.reason == "HEARTH_NOT_CACHED")
        }
    }
}

extension RoomBench {
    /// Queues the deletion of documents, one batch each, and has the batches wait there.
    ///
    /// - Parameters:
    ///   - count: How many batches have been queued before.
    ///   - isOnline: Whether the daemon speaks to the backend afterwards.
    fileprivate func holdDeletes(
        _ paths: [String], after count: Int64 = 0, isOnline: Bool = true
    ) async throws {
        try await setOnline(false)
        for (place, path) in paths.enumerated() {
            try queue(
                Mutation(key: try DocumentKey(parsing: path), kind: .delete),
                holding: BatchID(count + Int64(place) + 1))
        }
        try await setOnline(isOnline)
        if isOnline {
            _ = try await eventually(
                { try? await get("rooms/cellar", ["hearth-reads": "server"]) }, is: { $0 != nil })
        }
    }
}
