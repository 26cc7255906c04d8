import HearthTestSupport
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import HearthRPC

/// One connection on a channel that a test moves, and a clock that it moves as well.
struct GRPCConnectionTests {
    private let loop = EmbeddedEventLoop()
    private let channel: EmbeddedChannel
    private let service = EchoService(unreadByteCountMax: 100_000)
    private let connection: GRPCConnection

    init() throws {
        channel = EmbeddedChannel(loop: loop)
        connection = GRPCConnection(
            service: service, faults: nil, registry: ConnectionRegistry(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, on: channel)
        try channel.pipeline.syncOperations.addHandler(connection)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 4_711)).wait()
    }

    private func change(isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
    }

    private func wait() {
        loop.advanceTime(by: ConnectionLimits.keepaliveInterval)
    }

    @Test func `a client on which nothing comes is pinged, then sent away`() {
        wait()
        #expect(channel.isActive)
        wait()
        #expect(!channel.isActive)
    }

    @Test func `a client that takes a long answer slowly lives, though nothing of it is read`() {
        change(isWritable: false)
        channel.read()
        for _ in 0..<5 {
            wait()
            #expect(channel.isActive)
            change(isWritable: true)
            change(isWritable: false)
            channel.read()
        }
        wait()
        wait()
        #expect(!channel.isActive)
    }

    @Test func `a request of HTTP/2 that is no call is told what is served`() throws {
        let page = RawFrames.open("/page", headers: [("content-type", "text/html")])
        try channel.writeInbound(ByteBuffer(bytes: RawFrames.greeting + page))
        loop.run()
        var bytes: [UInt8] = []
        while let next = try channel.readOutbound(as: ByteBuffer.self) {
            bytes += next.readableBytesView
        }
        let answer = RawFrames.frames(bytes).filter { $0.stream == 1 }
        // Headers and text; then the client, which has not ended, is told to stop.
        #expect(answer.map(\.type) == [1, 0, 3])
        let data = try #require(answer.first { $0.type == 0 })
        let text = String(decoding: data.payload, as: UTF8.self)
        #expect(data.isLast)
        #expect(text.contains("content-type is \"text/html\""))
        #expect(text.contains("application/grpc"))
        #expect(channel.isActive)
    }

    /// Has a client that gives all the room that there is ask for a long answer.
    private func ask(byteCount: Int) throws {
        let room = RawFrames.frame(4, 0, 0, [0, 4, 0x7F, 0, 0, 0])
        try channel.writeInbound(
            ByteBuffer(
                bytes: RawFrames.greeting + room + RawFrames.frame(8, 0, 0, [0x7F, 0, 0, 0])))
        let call = RawFrames.data([UInt8](repeating: 7, count: byteCount))
        var frames = RawFrames.open("/echo.Echo/Say")
        for start in stride(from: 9, to: call.count, by: 16_384) {
            let part = Array(call[start..<min(start + 16_384, call.count)])
            frames += RawFrames.frame(0, start + 16_384 < call.count ? 0 : 1, 1, part)
        }
        try channel.writeInbound(ByteBuffer(bytes: frames))
    }

    @Test func `an answer that is larger than what leaves at once arrives whole`() throws {
        let byteCount = 900_000
        try ask(byteCount: byteCount)
        loop.run()
        var bytes: [UInt8] = []
        while let next = try channel.readOutbound(as: ByteBuffer.self) {
            #expect(next.readableBytes < 2 * ConnectionLimits.outputByteCountMax)
            bytes += next.readableBytesView
        }
        let answer = RawFrames.frames(bytes).filter { $0.stream == 1 && $0.type <= 1 }
        let data = answer.filter { $0.type == 0 }
        #expect(data.reduce(0) { $0 + $1.payload.count } == byteCount + 5)
        #expect(answer.last?.isLast == true)
    }

    @Test func `a connection that ends within a long answer comes to rest`() throws {
        try ask(byteCount: 900_000)
        channel.close(promise: nil)
        loop.run()
        #expect(service.held.withLock { $0.unread } == 0)
    }

    @Test func `streams that end just before their connection hold nothing`() throws {
        // The client gives its streams no room, so the answer waits.
        let settings = RawFrames.frame(4, 0, 0, [0, 4, 0, 0, 0, 0])
        let calls = ([1, 3] as [UInt32]).flatMap {
            RawFrames.call("/echo.Echo/Say", on: $0, Array("hello".utf8))
        }
        try channel.writeInbound(ByteBuffer(bytes: RawFrames.greeting + settings + calls))
        #expect(service.held.withLock { $0.unread } == 20)
        channel.pipeline.syncOperations.fireChannelRead(
            NIOAny(ByteBuffer(bytes: RawFrames.frame(3, 0, 1, [0, 0, 0, 8]))))
        channel.close(promise: nil)
        loop.run()
        #expect(service.held.withLock { $0.unread } == 0)
    }

    /// Has a client that gives its streams no room send frames behind its greeting.
    private func begin(_ frames: [UInt8]) throws {
        let settings = RawFrames.frame(4, 0, 0, [0, 4, 0, 0, 0, 0])
        try channel.writeInbound(ByteBuffer(bytes: RawFrames.greeting + settings + frames))
    }

    /// Gives the connection and each of its streams a megabyte of room.
    private func giveRoom() throws {
        let room = RawFrames.frame(4, 0, 0, [0, 4, 0, 0x10, 0, 0])
        try channel.writeInbound(
            ByteBuffer(bytes: room + RawFrames.frame(8, 0, 0, [0, 0x10, 0, 0])))
        loop.run()
    }

    /// How many calls of `Say` the service was given.
    private var saidCount: Int { service.timeouts.withLock { $0.count } }

    @Test func `where too much is unread further calls wait, and count, until half is read`() throws
    {
        let text = [UInt8](repeating: 7, count: 9_995)
        let streams = (0..<12).map { UInt32(2 * $0 + 1) }
        try begin(streams.flatMap { RawFrames.call("/echo.Echo/Say", on: $0, text) })
        #expect(service.held.withLock { $0.unread } == 110_000)
        #expect(service.held.withLock { $0.unfinished } >= text.count)
        #expect(saidCount == 11)
        try giveRoom()
        #expect(saidCount == 12)
        #expect(service.held.withLock { $0.unread == 0 && $0.unfinished == 0 })
    }

    @Test func `long answers wait together once too much is unread, and go on together`() throws {
        let heads = [1, 3].flatMap { RawFrames.open("/echo.Echo/Count", on: $0) }
        let requests = [1, 3].flatMap { RawFrames.data(on: $0, isLast: true, [1]) }
        try begin(heads + requests)
        loop.run()
        // A message has 1,029 bytes.
        #expect(service.counted.load(ordering: .relaxed) == 98)
        while try channel.readOutbound(as: ByteBuffer.self) != nil {}
        try giveRoom()
        var bytes: [UInt8] = []
        while let next = try channel.readOutbound(as: ByteBuffer.self) {
            bytes += next.readableBytesView
        }
        let streams = Set(RawFrames.frames(bytes).filter { $0.type == 0 }.map(\.stream))
        #expect(streams == [1, 3])
        #expect(service.held.withLock { $0.unread } < 102_000)
    }

    @Test func `a call that is answered after its connection's end holds no other's messages`()
        throws
    {
        let text = [UInt8](repeating: 7, count: 9_995)
        try begin(
            RawFrames.call("/echo.Echo/Say", on: 1, text)
                + RawFrames.call("/echo.Echo/Wait", on: 3, [1]))
        #expect(connection.machine.streams.count == 2)
        channel.close(promise: nil)
        loop.run()
        #expect(service.waitingCount == 1)
        #expect(connection.machine.streams.isEmpty)
        #expect(connection.machine.output.capacity == 0)
        service.release()
        loop.run()
        #expect(service.held.withLock { $0.unread } == 0)
    }

    @Test func `a connection keeps little room of many calls`() throws {
        let streams = (0..<UInt32(1_000)).map { 2 * $0 + 1 }
        let calls = streams.flatMap { RawFrames.call("/echo.Echo/Wait", on: $0, [1]) }
        try channel.writeInbound(ByteBuffer(bytes: RawFrames.greeting + calls))
        #expect(connection.machine.streams.capacity >= 1_000)
        service.release()
        loop.run()
        #expect(connection.machine.streams.isEmpty && connection.calls.isEmpty)
        #expect(connection.machine.streams.capacity <= ConnectionLimits.keptStreamCount)
        #expect(connection.calls.capacity <= ConnectionLimits.keptStreamCount)
    }
}
