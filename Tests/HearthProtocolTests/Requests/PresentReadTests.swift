import SwiftProtobuf
import Testing

@testable import HearthProtocol

/// Which requests read what is there now.
struct PresentReadTests {
    private static let name = ProtoBytes.makeData([1])
    private static let none = ProtoBytes.makeData([])

    @Test func `a request that names nothing reads what is there now`() {
        #expect(ProtoGetDocumentRequest().isOfNow)
        #expect(ProtoListDocumentsRequest().isOfNow)
        #expect(ProtoListCollectionIdsRequest().isOfNow)
        #expect(ProtoBatchGetDocumentsRequest().isOfNow)
        #expect(ProtoRunQueryRequest().isOfNow)
        #expect(ProtoRunAggregationQueryRequest().isOfNow)
    }

    @Test func `a transaction counts if it has a name`() {
        for (name, isOfNow) in [(Self.name, false), (Self.none, true)] {
            #expect(ProtoGetDocumentRequest.with { $0.transaction = name }.isOfNow == isOfNow)
            #expect(ProtoListDocumentsRequest.with { $0.transaction = name }.isOfNow == isOfNow)
            #expect(
                ProtoBatchGetDocumentsRequest.with { $0.transaction = name }.isOfNow == isOfNow)
            #expect(ProtoRunQueryRequest.with { $0.transaction = name }.isOfNow == isOfNow)
            #expect(
                ProtoRunAggregationQueryRequest.with { $0.transaction = name }.isOfNow == isOfNow)
        }
    }

    @Test func `a moment or a new transaction is not now`() {
        #expect(!ProtoGetDocumentRequest.with { $0.readTime = .init() }.isOfNow)
        #expect(!ProtoListDocumentsRequest.with { $0.readTime = .init() }.isOfNow)
        #expect(!ProtoListCollectionIdsRequest.with { $0.readTime = .init() }.isOfNow)
        #expect(!ProtoBatchGetDocumentsRequest.with { $0.newTransaction = .init() }.isOfNow)
        #expect(!ProtoRunQueryRequest.with { $0.newTransaction = .init() }.isOfNow)
        #expect(!ProtoRunAggregationQueryRequest.with { $0.readTime = .init() }.isOfNow)
    }
}
