package import HearthModel
import HearthWire
import NIOCore

private enum Chunk {
    /// Bytes in one buffer to the channel. Enough that the system call no longer counts.
    static let byteCountMax = 256 * 1024
    /// Bytes that a buffer begins with at most.
    static let capacityMax = 64 * 1024
    /// How long one session's answers are encoded before the loop's other sessions come.
    static let timeMax = TimeAmount(LoopLimits.sliceTimeMax)
    /// How long they have then at least. Work without a delay would come before what other sessions sent.
    static let pause = TimeAmount.milliseconds(1)
}

/// How a session's answers are encoded and written, a slice at a time.
extension SessionHandler {
    /// Writes what the channel takes, and pauses when that lasts.
    func pump() {
        guard let context, isEnding || !outbox.isEmpty, pumpTimer == nil else { return }
        // Only a write changes what NIO says.
        var isWritable = context.channel.isWritable
        // As large as the waiting frames together, so that the buffer seldom grows.
        let capacity = isWritable ? min(max(1_024, outbox.byteCount), Chunk.capacityMax) : 0
        var buffer = context.channel.allocator.buffer(capacity: capacity)
        let began = LoopMoment.now()
        let deadline = began.time + Chunk.timeMax
        var isPausing = false
        let codec = machine.codec
        var untimedByteCount = 0  // The time of the work follows the bytes.
        while isWritable || isEnding, let frame = outbox.next(codec) {
            buffer.writeFrame(frame)
            untimedByteCount += Frame.headerByteCount + frame.body.count
            if untimedByteCount >= LoopLimits.sliceByteCount {
                untimedByteCount = 0
                if NIODeadline.now() > deadline, !isEnding {
                    isPausing = true
                    break
                }
            }
            if buffer.readableBytes >= Chunk.byteCountMax {
                write(buffer, context)
                buffer = context.channel.allocator.buffer(capacity: 1_024)
                isWritable = context.channel.isWritable
            }
        }
        if isEnding {
            let channel = context.channel
            carried.sent += buffer.readableBytes
            context.writeAndFlush(wrapOutboundOut(buffer)).whenComplete { _ in
                channel.close(promise: nil)
            }
        } else {
            if buffer.readableBytes > 0 { write(buffer, context) }
            context.flush()
        }
        listenAnew()
        let pause = charge(since: began, context)
        if isPausing { pumpLater(after: max(pause, Chunk.pause), context) }
        if outbox.isOverfull { dropSlowClient(context) }
    }

    /// Asks the engine for the whole state in place of the news that was dropped while the client
    /// did not read.
    private func listenAnew() {
        let behind = outbox.takeBehind()
        guard !behind.isEmpty, !isEnding else { return }
        for number in behind { carryOut(machine.listenAnew(number)) }
        submit()
    }

    /// Goes on when the loop's other sessions have had their turns.
    private func pumpLater(after pause: TimeAmount, _ context: ChannelHandlerContext) {
        pumpTimer = schedule(after: pause, context) { handler in
            handler.pumpTimer = nil
            handler.pump()
        }
    }

    /// Writes the rest, and closes.
    func beginFarewell() {
        guard let context, !isEnding else { return }
        isEnding = true
        outbox.removeNews()  // They could take longer than a farewell may.
        pumpTimer?.cancel()
        pumpTimer = nil
        setReading(false)
        timer?.cancel()
        timer = schedule(after: services.farewellTimeMax, context) { $0.cut() }
    }

    /// Hands a buffer to the channel; a large one counts until the socket has taken it.
    private func write(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
        let byteCount = buffer.readableBytes
        carried.sent += byteCount
        guard byteCount >= ClientMemory.grainByteCount else {
            return context.write(wrapOutboundOut(buffer), promise: nil)
        }
        writingByteCount += byteCount
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.whenComplete { _ in
            handler.value.writingByteCount -= byteCount
            handler.value.count()
        }
        context.write(wrapOutboundOut(buffer), promise: promise)
    }

    private func cut() { context?.close(promise: nil) }

    private func dropSlowClient(_ context: ChannelHandlerContext) {
        services.registry.noteSlow(session)
        context.close(promise: nil)
    }

    /// Notes what the session's user has taken of the loop's time.
    ///
    /// - Returns: How long the session should be left alone.
    func charge(since began: LoopMoment, _ context: ChannelHandlerContext) -> TimeAmount {
        services.shares.charge(
            since: began, to: peer.payer, hasRights: machine.mayHoldRights, on: context.eventLoop)
    }
}

extension ByteBuffer {
    /// Appends a frame, header and body.
    mutating func writeFrame(_ frame: Frame) {
        reserveCapacity(minimumWritableBytes: Frame.headerByteCount + frame.body.count)
        writeMultipleIntegers(
            UInt32(Frame.prefixByteCount + frame.body.count), frame.kind, frame.request)
        writeBytes(frame.body)
    }
}

extension HearthError {
    /// What clients are told when the daemon goes down.
    package static let shuttingDown = HearthError(
        code: .unavailable, message: "The daemon is shutting down. Connect again.")
}

extension HearthError {
    /// The error for a client that asks for more than the client reads.
    package static func unreadAnswers(_ byteCountMax: Int) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "The answers in front of this one have not been read, and with it would have "
                + "more than limits.unreadByteCountMax = \(byteCountMax) bytes. Read them, then ask "
                + "again.")
    }
}
