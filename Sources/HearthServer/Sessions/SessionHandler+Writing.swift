import HearthModel
import HearthWire
import NIOCore

/// What a session writes.
extension SessionHandler {
    private enum Chunk {
        /// Bytes in one buffer to the channel. Enough that the system call no longer counts.
        static let byteCountMax = 256 * 1024
    }

    /// Writes what the channel takes.
    func pump() {
        guard let context, isEnding || !outbox.isEmpty else { return }
        var buffer = context.channel.allocator.buffer(capacity: 1_024)
        while context.channel.isWritable || isEnding, let frame = outbox.next(machine.codec) {
            buffer.writeFrame(frame)
            if buffer.readableBytes >= Chunk.byteCountMax {
                write(buffer, context)
                buffer = context.channel.allocator.buffer(capacity: 1_024)
            }
        }
        if isEnding {
            let channel = context.channel
            context.writeAndFlush(wrapOutboundOut(buffer)).whenComplete { _ in
                channel.close(promise: nil)
            }
        } else {
            if buffer.readableBytes > 0 { write(buffer, context) }
            context.flush()
        }
        if outbox.isOverfull { dropSlowClient(context) }
    }

    /// Writes the rest, and closes.
    func beginFarewell() {
        guard let context, !isEnding else { return }
        isEnding = true
        setReading(false)
        timer?.cancel()
        timer = schedule(after: services.farewellTimeMax, context) { $0.cut() }
    }

    /// Hands a buffer to the channel; a large one counts until the socket has taken it.
    private func write(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
        let byteCount = buffer.readableBytes
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
}

extension ByteBuffer {
    /// Appends a frame, header and body.
    mutating func writeFrame(_ frame: Frame) {
        reserveCapacity(minimumWritableBytes: Frame.headerByteCount + frame.body.count)
        writeInteger(UInt32(Frame.prefixByteCount + frame.body.count))
        writeInteger(frame.kind)
        writeInteger(frame.request)
        writeBytes(frame.body)
    }
}

extension HearthError {
    /// What clients are told when the daemon goes down.
    static let shuttingDown = HearthError(
        code: .unavailable, message: "The daemon is shutting down. Connect again.")
}

extension HearthError {
    /// What a client is told that has asked for more than it reads.
    static func unreadAnswers(_ byteCountMax: Int) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "The answers in front of this one have not been read, and with it would have "
                + "more than limits.unreadByteCountMax = \(byteCountMax) bytes. Read them, then ask "
                + "again.")
    }
}
