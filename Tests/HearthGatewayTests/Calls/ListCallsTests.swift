import GRPCCore
import HearthModel
import HearthProtocol
import HearthTestSupport
import SwiftProtobuf
import Testing

@testable import HearthGateway
@testable import HearthServer

/// Lists of documents and of collections, page by page.
@Suite(.timeLimit(.minutes(2)))
struct ListCallsTests {
    private func list(
        _ rooms: RoomBench, after token: String = "", _ metadata: Metadata = [:]
    ) async throws -> ProtoListDocumentsResponse {
        let request = ProtoListDocumentsRequest.with {
            $0.parent = RoomBench.root
            $0.collectionID = "rooms"
            $0.pageSize = 2
            $0.pageToken = token
            $0.showMissing = true
            $0.mask = .init()
        }
        return try await rooms.client.unary(.listDocuments, request, metadata: metadata)
    }

    private func collections(
        _ rooms: RoomBench, after token: String = ""
    ) async throws -> ProtoListCollectionIdsResponse {
        let request = ProtoListCollectionIdsRequest.with {
            $0.parent = RoomBench.root
            $0.pageSize = 1
            $0.pageToken = token
        }
        return try await rooms.client.unary(.listCollectionIds, request)
    }

    @Test func `documents are listed page by page, online and offline`() async throws {
        try await RoomBench.run { rooms in
            let first = try await list(rooms)
            #expect(first.documents.map(\.id) == ["attic", "cellar"])
            #expect(CacheListToken(first.nextPageToken) == nil)
            #expect(
                try await list(rooms, after: first.nextPageToken).documents.map(\.id) == ["hall"])
            _ = try await rooms.query()
            try await rooms.setOnline(false)
            let cached = try await list(rooms)
            #expect(cached.documents.map(\.id) == ["attic", "cellar"])
            #expect(cached.documents.allSatisfy { $0.fields.isEmpty && $0.hasUpdateTime })
            let last = try await list(rooms, after: cached.nextPageToken)
            #expect(last.documents.map(\.id) == ["hall"])
            #expect(last.nextPageToken.isEmpty)
            // The backend's list goes on where the backend is.
            let error = try await rooms.refusal {
                _ = try await list(rooms, after: first.nextPageToken)
            }
            #expect(error.reason == "HEARTH_NEEDS_BACKEND")
        }
    }

    @Test func `a list that was begun from the cache goes on there`() async throws {
        try await RoomBench.run { rooms in
            _ = try await rooms.query()
            let first = try await list(rooms, after: "", ["hearth-reads": "cache-first"])
            #expect(first.nextPageToken == "hearth-cache/rooms/cellar")
            #expect(
                try await list(rooms, after: first.nextPageToken).documents.map(\.id) == ["hall"])
            let error = try await rooms.refusal {
                _ = try await list(rooms, after: "hearth-cache/rooms/none")
            }
            #expect(error.code == .aborted)
        }
    }

    @Test func `offline a collection that was never complete here is not listed`() async throws {
        try await RoomBench.run { rooms in
            _ = try await rooms.get("rooms/hall")
            try await rooms.setOnline(false)
            let error = try await rooms.refusal { _ = try await list(rooms) }
            #expect(error.reason == "HEARTH_NOT_CACHED")
            let cached = try await list(rooms, after: "", ["hearth-reads": "cache-first"])
            #expect(cached.documents.map(\.id) == ["hall"])
        }
    }

    @Test func `collections are listed by the backend, and offline those that are known`()
        async throws
    {
        try await RoomBench.run(keptIn: TemporaryFolder()) { rooms in
            try await rooms.build("halls/a/doors/b", size: 1)
            let first = try await collections(rooms)
            #expect(first.collectionIds == ["halls"])
            #expect(
                try await collections(rooms, after: first.nextPageToken).collectionIds == ["rooms"])
            _ = try await rooms.get("halls/a/doors/b")
            _ = try await rooms.get("rooms/hall")
            try await rooms.setOnline(false)
            let cached = try await collections(rooms)
            #expect(cached.collectionIds == ["halls"])
            #expect(
                try await collections(rooms, after: cached.nextPageToken).collectionIds == ["rooms"]
            )
        }
    }

    @Test func `offline the collection of a document that waits is listed, too`() async throws {
        try await RoomBench.run(keptIn: TemporaryFolder()) { rooms in
            _ = try await rooms.get("rooms/hall")
            try await rooms.setOnline(false)
            _ = try await rooms.client.commit(
                Writes.set("barns/a", 1), metadata: ["hearth-writes": "accepted"])
            let cached = try await collections(rooms)
            #expect(cached.collectionIds == ["barns"])
            #expect(
                try await collections(rooms, after: cached.nextPageToken).collectionIds == ["rooms"]
            )
        }
    }
}
