import GRPCCore
import HearthEngine
import HearthModel
import HearthProtocol
import HearthTestSupport
import HearthWire
import SwiftProtobuf
import Testing

@testable import HearthGateway
@testable import HearthServer

/// CreateDocument and UpdateDocument, which are answered with the document.
@Suite(.timeLimit(.minutes(2)))
struct DocumentWritesTests {
    private func create(_ number: Int64) -> ProtoCreateDocumentRequest {
        .with {
            $0.parent = Writes.root
            $0.collectionID = "rooms"
            $0.documentID = "a"
            $0.document.fields = Writes.set("rooms/a", number).update.fields
        }
    }

    /// Changes one field of a document, whatever the document is.
    private func update(_ path: String, _ number: Int64) -> ProtoUpdateDocumentRequest {
        .with {
            $0.document = Writes.set(path, number).update
            $0.updateMask.fieldPaths = ["n"]
        }
    }

    private func number(in document: ProtoDocument) -> Int64? {
        document.fields.first { $0.key == "n" }?.value.integerValue
    }

    @Test(arguments: [true, false])
    func `a document that is not cached is changed, and answered as far as it is known`(
        isOnline: Bool
    ) async throws {
        try await GatewayBench.run(Writes.patiently) { bench in
            try await bench.withDirectClient { direct in
                let other = Writes.set("rooms/a", 1) { $0.update.fields[0].key = "other" }
                _ = try await direct.commit(other)
                bench.setNetwork(isEnabled: isOnline)
                try await bench.withClient { client in
                    let answer = try await eventually {
                        let answer: ProtoDocument = try await client.unary(
                            .updateDocument, update("rooms/a", 2),
                            metadata: isOnline ? [:] : ["hearth-writes": "accepted"])
                        return answer
                    } is: {
                        $0.hasUpdateTime
                    }
                    #expect(number(in: answer) == 2)
                    #expect(answer.name == "\(Writes.root)/rooms/a")
                    #expect(answer.updateTime.nanos.isMultiple(of: 1_000) == isOnline)
                    // Online the backend tells the rest.
                    #expect(answer.fields.count == (isOnline ? 2 : 1))
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func `a created document is answered as it was written`(isOnline: Bool) async throws {
        try await GatewayBench.run(isOnline: isOnline, Writes.patiently) { bench in
            try await bench.withClient { client in
                let answer: ProtoDocument = try await client.unary(.createDocument, create(7))
                #expect(number(in: answer) == 7)
                #expect(answer.createTime == answer.updateTime)
                #expect(answer.updateTime.nanos.isMultiple(of: 1_000) == isOnline)
            }
        }
    }

    @Test(arguments: ["accepted", "committed"])
    func `who may write and not read gets no document by an update`(writes: String) async throws {
        let peer = Peer(uid: 4_242, gid: 4_242, pid: 1)
        try await GatewayBench.run {
            Writes.patiently(&$0)
            $0.access = AccessPolicy(
                rules: [.init(name: "writers", subject: .uid(4_242), rights: [.write])])
        } _: { bench in
            try await bench.withDirectClient { direct in
                _ = try await direct.commit(Writes.set("rooms/a", 1))
                try await bench.withClient(as: peer) { client in
                    let error = await #expect(throws: RPCError.self) {
                        let _: ProtoDocument = try await client.unary(
                            .updateDocument, update("rooms/a", 2),
                            metadata: ["hearth-writes": .string(writes)])
                    }
                    #expect(error?.code == .permissionDenied)
                    #expect(try await direct.number(in: "rooms/a") == 1)
                    _ = try await client.commit(
                        Writes.set("rooms/a", 3), metadata: ["hearth-writes": .string(writes)])
                }
            }
        }
    }
}
