import HearthModel
import HearthProtocol
import HearthRealtime
import NIOCore
import NIOHTTP1
import NIOWebSocket
import Synchronization

/// One WebSocket to a Realtime Database. Translates, and decides nothing.
///
///     frames > FrameJoiner > RealtimeCodec > SocketListener
///     LinkMessage > RealtimeCodec > FrameSplitter > frames
///
/// Reading and writing have a task each, so that neither an event loop nor the engine spends time
/// on long messages.
final class RealtimeSocket: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var channel: (any Channel)?
        /// Whether the channel takes frames.
        var isOpen = false
        /// We closed it, and want to hear nothing more of it.
        var isClosed = false
    }

    /// What is written.
    private enum Outgoing: Sendable {
        case message(LinkMessage)
        case answer(ByteBuffer)
    }

    private let outgoing = BatchQueue<Outgoing>()
    private let owedPongCount = Atomic(0)
    private let isBusyNow = Atomic(false)
    private let state = Mutex(State())
    private let listener: SocketListener

    /// Opens a WebSocket.
    init(to place: SocketPlace, listener: SocketListener) {
        self.listener = listener
        let task = Task {
            let error = await run(to: place)
            outgoing.end()
            if !isClosed { listener.ended(error) }
        }
        state.withLock { $0.task = task }
    }

    /// Whether something that came has not been passed on yet.
    var isBusy: Bool { isBusyNow.load(ordering: .relaxed) }

    /// Sends a message after those before it. Too late is harmless.
    func send(_ message: LinkMessage) {
        if message == .pong, !mayOwePong() { return }
        outgoing.put(.message(message))
    }

    /// Closes the WebSocket at once. Nothing is told any more.
    func close() {
        let (channel, isOpen, task) = state.withLock { state in
            state.isClosed = true
            defer { state.channel = nil }
            return (state.channel, state.isOpen, state.task)
        }
        outgoing.end()
        if let channel {
            if isOpen { channel.writeAndFlush(Self.goodbye, promise: nil) }
            channel.close(promise: nil)
        }
        task?.cancel()
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    // MARK: The life

    private func run(to place: SocketPlace) async -> HearthError? {
        do {
            switch try await place.upgrade(holding: hold) {
            case .open(let channel): return try await exchange(over: channel)
            case .refused(let channel):
                return try await HearthError(
                    refusedBy: place.authority, with: Self.status(of: channel))
            }
        } catch {
            return HearthError(ofSocket: error, to: "\(place.backend)")
        }
    }

    /// Lets `close` reach a connection that is still being made.
    private func hold(_ channel: any Channel) throws {
        try state.withLock { state in
            if state.isClosed { throw ChannelError.alreadyClosed }
            state.channel = channel
        }
    }

    private static func status(
        of channel: NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>
    ) async throws -> Int? {
        try await channel.executeThenClose { inbound, _ in
            for try await case .head(let head) in inbound { return Int(head.status.code) }
            return nil
        }
    }

    private func exchange(
        over channel: NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
    ) async throws -> HearthError? {
        try await channel.executeThenClose { inbound, outbound in
            let isWanted = state.withLock { state in
                state.isOpen = true
                return !state.isClosed
            }
            guard isWanted else { return nil }
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.write(to: outbound) }
                defer {
                    outgoing.end()
                    isBusyNow.store(false, ordering: .relaxed)
                }
                let end = try await read(from: inbound)
                group.cancelAll()  // A server that closed may not read any more.
                return end
            }
        }
    }

    // MARK: Reading

    /// Reads until the server closes the WebSocket.
    ///
    /// - Returns: Why the server closed it; `nil` if in good order.
    private func read(
        from inbound: NIOAsyncChannelInboundStream<WebSocketFrame>
    ) async throws -> HearthError? {
        var joiner = FrameJoiner(byteCountMax: SocketLimits.messageByteCountMax)
        var frames = inbound.makeAsyncIterator()
        while true {
            isBusyNow.store(false, ordering: .relaxed)
            guard let frame = try await frames.next() else { return .cut }
            isBusyNow.store(true, ordering: .relaxed)
            listener.heard()
            switch frame.opcode {
            case .text, .binary:
                guard let message = try joiner.take(Array(frame.unmaskedData.readableBytesView))
                else { continue }
                await listener.received(try RealtimeCodec.decodeServer(message), message.count)
            case .ping:
                if mayOwePong() { outgoing.put(.answer(frame.unmaskedData)) }
            case .connectionClose: return HearthError(goodbye: frame.unmaskedData)
            default: break
            }
        }
    }

    // MARK: Writing

    private func write(to outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>) async throws {
        while let batch = await outgoing.take() {
            var group: [WebSocketFrame] = []
            var byteCount = 0
            for element in batch {
                for frame in frames(of: element) {
                    group.append(frame)
                    byteCount += frame.data.readableBytes
                    guard byteCount >= SocketLimits.groupByteCountMax else { continue }
                    try await outbound.write(contentsOf: group)
                    group = []
                    byteCount = 0
                }
            }
            try await outbound.write(contentsOf: group)
        }
    }

    private func frames(of element: Outgoing) -> [WebSocketFrame] {
        switch element {
        case .message(let message):
            if message == .pong { pongSent() }
            return FrameSplitter.frames(of: Self.bytes(of: message)).map {
                Self.frame(.text, ByteBuffer(bytes: $0))
            }
        case .answer(let data):
            pongSent()
            return [Self.frame(.pong, data)]
        }
    }

    private static func bytes(of message: LinkMessage) -> [UInt8] {
        switch message {
        case .request(let request): RealtimeCodec.encode(request)
        case .ping: RealtimeCodec.ping
        case .pong: RealtimeCodec.pong
        case .keepAlive: RealtimeCodec.keepAlive
        }
    }

    /// A client's frames are masked, each by a key of its own.
    private static func frame(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> WebSocketFrame {
        WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
    }

    private static var goodbye: WebSocketFrame {
        frame(.connectionClose, ByteBuffer(integer: UInt16(1_000)))
    }

    private func mayOwePong() -> Bool {
        guard owedPongCount.load(ordering: .relaxed) < SocketLimits.owedPongCountMax else {
            return false
        }
        owedPongCount.add(1, ordering: .relaxed)
        return true
    }

    private func pongSent() { owedPongCount.subtract(1, ordering: .relaxed) }
}

/// Who hears of a WebSocket: `ended` at most once, and nothing after that.
struct SocketListener: Sendable {
    /// Something came.
    let heard: @Sendable () -> Void
    /// A message of so many bytes came. Nothing more is read until this returns.
    let received: @Sendable (RealtimeServerMessage, Int) async -> Void
    /// The WebSocket is over, or could not be opened; without an error if the server closed it in
    /// good order.
    let ended: @Sendable (HearthError?) -> Void
}
