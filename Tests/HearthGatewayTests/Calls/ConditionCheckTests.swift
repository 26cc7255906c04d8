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

/// Requests that check conditions and write nothing: judged by the backend, never queued.
@Suite(.timeLimit(.minutes(2)))
struct ConditionCheckTests {
    private static func check(_ path: String, exists: Bool) -> ProtoWrite {
        .with {
            $0.verify = "\(Writes.root)/\(path)"
            $0.currentDocument.exists = exists
        }
    }

    @Test(arguments: ["committed-if-online", "accepted", "committed"])
    func `online the backend judges conditions, and nothing is queued`(mode: String) async throws {
        let mode: Metadata = ["hearth-writes": .string(mode)]
        try await GatewayBench.run(Writes.patiently) { bench in
            try await bench.withDirectClient { direct in
                try await bench.withClient { client in
                    let told = try await client.commit(
                        Self.check("rooms/a", exists: false), metadata: mode)
                    #expect(told.messages.first?.writeResults.count == 1)
                    #expect(told.messages.first?.hasCommitTime == true)
                    #expect(told.header("hearth-batch") == nil)
                    let wrong = Self.check("rooms/a", exists: true)
                    let error = try await client.refusal(of: wrong, metadata: mode)
                    let straight = try await direct.refusal(of: wrong)
                    #expect(error.code == straight.code)
                    #expect(error.message == straight.message)
                    let next = try await client.commit(Writes.set("rooms/b", 1))
                    #expect(next.header("hearth-batch") == "1")
                }
            }
        }
    }

    @Test func `a condition counts behind what its program has written`() async throws {
        let accepted: Metadata = ["hearth-writes": "accepted"]
        try await GatewayBench.run(Writes.patiently) { bench in
            try await bench.withClient { client in
                let written = try await client.commit(Writes.set("rooms/a", 1), metadata: accepted)
                _ = try await client.commit(
                    Self.check("rooms/a", exists: true), metadata: accepted)
                let promised = try await client.commit(
                    ProtoWrite.with {
                        $0.verify = "\(Writes.root)/rooms/a"
                        $0.currentDocument.updateTime = written.updateTime
                    })
                #expect(promised.messages.first?.writeResults.count == 1)
            }
        }
    }

    @Test func `offline conditions are refused at once, and nothing is queued`() async throws {
        try await GatewayBench.run(isOnline: false) { bench in
            try await bench.withClient { client in
                _ = try await client.commit(Writes.set("rooms/a", 1))
                for exists in [true, false] {
                    let error = try await client.refusal(of: Self.check("rooms/a", exists: exists))
                    #expect(error.code == .failedPrecondition)
                    #expect(Writes.reason(of: error).contains("HEARTH_OFFLINE"))
                }
                let next = try await client.commit(Writes.set("rooms/b", 1))
                #expect(next.header("hearth-batch") == "2")
            }
        }
    }

    @Test(arguments: [true, false])
    func `a condition among the writes of a batch write has a status of its own`(
        isOnline: Bool
    ) async throws {
        try await GatewayBench.run(isOnline: isOnline, Writes.patiently) { bench in
            try await bench.withClient { client in
                let answer: ProtoBatchWriteResponse = try await client.unary(
                    .batchWrite,
                    ProtoBatchWriteRequest.with {
                        $0.database = Writes.database
                        $0.writes = [
                            Self.check("rooms/a", exists: false), Writes.set("rooms/b", 1),
                            Self.check("rooms/c", exists: true),
                        ]
                    })
                let refused = Int32(RPCError.Code.failedPrecondition.rawValue)
                #expect(answer.status.map { $0.code == 0 } == [isOnline, true, false])
                if !isOnline { #expect(answer.status.map(\.code) == [refused, 0, refused]) }
                let next = try await client.commit(Writes.set("rooms/b", 2))
                #expect(next.header("hearth-batch") == "2")
            }
        }
    }

    @Test func `who may only read may check, and write nothing`() async throws {
        let reader = Peer(uid: 4_245, gid: 4_245, pid: 1)
        let rules = AccessPolicy(rules: [
            .init(
                name: "rooms", subject: .uid(4_245), rights: [.read],
                path: try ResourcePath(parsing: "rooms"))
        ])
        try await GatewayBench.run {
            $0.access = rules
        } _: { bench in
            try await bench.withClient(as: reader) { client in
                _ = try await client.commit(Self.check("rooms/a", exists: false))
                for write in [Self.check("halls/a", exists: false), Writes.set("rooms/a", 1)] {
                    #expect(try await client.refusal(of: write).code == .permissionDenied)
                }
            }
        }
    }

    // MARK: Answers that tell values

    private static func increment(_ path: String) -> ProtoWrite {
        transform(path) { $0.increment = .with { $0.integerValue = 1 } }
    }

    private static func transform(
        _ path: String, _ change: (inout ProtoDocumentTransform.FieldTransform) -> Void
    ) -> ProtoWrite {
        var transform = ProtoDocumentTransform.FieldTransform()
        transform.fieldPath = "n"
        change(&transform)
        return Writes.set(path, 1) { [transform] in $0.updateTransforms = [transform] }
    }

    @Test func `an increment needs the right to read, for its answer is the value`() async throws {
        let writer = Peer(uid: 4_246, gid: 4_246, pid: 1)
        func rule(_ name: String, _ right: AccessPolicy.Right) throws -> AccessPolicy.Rule {
            .init(
                name: name, subject: .uid(4_246), rights: [right],
                path: try ResourcePath(parsing: name))
        }
        let rules = AccessPolicy(rules: [try rule("rooms", .write), try rule("halls", .read)])
        try await GatewayBench.run {
            $0.access = rules
        } _: { bench in
            try await bench.withClient(as: writer) { client in
                let telling = [
                    Self.increment("rooms/a"),
                    Self.transform("rooms/a") { $0.maximum = .with { $0.integerValue = 1 } },
                    Self.transform("rooms/a") { $0.minimum = .with { $0.integerValue = 1 } },
                ]
                for mode in ["committed-if-online", "accepted", "committed"] {
                    let metadata: Metadata = ["hearth-writes": .string(mode)]
                    for write in telling {
                        let error = try await client.refusal(of: write, metadata: metadata)
                        #expect(error.code == .permissionDenied)
                    }
                }
                _ = try await client.commit(
                    Self.transform("rooms/a") { $0.setToServerValue = .requestTime })
                // A transaction's commit tells values too.
                let begun: ProtoBeginTransactionResponse = try await client.unary(
                    .beginTransaction,
                    ProtoBeginTransactionRequest.with { $0.database = Writes.database })
                let error = await #expect(throws: RPCError.self) {
                    let _: ProtoCommitResponse = try await client.unary(
                        .commit,
                        ProtoCommitRequest.with {
                            $0.database = Writes.database
                            $0.writes = [Self.increment("rooms/a")]
                            $0.transaction = begun.transaction
                        })
                }
                #expect(error?.code == .permissionDenied)
            }
        }
    }
}
