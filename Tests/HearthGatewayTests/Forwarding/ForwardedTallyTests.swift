import Foundation
import HearthFirestore
import HearthModel
import HearthProtocol
import NIOCore
import SwiftProtobuf
import Testing

@testable import HearthGateway

/// What the answers to forwarded reads cost.
struct ForwardedTallyTests {
    private static let database = DatabaseID(project: "p")
    private static let root = "projects/p/databases/(default)/documents"

    private func tally(
        _ method: FirestoreMethod, _ request: some Message
    ) throws -> ForwardedTally? {
        let bytes: [UInt8] = try request.serializedBytes()
        return ForwardedTally(
            method, try ForwardedRequest(method, ByteBuffer(bytes: bytes), in: Self.database))
    }

    private func query(_ collection: String) -> ProtoRunQueryRequest {
        var request = ProtoRunQueryRequest()
        request.parent = Self.root
        var selector = ProtoStructuredQuery.CollectionSelector()
        selector.collectionID = collection
        request.structuredQuery.from = [selector]
        return request
    }

    private func found(_ path: String, skipping count: Int32 = 0) throws -> [UInt8] {
        var answer = ProtoRunQueryResponse()
        answer.document.name = "\(Self.root)/\(path)"
        answer.skippedResults = count
        return try answer.serializedBytes()
    }

    @Test func `a query costs what it found and skipped, without a look into documents`() throws {
        var tally = try #require(try tally(.runQuery, query("rooms")))
        tally.take(try found("rooms/a"))
        tally.take(try found("rooms/b", skipping: 3))
        let bill = tally.bill(isFailed: false)
        #expect(bill == ForwardedBill(readCount: 5, shape: QueryShape(stored: "rooms (RunQuery)")))
    }

    @Test func `a query without results costs one, one that failed before any answer nothing`()
        throws
    {
        let tally = try #require(try tally(.runQuery, query("rooms")))
        #expect(tally.bill(isFailed: false)?.readCount == 1)
        #expect(tally.bill(isFailed: true) == nil)
    }

    @Test func `documents by name cost one each, found or missing`() throws {
        var request = ProtoBatchGetDocumentsRequest()
        request.database = "projects/p/databases/(default)"
        request.documents = ["\(Self.root)/rooms/a", "\(Self.root)/rooms/b"]
        var tally = try #require(try tally(.batchGetDocuments, request))
        var (found, missing) = (ProtoBatchGetDocumentsResponse(), ProtoBatchGetDocumentsResponse())
        found.found.name = "\(Self.root)/rooms/a"
        missing.missing = "\(Self.root)/rooms/b"
        var begun = ProtoBatchGetDocumentsResponse()
        begun.transaction = Data([1])
        for answer in [begun, found, missing] { tally.take(try answer.serializedBytes()) }
        #expect(tally.bill(isFailed: false)?.readCount == 2)
        #expect(tally.bill(isFailed: false)?.shape.text == "rooms/* (BatchGetDocuments)")
    }

    @Test func `an aggregation costs by its count, and a sum one`() throws {
        var request = ProtoRunAggregationQueryRequest()
        request.parent = Self.root
        request.structuredAggregationQuery.structuredQuery = query("rooms").structuredQuery
        var aggregation = ProtoStructuredAggregationQuery.Aggregation()
        aggregation.alias = "n"
        aggregation.count = .init()
        request.structuredAggregationQuery.aggregations = [aggregation]
        var field = ProtoFieldsEntry()
        (field.key, field.value.integerValue) = ("n", 2_001)
        var answer = ProtoRunAggregationQueryResponse()
        answer.result.aggregateFields = [field]
        var counted = try #require(try tally(.runAggregationQuery, request))
        counted.take(try answer.serializedBytes())
        #expect(counted.bill(isFailed: false)?.readCount == 3)
        aggregation.sum.field.fieldPath = "size"
        request.structuredAggregationQuery.aggregations = [aggregation]
        var summed = try #require(try tally(.runAggregationQuery, request))
        summed.take(try answer.serializedBytes())
        #expect(summed.bill(isFailed: false)?.readCount == 1)
    }

    @Test func `a part of a list of collections costs one, whatever it names`() throws {
        var request = ProtoListCollectionIdsRequest()
        request.parent = "\(Self.root)/rooms/a"
        var tally = try #require(try tally(.listCollectionIds, request))
        #expect(tally.bill(isFailed: true) == nil)
        var answer = ProtoListCollectionIdsResponse()
        answer.collectionIds = ["beds", "lamps", "tables"]
        tally.take(try answer.serializedBytes())
        #expect(
            tally.bill(isFailed: false)
                == ForwardedBill(
                    readCount: 1,
                    shape: QueryShape(stored: "rooms/*/** (ListCollectionIds)")))
    }

    @Test func `a call that reads no document is not counted`() throws {
        var request = ProtoRollbackRequest()
        request.database = "projects/p/databases/(default)"
        #expect(try tally(.rollback, request) == nil)
    }

    @Test(
        arguments: [
            [0xFF], [0x0A], [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
            [0x0A, 0x05, 0x01], [0x09, 0x01], [0x0B, 0x0A, 0x00],
            [0x20, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        ] as [[UInt8]])
    func `an answer that is no message is counted as far as it goes`(bytes: [UInt8]) throws {
        var tally = try #require(try tally(.runQuery, query("rooms")))
        tally.take(bytes)
        #expect((tally.bill(isFailed: false)?.readCount ?? 0) >= 1)
    }
}
