import Glibc
import NIOCore

/// A WebSocket's way to its client: into the socket, or through NIO while the socket is full.
///
/// NIO's way costs as much user time as the kernel takes to send. What is written between two
/// flushes leaves in one call of the kernel. One event loop uses the writer. All frames of the
/// connection pass the writer, so the frames keep their order. There are two exceptions. A change
/// for many goes right into the socket while nothing waits here (`RealtimeWakes.Loop`, which gives
/// the writer what the socket did not take). The goodbye to a client whose frame is not allowed
/// (`RealtimeFrameGuard`, NIO's `WebSocketProtocolErrorHandler`) goes through NIO and ends the
/// connection; it stands between whole frames, and may overtake what no flush has sent.
///
///     write > batch --flush--> socket takes all: done
///                          \-> the rest > NIO, and everything after it, until NIO has none left
final class DirectWriter {
    /// Bytes that are gathered before they leave by themselves.
    private static let batchByteCountMax = 1 << 18

    /// A place in the pipeline below all that encode.
    private let context: ChannelHandlerContext
    private let channel: any Channel
    /// The socket, which is NIO's: it is written only while the channel is active.
    private let socket: CInt?
    /// What was written since the last flush; `nil` for nothing.
    private var batch: ByteBuffer?
    /// The writes that NIO has not finished.
    private var waitingCount = 0
    /// Called when NIO gets bytes to send, which others may not overtake.
    private let fellBehind: () -> Void

    /// Writes below a handler of a WebSocket that has just been made of a connection of HTTP.
    ///
    /// - Parameters:
    ///   - context: The context of the lowest handler that would change the bytes.
    ///   - fellBehind: Called when the socket takes no more, and from within `init`.
    init(_ context: ChannelHandlerContext, fellBehind: @escaping () -> Void) {
        self.context = context
        self.fellBehind = fellBehind
        channel = context.channel
        socket = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
        // The answer to the upgrade may wait in NIO: nothing may overtake the answer.
        writeThroughNIO(ByteBuffer())
    }

    /// Whether the client keeps up.
    var isWritable: Bool { waitingCount == 0 || channel.isWritable }

    /// The socket, if others may write whole messages to it: nothing waits that they would overtake.
    ///
    /// Until `fellBehind` is called, or the channel becomes inactive.
    var readySocket: CInt? { waitingCount == 0 && batch == nil ? socket : nil }

    /// Adds the frames of one message; `flush` sends them.
    func write(_ frames: TextFrames) {
        guard batch != nil else { return batch = frames.bytes }
        guard frames.bytes.readableBytes > Self.batchByteCountMax else {
            return write { $0.writeImmutableBuffer(frames.bytes) }
        }
        // A long message is not copied behind the others.
        let before = batch.take()
        batch = frames.bytes
        if let before { emit(before) }
    }

    /// Adds a message, in as many frames as it takes; `flush` sends it.
    func write(_ message: [UInt8]) {
        guard message.count <= TextFrames.wholeByteCountMax else {
            return write(TextFrames(of: message))
        }
        write {
            $0.reserveCapacity(
                minimumWritableBytes: TextFrames.headByteCountMax + message.count)
            TextFrames.writeHead(ofText: message.count, to: &$0)
            $0.writeBytes(message)
        }
    }

    /// Adds a change for listeners with this tag; `flush` sends it.
    func write(_ change: SharedChange, tag: Int?) {
        guard let tag else { return write(change.frames) }
        write { change.write(tag: tag, to: &$0) }
    }

    private func write(_ body: (inout ByteBuffer) -> Void) {
        var bytes = batch.take() ?? ByteBuffer()
        body(&bytes)
        let isFull = bytes.readableBytes > Self.batchByteCountMax
        batch = bytes
        if isFull { flush() }
    }

    /// Sends what was written.
    ///
    /// What is written meanwhile, since NIO may call the connection, leaves after it.
    func flush() {
        if let bytes = batch.take() { emit(bytes) }
    }

    /// Sends bytes that another writer has begun to send to the ready socket, and that the socket
    /// did not take.
    func sendRest(_ bytes: ByteBuffer) {
        writeThroughNIO(bytes)
    }

    private func emit(_ bytes: ByteBuffer) {
        var bytes = bytes
        if waitingCount == 0 { send(&bytes) }
        if bytes.readableBytes > 0 { writeThroughNIO(bytes) }
    }

    /// Gives the socket as many bytes as the socket takes.
    private func send(_ bytes: inout ByteBuffer) {
        // A socket that NIO has closed may be another connection's by now.
        guard let socket, channel.isActive else { return }
        let sent = bytes.withUnsafeReadableBytes {
            Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        // An error is left to NIO, which tries again, or finds the same and ends the connection.
        if sent > 0 { bytes.moveReaderIndex(forwardBy: sent) }
    }

    private func writeThroughNIO(_ bytes: ByteBuffer) {
        waitingCount += 1
        fellBehind()
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in self.waitingCount -= 1 }
        context.writeAndFlush(NIOAny(bytes), promise: written)
    }
}
