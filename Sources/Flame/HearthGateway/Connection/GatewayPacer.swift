import HearthModel
import HearthServer
import NIOCore

/// Decides when a connection is read, and tells it of the end of each read and of its own end.
///
/// The first handler of the connection's pipeline. The handler charges the client's user for the
/// time that the other handlers take for the bytes of a read. The handler stops reading in four
/// cases: the user has taken more than a fair share of the event loop, the engine's mailbox has no
/// room, too much waits for the engine, or the client does not take its answers. A request that was
/// read would have to be answered.
final class GatewayPacer: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let connection: GatewayConnection
    private var context: ChannelHandlerContext?
    private var isThrottled = false
    private var isReading = true
    /// Whether work goes on for which the user pays in the end.
    private var isCharging = false
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

    /// Sends the bytes that one read or task has made ready. The user pays for the sending as for
    /// the reading.
    func flush(context: ChannelHandlerContext) {
        if isCharging { return context.flush() }
        charge(context) { context.flush() }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        endRead(context)
    }

    /// The calls of the read are answered or given up, and what they ask goes to the engine.
    private func endRead(_ context: ChannelHandlerContext) {
        charge(context) {
            context.fireChannelReadComplete()
            connection.readEnded()
        }
    }

    /// Does something for the client, and has the client's user pay.
    private func charge(_ context: ChannelHandlerContext, _ body: () -> Void) {
        let began = LoopMoment.now()
        isCharging = true
        body()
        isCharging = false
        throttle(connection.charge(since: began), context)
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
            connection.isInRead = true
            let deadline = NIODeadline.now() + TimeAmount(LoopLimits.sliceTimeMax)
            charge(context) { takeUnread(until: deadline, context) }
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
        endRead(context)
    }
}
