import Glibc
import HearthModel
import HearthProtocol
import HearthRPC
import HearthTestSupport
import HearthWire
import NIOCore
import SwiftProtobuf
import Testing

@testable import HearthGateway
@testable import HearthServer

/// Bytes of a connection that no session counts yet are counted for the user, and bounded.
@Suite(.timeLimit(.minutes(2)))
struct ConnectionMemoryTests {
    private static let peer = Peer(uid: 60_002, gid: 60_002, pid: 1)
    private static let megabyte = ByteBuffer(repeating: 0, count: 1 << 20)

    private static func head(_ method: String) -> CallHead {
        CallHead(CallMethod(name: method, shape: .bidirectional, number: 0))
    }

    private func withConnection(
        _ change: @escaping (inout ServerConfiguration) -> Void = { _ in },
        _ body: @Sendable (GatewayBench, BoundConnection) async throws -> Void
    ) async throws {
        try await GatewayBench.run(isOnline: false) {
            $0.access = .open
            change(&$0)
        } _: { bench in
            try await bench.withConnection(as: Self.peer) { try await body(bench, $0) }
        }
    }

    private static func heldByteCount(_ bench: GatewayBench) -> Int {
        bench.server.registry.figures(ofUser: peer.uid).heldByteCount
    }

    @Test func `requests whose calls have not begun count, before a session and after`()
        async throws
    {
        try await withConnection { bench, connection in
            let idle = Self.heldByteCount(bench)
            try await connection.run { connection in
                let first = SlowSender(isWritable: true)
                let call = try connection.open(
                    .commit, Self.head("Commit"), answering: first)
                call.received(Self.megabyte)
                #expect(Self.heldByteCount(bench) == idle + 1 << 20)
                let session = try connection.session(
                    in: GatewayBench.database, for: Self.head("Commit"))
                #expect(Self.heldByteCount(bench) == idle + 1 << 20)
                session.hold(1 << 20)
                #expect(Self.heldByteCount(bench) == idle + 2 << 20)
                connection.holds(unfinished: 3 << 20, unread: 4 << 20)
                #expect(Self.heldByteCount(bench) == idle + 9 << 20)
                connection.holds(unfinished: 0, unread: 0)
                call.closed()
                session.release(1 << 20)
                #expect(Self.heldByteCount(bench) == idle)
            }
        }
    }

