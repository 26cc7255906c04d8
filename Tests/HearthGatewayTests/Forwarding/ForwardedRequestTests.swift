import Foundation
import HearthModel
import HearthProtocol
import HearthServer
import HearthWire
import NIOCore
import SwiftProtobuf
import Testing

@testable import HearthGateway

/// The rights that requests need before they are forwarded, and the forwarded part of each request.
struct ForwardedRequestTests {
    private static let database = DatabaseID(project: "p")
    private static let root = "projects/p/databases/(default)/documents"

    private func forwarded(
        _ method: FirestoreMethod, _ message: some Message
    ) throws -> ForwardedRequest {
        let bytes: [UInt8] = try message.serializedBytes()
        return try ForwardedRequest(method, ByteBuffer(bytes: bytes), in: Self.database)
    }

    private func path(_ text: String) throws -> ResourcePath { try ResourcePath(parsing: text) }

    private func query(_ collection: String?, below parent: String = "", all: Bool = false)
        throws -> ForwardedRequest
    {
        var message = ProtoRunQueryRequest()
        message.parent = Self.root + parent
        var selector = ProtoStructuredQuery.CollectionSelector()
        selector.allDescendants = all
        if let collection { selector.collectionID = collection }
        message.structuredQuery.from = collection == nil && !all ? [] : [selector]
        return try forwarded(.runQuery, message)
    }

    @Test func `a query needs to read what it can find`() throws {
        let (rooms, lamps) = (try path("rooms"), try path("rooms/a/lamps"))
        let hall = try path("rooms/a")
        #expect(try query("rooms").needs == [.init(right: .read, scope: .collection(rooms))])
        let inside = try query("lamps", below: "/rooms/a")
        #expect(inside.needs == [.init(right: .read, scope: .collection(lamps))])
        let deep = try query("lamps", below: "/rooms/a", all: true)
        #expect(deep.needs == [.init(right: .read, scope: .group(below: hall))])
        for kindless in [try query(nil), try query(nil, all: true)] {
            #expect(kindless.needs == [.init(right: .read, scope: .group(below: .root))])
        }
        #expect(try query("rooms").routing.map { Array($0.map(\.value)) } == [Self.root])
    }

    @Test func `a commit needs to write each document, and to read what it verifies`() throws {
        var message = ProtoCommitRequest()
        var (delete, verify) = (ProtoWrite(), ProtoWrite())
        delete.delete = Self.root + "/rooms/a"
        verify.verify = Self.root + "/rooms/b"
        message.writes = [delete, verify]
        message.transaction = .init([1])
        let request = try forwarded(.commit, message)
        let (written, verified) = (try path("rooms/a"), try path("rooms/b"))
        #expect(
            request.needs == [
                .init(right: .write, scope: .document(written)),
                .init(right: .read, scope: .document(verified)),
            ])
        #expect(request.transactionUse == .joins)
    }

    @Test func `an update of a document needs to write and to read it`() throws {
        var message = ProtoUpdateDocumentRequest()
        message.document.name = Self.root + "/rooms/a"
        let scope = AccessScope.document(try path("rooms/a"))
        let needs = try forwarded(.updateDocument, message).needs
        #expect(needs == [.init(right: .write, scope: scope), .init(right: .read, scope: scope)])
    }

    @Test func `a document of another database is refused, whatever the session's`() throws {
        var message = ProtoBatchGetDocumentsRequest()
        message.database = "projects/p/databases/(default)"
        message.documents = [
            Self.root + "/rooms/a", "projects/other/databases/(default)/documents/rooms/a",
        ]
        let error = #expect(throws: HearthError.self) {
            try forwarded(.batchGetDocuments, message)
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `bytes that are no request are refused`() {
        let error = #expect(throws: HearthError.self) {
            try ForwardedRequest(.runQuery, ByteBuffer(bytes: [0xff]), in: Self.database)
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `a pipeline needs everything, for it names what it does in the backend's words`()
        throws
    {
        var message = ProtoExecutePipelineRequest()
        message.database = "projects/p/databases/(default)"
        let needs = try forwarded(.executePipeline, message).needs
        #expect(
            needs == [
                .init(right: .read, scope: .everything), .init(right: .write, scope: .everything),
            ])
    }

    @Test func `bytes go as they came, but for the mark in a time`() throws {
        var message = ProtoRunQueryRequest()
        message.parent = Self.root
        var selector = ProtoStructuredQuery.CollectionSelector()
        selector.collectionID = "rooms"
        message.structuredQuery.from = [selector]
        message.readTime = Google_Protobuf_Timestamp(seconds: 5, nanos: 7_000)
        let unknown: [UInt8] = [0xfa, 0x7f, 1, 0]  // A field that nobody here knows.
        let bytes: [UInt8] = try message.serializedBytes() + unknown
        let plain = try ForwardedRequest(
            .runQuery, ByteBuffer(bytes: bytes), in: Self.database)
        #expect(plain.message == bytes)

        var marked = message
        marked.readTime.nanos = 7_003
        let cut = try ProtoRunQueryRequest(
            serializedBytes: try forwarded(.runQuery, marked).message)
        #expect(cut == message)
    }

    @Test func `marks leave the conditions of writes and the times of transactions too`() throws {
        var commit = ProtoCommitRequest()
        var write = ProtoWrite()
        write.delete = Self.root + "/rooms/a"
        write.currentDocument.updateTime = Google_Protobuf_Timestamp(seconds: 5, nanos: 9_001)
        commit.writes = [write]
        let cut = try ProtoCommitRequest(serializedBytes: try forwarded(.commit, commit).message)
        #expect(cut.writes.first?.currentDocument.updateTime.nanos == 9_000)

        var begin = ProtoBeginTransactionRequest()
        begin.options.readOnly.readTime = Google_Protobuf_Timestamp(seconds: 5, nanos: 9_002)
        let request = try forwarded(.beginTransaction, begin)
        let begun = try ProtoBeginTransactionRequest(serializedBytes: request.message)
        #expect(begun.options.readOnly.readTime.nanos == 9_000)
        #expect(request.transactionUse == .beginsInPast)
        let plain = try forwarded(.beginTransaction, ProtoBeginTransactionRequest())
        #expect(plain.transactionUse == .begins)
    }

    @Test func `a read joins a transaction, begins one, or neither`() throws {
        var message = ProtoBatchGetDocumentsRequest()
        #expect(try forwarded(.batchGetDocuments, message).transactionUse == .none)
        message.newTransaction = ProtoTransactionOptions()
        #expect(try forwarded(.batchGetDocuments, message).transactionUse == .begins)
        message.transaction = .init([1])
        #expect(try forwarded(.batchGetDocuments, message).transactionUse == .joins)
    }

    @Test func `a user's calls at the backend are bounded, each user's by themselves`() {
        let calls = UserCounts()
        #expect(calls.enter(1, countMax: 2))
        #expect(calls.enter(1, countMax: 2))
        #expect(!calls.enter(1, countMax: 2))
        #expect(calls.enter(2, countMax: 2))
        calls.leave(1)
        #expect(calls.enter(1, countMax: 2))
    }
}
