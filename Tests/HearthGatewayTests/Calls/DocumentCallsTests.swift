import GRPCCore
import HearthModel
import HearthProtocol
import HearthTestSupport
import SwiftProtobuf
import Testing

@testable import HearthServer

/// Documents by name, online and offline, in each mode.
@Suite(.timeLimit(.minutes(2)))
struct DocumentCallsTests {
    @Test func `online a document is the backend's, with the backend's times`() async throws {
        try await RoomBench.run { rooms in
            let committed = try await rooms.build("rooms/hall", size: 4)
            let hall = try await rooms.get("rooms/hall")
            #expect(hall.size == 4)
            #expect(hall.updateTime == committed.commitTime)
            #expect(hall.createTime.seconds > 0)
            #expect(hall.createTime != hall.updateTime)
            let told = try await rooms.batchGet(["rooms/hall"])
            let read = try #require(told.messages.first)
            #expect(read.found == hall)
            #expect(read.readTime.mark == 0)
            #expect(told.initial.text("hearth-from-cache") == nil)
        }
    }

    @Test func `offline a document that was read is answered from the cache, and says so`()
        async throws
    {
        try await RoomBench.run { rooms in
            let hall = try await rooms.get("rooms/hall")
            let error = try await rooms.refusal { _ = try await rooms.get("rooms/none") }
            #expect(error.code == .notFound)
            try await rooms.setOnline(false)
            #expect(try await rooms.get("rooms/hall") == hall)
            let told = try await rooms.batchGet(["rooms/none", "rooms/hall"])
            #expect(told.messages.map(\.found.id) == ["hall", ""])
            #expect(told.messages.last?.missing == "\(RoomBench.root)/rooms/none")
            #expect(told.messages.map(\.readTime.mark) == [2, 2])
            #expect(told.messages.first?.found.updateTime.mark == 0)
            #expect(told.initial.text("hearth-from-cache") == "1")
            #expect(told.initial.text("hearth-pending") == nil)
            // What the backend said is missing is missing.
            let missing = try await rooms.refusal { _ = try await rooms.get("rooms/none") }
            #expect(missing.code == .notFound)
        }
    }

    @Test(arguments: [[:], ["hearth-reads": "cache-first"]] as [Metadata])
    func `offline what nobody told of is an error and not missing`(
        metadata: Metadata
    ) async throws {
        try await RoomBench.run { rooms in
            _ = try await rooms.get("rooms/hall")
            try await rooms.setOnline(false)
            let one = try await rooms.refusal { _ = try await rooms.get("rooms/attic", metadata) }
            #expect(one.code == .failedPrecondition)
            #expect(one.reason == "HEARTH_NOT_CACHED")
            let several = try await rooms.refusal {
                _ = try await rooms.batchGet(["rooms/hall", "rooms/attic"], metadata)
            }
            #expect(several.reason == "HEARTH_NOT_CACHED")
        }
    }

    @Test(arguments: [false, true])
    func `a document that lies in memory is answered as a turn would answer, and never older`(
        isOnDisk: Bool
    ) async throws {
        let mode: Metadata = ["hearth-reads": "cache-first"]
        let key = try DocumentKey(parsing: "rooms/hall")
        try await RoomBench.run(keptIn: isOnDisk ? TemporaryFolder() : nil) { rooms in
            let hall = try await rooms.get("rooms/hall")
            #expect(rooms.remembered([key]) == nil)
            let first = try await rooms.batchGet(["rooms/hall"], mode)
            #expect(rooms.remembered([key]) != nil)
            #expect(first.messages.first?.found == hall)
            let again = try await rooms.batchGet(["rooms/hall"], mode)
            #expect(again.messages == first.messages)
            #expect(again.initial.text("hearth-from-cache") == "1")
            try await rooms.setOnline(false)
            for size in Int64(5)...20 {
                _ = try await rooms.client.commit(
                    Writes.set("rooms/hall", size) { $0.update.fields[0].key = "size" },
                    metadata: ["hearth-writes": "accepted"])
                let changed = try await rooms.get("rooms/hall", mode)
                #expect(changed.size == size)
                #expect(changed.updateTime.mark == 1)
                #expect(try await rooms.get("rooms/hall", mode) == changed)
            }
        }
    }

    @Test func `the mode server never answers from the cache`() async throws {
        try await RoomBench.run { rooms in
            _ = try await rooms.get("rooms/hall", ["hearth-reads": "server"])
            try await rooms.setOnline(false)
            let began = ContinuousClock.now
            let error = try await rooms.refusal {
                _ = try await rooms.get("rooms/hall", ["hearth-reads": "server"])
            }
            #expect(ContinuousClock.now - began < .seconds(1))
            #expect(error.code == .failedPrecondition)
            #expect(error.reason == "HEARTH_OFFLINE")
        }
    }

    @Test func `the mode cache-first asks the backend only for what the cache does not know`()
        async throws
    {
        try await RoomBench.run { rooms in
            let first: Metadata = ["hearth-reads": "cache-first"]
            #expect(try await rooms.get("rooms/hall", first).size == 3)
            try await rooms.build("rooms/hall", size: 30)
            #expect(try await rooms.get("rooms/hall", first).size == 3)
            #expect(try await rooms.get("rooms/hall").size == 30)
            #expect(try await rooms.get("rooms/hall", first).size == 30)
        }
    }

    @Test func `documents come once, those found first, with the fields that are wanted`()
        async throws
    {
        try await RoomBench.run { rooms in
            let paths = ["rooms/none", "rooms/hall", "rooms/attic", "rooms/hall"]
            let told = try await rooms.batchGet(paths, fields: ["other"])
            #expect(told.messages.map(\.found.id) == ["hall", "attic", ""])
            #expect(told.messages.allSatisfy { $0.found.fields.isEmpty })
            #expect(try await rooms.batchGet([]).messages.isEmpty)
        }
    }

    @Test func `a write that waits is in what is read, and marked`() async throws {
        try await RoomBench.run { rooms in
            let before = try await rooms.get("rooms/hall")
            try await rooms.setOnline(false)
            try rooms.queue("rooms/hall", size: 33)
            let hall = try await eventually(
                { try await rooms.get("rooms/hall") }, is: { $0.size == 33 })
            #expect(hall.createTime == before.createTime)
            let told = try await rooms.batchGet(["rooms/hall"])
            #expect(told.messages.map(\.readTime.mark) == [3])
            #expect(told.initial.text("hearth-pending") == "1")
        }
    }

    @Test func `a name that is wrong is refused in the backend's words`() async throws {
        try await RoomBench.run { rooms in
            for name in ["rooms", "rooms/__x__", ""] {
                let request = ProtoGetDocumentRequest.with {
                    $0.name = "\(RoomBench.root)/\(name)"
                }
                let here = await #expect(throws: RPCError.self) {
                    let _: ProtoDocument = try await rooms.client.unary(.getDocument, request)
                }
                let there = await #expect(throws: RPCError.self) {
                    let _: ProtoDocument = try await rooms.direct.unary(.getDocument, request)
                }
                #expect(here?.code == there?.code)
                #expect(here?.message == there?.message)
            }
        }
    }
}
