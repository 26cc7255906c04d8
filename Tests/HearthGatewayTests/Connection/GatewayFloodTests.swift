import GRPCCore
import HearthEngine
import HearthModel
import HearthProtocol
import HearthTestSupport
import SwiftProtobuf
import Testing

@testable import HearthServer

/// Peers that misuse HTTP/2 at the gateway's port: they are sent away, and everybody else is served.
@Suite(.timeLimit(.minutes(3)))
struct GatewayFloodTests {
    private static let method = "/google.firestore.v1.Firestore/Listen"

    private func exchange(_ bytes: [UInt8], at path: String) async throws -> [UInt8] {
        try await Task.detached { try HTTPConnection(to: "unix:\(path)").exchange(bytes) }.value
    }

    @Test(arguments: HostilePeer.allCases)
    func `a peer that misuses HTTP/2 is sent away, and others are served`(peer: HostilePeer)
        async throws
    {
        try await GatewayBench.run { bench in
            try await bench.withClient { client in
                try await expectService(client)
                // The kernel resets a connection that the daemon closed before it had read all.
                let answer = try? await exchange(peer.bytes(calling: Self.method), at: bench.path)
                #expect(answer.map(HostilePeer.isSentAway) ?? true)
                try await expectService(client)
                _ = try await eventually({ bench.server.registry.count }, is: { $0 == 1 })
            }
        }
    }

    @Test func `a peer that speaks HTTP/1.1 is disconnected without a word`() async throws {
        try await GatewayBench.run { bench in
            let request = "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: keep-alive\r\n\r\n"
            let answer = try await exchange(Array(request.utf8), at: bench.path)
            #expect(answer == [])
        }
    }

    @Test func `a request that is no message is refused, and the next is served`() async throws {
        try await GatewayBench.run { bench in
            let call = RawFrames.call("/google.firestore.v1.Firestore/Commit", [0xFF, 0xFF, 0xFF])
            let frames = RawFrames.frames(
                try await exchange(RawFrames.greeting + call, at: bench.path))
            #expect(frames.contains { $0.stream == 1 && $0.isLast })
            try await bench.withClient { try await expectService($0) }
        }
    }

    /// Else the backend would be asked, and be asked to stop, for nobody.
    @Test func `calls that are given up as they come cost the engine no turns`() async throws {
        try await GatewayBench.run { bench in
            try await bench.withClient { client in
                try await expectService(client)
                let engine = try #require(
                    bench.server.engines.engine(of: .firestore(GatewayBench.database)))
                let before = engine.lifecycle.status.turnCount
                let request = ProtoGetDocumentRequest.with {
                    $0.name = "\(GatewayBench.database.documentsName)/rooms/hall"
                }
                let bytes: [UInt8] = try request.serializedBytes()
                let count: UInt32 = 500
                let calls = (0..<count).flatMap { number in
                    RawFrames.call("GetDocument", on: 2 * number + 1, bytes)
                        + RawFrames.frame(3, 0, 2 * number + 1, [0, 0, 0, 8])
                }
                _ = try await exchange(RawFrames.greeting + calls, at: bench.path)
                try await expectService(client)
                _ = try await eventually(
                    { engine.lifecycle.status.waitingCount }, is: { $0 == 0 })
                // Where a read ends within a call, the call begins; each has two turns at least.
                #expect(engine.lifecycle.status.turnCount - before < UInt64(count) / 2)
            }
        }
    }

    /// Expects that a client is answered, be it by a refusal of the method.
    private func expectService(_ client: GatewayClient) async throws {
        let request = ProtoCommitRequest.with { $0.database = GatewayBench.database.name }
        do {
            let _: ProtoCommitResponse = try await client.unary(.commit, request)
        } catch let error as RPCError {
            #expect(error.code != .unavailable, "\(error)")
        }
    }
}
