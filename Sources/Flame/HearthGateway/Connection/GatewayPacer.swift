import HearthModel
import HearthServer
import NIOCore

/// Decides when a connection is read, and tells it of the end of each read and of its own end.
///
/// The first handler of the connection's pipeline: the client's user pays for the time that the
/// other handlers take for the bytes that were read. Nothing is read in four cases: the user has
/// taken more than a fair share of the event loop, the engine's mailbox has no room, too much waits
/// for the engine, or the client does not take its answers. Each request that was read would have
/// to be answered.
final class GatewayPacer: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let connection: GatewayConnection
    private var context: ChannelHandlerContext?
    private var isThrottled = false
    private var isReading = true
    /// What was read and waits, because the user has taken more of the event loop than is his.
    private var unread = UnreadBytes()

    /// Paces a connection.
    init(_ connection: GatewayConnection) {
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        connection.pacer = self
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        connection.closed()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        connection.carried.received += bytes.readableBytes
        unread.append(bytes)
        takeUnread(context)
    }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        connection.carried.sent += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        connection.readEnded()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        context.fireChannelWritabilityChanged()
        readIfMay()
    }

    func channelInactive(context: ChannelHandlerContext) {
        context.fireChannelInactive()
        connection.closed()
    }

    /// Reads, or stops reading, as the connection's state allows.
    func readIfMay() {
        guard let context else { return }
        let mayRead = connection.mayRead && !isThrottled && context.channel.isWritable
        guard mayRead != isReading else { return }
        isReading = mayRead
        try? context.channel.syncOptions?.setOption(.autoRead, value: mayRead)
        if mayRead { context.read() }
    }

    /// Takes what was read, for as long as the user may have the event loop.
    private func takeUnread(_ context: ChannelHandlerContext) {
        guard !isThrottled else { return connection.holds(untaken: unread.byteCount) }
        // Another connection of the user may have taken the user's part meanwhile.
        throttle(connection.owedPause, context)
        while !isThrottled, unread.byteCount > 0 {
            let began = LoopMoment.now()
            connection.isInRead = true
            takeUnread(until: began.time + TimeAmount(LoopLimits.sliceTimeMax), context)
            throttle(connection.charge(since: began), context)
        }
        connection.holds(untaken: unread.byteCount)
    }

    private func takeUnread(until deadline: NIODeadline, _ context: ChannelHandlerContext) {
        repeat {
            guard let slice = unread.nextSlice() else { break }
            context.fireChannelRead(wrapInboundOut(slice))
        } while NIODeadline.now() < deadline
    }

    private func throttle(_ pause: TimeAmount, _ context: ChannelHandlerContext) {
        guard pause > .zero, !isThrottled else { return }
        isThrottled = true
        readIfMay()
        _ = context.eventLoop.assumeIsolated().scheduleTask(in: pause) { [self] in
            isThrottled = false
            takeWaiting()
            readIfMay()
        }
    }

    /// Takes what had to wait, as a read of its own.
    private func takeWaiting() {
        guard let context, unread.byteCount > 0 else { return }
        takeUnread(context)
        context.fireChannelReadComplete()
        connection.readEnded()
    }
}