    @Test func `results that calls answer from count, and are bounded but for the first`()
        async throws
    {
        try await withConnection {
            $0.limits.unreadByteCountMax = 1 << 20
        } _: { bench, connection in
            let idle = Self.heldByteCount(bench)
            try await connection.run { connection in
                let calls = try (0..<3).map { _ in
                    try #require(
                        connection.open(
                            .runQuery, Self.head("RunQuery"),
                            answering: SlowSender(isWritable: true))
                            as? OneRequestCall)
                }
                try calls[0].keep(result: 3 << 20)
                #expect(Self.heldByteCount(bench) == idle + 3 << 20)
                #expect(throws: HearthError.self) { try calls[1].keep(result: 1 << 19) }
                calls[0].closed()
                #expect(Self.heldByteCount(bench) == idle)
                try calls[1].keep(result: 1 << 19)
                try calls[2].keep(result: 1 << 19)
                #expect(Self.heldByteCount(bench) == idle + 1 << 20)
                for call in calls { call.closed() }
                #expect(Self.heldByteCount(bench) == idle)
            }
        }
    }

    @Test func `bytes that were read and wait for the user's turn count`() async throws {
        try await withConnection { bench, connection in
            let idle = Self.heldByteCount(bench)
            let channel = connection.channel
            try await connection.run { connection in
                let shares = connection.parts.shares
                for uid in [Self.peer.uid + 1, Self.peer.uid] {  // Who is alone owes nothing.
                    for _ in 0..<1_000 {
                        let taken = TimeAmount(LoopLimits.doubtfulTime)
                        _ = shares.charge(taken, to: uid, on: connection.eventLoop)
                    }
                }
                channel.pipeline.fireChannelRead(Self.megabyte)
                #expect(Self.heldByteCount(bench) == idle + 1 << 20)
            }
            _ = try await eventually({ Self.heldByteCount(bench) }, is: { $0 == idle })
        }
    }

    @Test func `requests that do not end are refused when they are too large together`()
        async throws
    {
        try await withConnection {
            $0.limits.memory.uidByteCountMax = 8 << 20  // An eighth waits, twice that is begun.
        } _: { bench, connection in
            try await connection.run { connection in
                var senders: [SlowSender] = []
                for _ in 0..<3 {
                    let sender = SlowSender(isWritable: true)
                    sender.call = try connection.open(
                        .commit, Self.head("Commit"), answering: sender)
                    sender.call?.received(Self.megabyte)
                    senders.append(sender)
                }
                #expect(senders.map { $0.error?.code } == [nil, nil, .resourceExhausted])
                #expect(connection.refusal(ofUnfinished: 2 << 20) == nil)
                #expect(
                    connection.refusal(ofUnfinished: 2 << 20 + 1)?.code == .resourceExhausted)
                senders.first?.call?.closed()
                let late = try connection.open(
                    .commit, Self.head("Commit"), answering: SlowSender(isWritable: true))
                late.received(Self.megabyte)
                #expect(connection.memory.gathered == 2 << 20)
            }
        }
    }

    @Test func `a small request does not hold the read that it came in`() async throws {
        try await withConnection { _, connection in
            try await connection.run { connection in
                var read = Self.megabyte
                let request = read.readSlice(length: 100) ?? ByteBuffer()
                let kept = try connection.gather(request)
                #expect(kept.storageCapacity < 1_024)
            }
        }
    }

    @Test func `batches that wait on a write stream count, and slow the client`() async throws {
        try await withConnection { bench, connection in
            let idle = Self.heldByteCount(bench)
            try await connection.run { connection in
                let sender = SlowSender(isWritable: false)
                let call = try connection.open(.write, Self.head("Write"), answering: sender)
                call.received(ByteBuffer(repeating: 0, count: 1_000))
                #expect(!call.isBusy)
                call.received(Self.megabyte)
                #expect(call.isBusy)
                #expect(Self.heldByteCount(bench) == idle + 1 << 20 + 1_000)
                call.closed()
                #expect(Self.heldByteCount(bench) == idle)
            }
        }
    }

    @Test func `a connection that ends keeps no more requests`() async throws {
        try await withConnection { _, connection in
            try await connection.run { connection in
                let sender = SlowSender(isWritable: true)
                sender.call = try connection.open(
                    .commit, Self.head("Commit"), answering: sender)
                connection.end(.shuttingDown)
                sender.call?.received(Self.megabyte)
                #expect(sender.error == .shuttingDown)
                #expect(connection.memory.gathered == 0)
                #expect(connection.refusal(ofUnfinished: 1) == .shuttingDown)
            }
        }
    }

    @Test func `a client that does not take what it was sent is read no more`() async throws {
        try await withConnection { _, connection in
            let channel = connection.channel
            #expect(try await channel.getOption(.autoRead).get())
            channel.writeAndFlush(ByteBuffer(repeating: 0, count: 4 << 20), promise: nil)
            _ = try await eventually(
                { try await channel.getOption(.autoRead).get() }, is: { !$0 })
        }
    }

    // MARK: Listeners

    private static func listen(toQueryOf byteCount: Int, as id: Int32) throws -> ByteBuffer {
        let request = ProtoListenRequest.with {
            $0.database = GatewayBench.database.name
            $0.addTarget.targetID = id
            $0.addTarget.query.parent = GatewayBench.database.documentsName
            $0.addTarget.query.structuredQuery.from = [.with { $0.collectionID = "rooms" }]
            $0.addTarget.query.structuredQuery.where.fieldFilter.field.fieldPath = "n"
            $0.addTarget.query.structuredQuery.where.fieldFilter.op = .equal
            $0.addTarget.query.structuredQuery.where.fieldFilter.value.stringValue = String(
                repeating: "a", count: byteCount)
        }
        return ByteBuffer(bytes: try request.serializedBytes() as [UInt8])
    }

    @Test func `a listener's query counts for as long as it is listened to, and has its limit`()
        async throws
    {
        try await withConnection { bench, connection in
            try await connection.run { connection in
                let session = try connection.session(
                    in: GatewayBench.database, for: Self.head("Listen"))
                let idle = Self.heldByteCount(bench)
                let sender = SlowSender(isWritable: false)
                let call = try connection.open(.listen, Self.head("Listen"), answering: sender)
                call.received(try Self.listen(toQueryOf: 1_400, as: 1))
                #expect((1_400...4_000).contains(Self.heldByteCount(bench) - idle))
                #expect(session.listenedTo.count == 1)
                call.received(try Self.listen(toQueryOf: 70_000, as: 2))
                #expect(session.listenedTo.count == 1)
                sender.isWritable = true
                call.becameWritable()
                let causes = try sender.sent.map {
                    try ProtoListenResponse(serializedBytes: $0).targetChange.cause.message
                }
                #expect(causes.contains { $0.contains("65536") })
                call.closed()
                #expect(abs(Self.heldByteCount(bench) - idle) < 1_024)
            }
        }
    }

    @Test func `a stream that has ended is held neither by its listeners nor by its alarm`()
        async throws
    {
        try await withConnection { _, connection in
            try await connection.run { connection in
                weak var ended: (any BidirectionalCall)?
                do {
                    let sender = SlowSender(isWritable: true)
                    let call = try connection.open(.listen, Self.head("Listen"), answering: sender)
                    sender.call = call
                    ended = call
                    call.received(try Self.listen(toQueryOf: 1, as: 1))
                    #expect(!sender.sent.isEmpty)
                    sender.finish(nil, [:])
                }
                #expect(ended == nil)
            }
        }
    }

    @Test func `a stream is sent nothing while the client leaves other answers unread`()
        async throws
    {
        try await withConnection {
            $0.limits.unreadByteCountMax = 1 << 20
        } _: { _, connection in
            let sender = try await connection.run { connection in
                connection.holds(unfinished: 0, unread: 1 << 20 + 1)
                let sender = SlowSender(isWritable: true)
                let call = try connection.open(.listen, Self.head("Listen"), answering: sender)
                sender.call = call
                call.received(try Self.listen(toQueryOf: 1, as: 1))
                #expect(sender.sent.isEmpty)
                return NIOLoopBound(sender, eventLoop: connection.eventLoop)
            }
            let before = try await connection.run { connection in
                let count = sender.value.sent.count
                connection.holds(unfinished: 0, unread: 1 << 20 + 2)
                connection.holds(unfinished: 0, unread: 1 << 19)
                return count
            }
            #expect(before == 0)
            _ = try await eventually(
                { try? await connection.run { _ in sender.value.sent.count } },
                is: { ($0 ?? 0) > 0 })
        }
    }
}
