import Glibc
import HearthModel
import HearthProtocol
import HearthTestSupport
import HearthWire
import NIOCore
import SwiftProtobuf
import Testing

@testable import HearthServer

/// Peers that read nothing, or come although they may not: they cost little, and nobody else waits.
@Suite(.timeLimit(.minutes(3)))
struct GatewaySlowPeerTests {
    private static let database = GatewayBench.database.name

    /// The numbers of the first streams of a client.
    private static func streams(_ count: UInt32) -> [UInt32] { (0..<count).map { 2 * $0 + 1 } }

    /// The beginning of a message of a megabyte.
    private static func part(_ byteCount: Int) -> [UInt8] {
        let prefix: [UInt8] = [0, 0, 0x10, 0, 0]
        return prefix + [UInt8](repeating: 1, count: byteCount)
    }

    private func heldByteCount(_ bench: GatewayBench) -> Int {
        bench.server.registry.figures(ofUser: geteuid()).heldByteCount
    }

    private func expectService(_ bench: GatewayBench) async throws {
        try await bench.withClient { client in
            let answer: ProtoCommitResponse = try await client.unary(
                .commit, ProtoCommitRequest.with { $0.database = Self.database })
            #expect(answer.writeResults.isEmpty)
        }
    }

    @Test func `a peer that takes no answers is read no more, and others are served`()
        async throws
    {
        try await GatewayBench.run { bench in
            let count = 40_000
            let calls = Self.streams(UInt32(count)).flatMap {
                RawFrames.call("Commit", on: $0, [0xFF])
            }
            let path = bench.path
            // Each call is refused at once; what is not taken of that would lie here.
            let answered = try await Task.detached {
                let peer = try HTTPConnection(to: "unix:\(path)", patience: .seconds(1))
                try? peer.write(RawFrames.greeting + calls)
                return Self.headerCount(to: peer)
            }.value
            #expect(answered > 0)
            #expect(answered < count / 2)
            try await expectService(bench)
        }
    }

    /// Takes what has been sent to a peer, and counts the frames of headers in it.
    private static func headerCount(to peer: HTTPConnection) -> Int {
        var count = 0
        while let head = try? peer.read(9) {
            let size = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            guard (try? peer.read(size)) != nil else { break }
            if head[3] == 1 { count += 1 }
        }
        return count
    }

    @Test func `clients that may not come in take no place, and few of them wait to hear why`()
        async throws
    {
        try await GatewayBench.run {
            $0.access = .open
            $0.limits.uidClientCountMax = 1
        } _: { bench in
            let (path, listener) = try await bench.listen(
                as: Peer(uid: 60_003, gid: 60_003, pid: 1))
            let first = try HTTPConnection(to: "unix:\(path)")
            _ = try await eventually({ bench.server.registry.count }, is: { $0 == 1 })
            let refused = try (0..<20).map { _ in try HTTPConnection(to: "unix:\(path)") }
            _ = try await eventually(
                { refused.filter { $0.awaitInput(for: 0) }.count }, is: { $0 >= 12 })
            #expect(bench.server.registry.count == 1)
            _ = try await eventually(
                { refused.filter { $0.awaitInput(for: 0) }.count }, is: { $0 == 20 })
            first.reset()
            _ = try await eventually({ bench.server.registry.count }, is: { $0 == 0 })
            let next = try HTTPConnection(to: "unix:\(path)")
            _ = try await eventually({ bench.server.registry.count }, is: { $0 == 1 })
            next.reset()
            try await listener.close()
        }
    }

    @Test func `requests that a peer begins and gives up count, and leave nothing`() async throws {
        try await GatewayBench.run(isOnline: false) { bench in
            let peer = try HTTPConnection(to: "unix:\(bench.path)")
            let part = Self.part(10_000)
            let streams = Self.streams(100)
            try peer.write(
                RawFrames.greeting
                    + streams.flatMap {
                        RawFrames.open("Commit", on: $0) + RawFrames.frame(0, 0, $0, part)
                    })
            _ = try await eventually({ heldByteCount(bench) }, is: { $0 > 1_000_000 })
            try peer.write(streams.flatMap { RawFrames.frame(3, 0, $0, [0, 0, 0, 8]) })
            _ = try await eventually({ heldByteCount(bench) }, is: { $0 < 20_000 })
            #expect(bench.server.registry.count == 1)
            peer.reset()
        }
    }

    @Test func `whose requests do not end is sent away at his limit, and others are served`()
        async throws
    {
        try await GatewayBench.run {
            $0.access = .open
            $0.limits.memory.uidByteCountMax = 4 << 20
        } _: { bench in
            let (path, listener) = try await bench.listen(
                as: Peer(uid: 60_004, gid: 60_004, pid: 1))
            // Each connection has fewer unfinished requests than one may have.
            let part = Self.part(16_000)
            let calls = Self.streams(50).flatMap {
                RawFrames.open("Commit", on: $0) + RawFrames.frame(0, 0, $0, part)
            }
            let peers = try (0..<10).map { _ in try HTTPConnection(to: "unix:\(path)") }
            for peer in peers { try? peer.write(RawFrames.greeting + calls) }
            _ = try await eventually(
                { bench.server.registry.figures(ofUser: 60_004).clientCount }, is: { $0 < 6 })
            #expect(
                bench.server.registry.figures(ofUser: 60_004).heldByteCount <= 4 << 20)
            try await expectService(bench)
            for peer in peers { peer.reset() }
            try await listener.close()
        }
    }

    @Test func `the backend's answers to a peer that reads nothing stay at the backend`()
        async throws
    {
        try await GatewayBench.run {
            $0.limits.unreadByteCountMax = 1 << 20
        } _: { bench in
            try await bench.withDirectClient { direct in
                let time = try await fill(direct)
                let request = ProtoRunQueryRequest.with {
                    $0.parent = GatewayBench.database.documentsName
                    $0.structuredQuery.from = [.with { $0.collectionID = "rooms" }]
                    $0.readTime = time
                }
                let bytes: [UInt8] = try request.serializedBytes()
                let calls = Self.streams(20).flatMap { RawFrames.call("RunQuery", on: $0, bytes) }
                let peer = try HTTPConnection(to: "unix:\(bench.path)")
                try peer.write(RawFrames.greeting + calls)
                _ = try await eventually({ heldByteCount(bench) }, is: { $0 > 1 << 20 })
                try await expectService(bench)
                // Forty megabytes are asked for: one may lie here, and of each call one message.
                #expect(heldByteCount(bench) < 8 << 20)
                let resets = Self.streams(20).flatMap { RawFrames.frame(3, 0, $0, [0, 0, 0, 8]) }
                try peer.write(resets)
                _ = try await eventually({ heldByteCount(bench) }, is: { $0 < 1 << 20 })
                peer.reset()
            }
        }
    }

    /// Writes two megabytes of rooms.
    private func fill(_ direct: GatewayClient) async throws -> Google_Protobuf_Timestamp {
        let text = String(repeating: "a", count: 100_000)
        let request = ProtoCommitRequest.with { request in
            request.database = Self.database
            request.writes = (0..<20).map { number in
                .with { write in
                    write.update.name = "\(GatewayBench.database.documentsName)/rooms/\(number)"
                    write.update.fields = [
                        .with {
                            $0.key = "text"
                            $0.value.stringValue = text
                        }
                    ]
                }
            }
        }
        let answer: ProtoCommitResponse = try await direct.unary(.commit, request)
        return answer.commitTime
    }
}
