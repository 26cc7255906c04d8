import CLinux
import Glibc
import HearthModel
import HearthWire
import NIOCore

/// What a session was told of the memory file of hot documents.
struct SharedReadOffer {
    /// The number under which the client asked.
    let number: UInt64
    /// The file that the client has, or is about to be handed.
    var file: SharedReadFile?
    /// Whether the client was told that it has none.
    var wasRefused = false
}

/// The memory file of hot documents: who gets its descriptor, and when.
///
/// NIO sends no descriptors, so the handler sends the frame with the descriptor itself, when NIO has
/// nothing to write: whole frames alone are handed to NIO, so the stream is between two frames then.
extension SessionHandler {
    /// How soon a frame that found the socket full is tried again.
    private static let retryDelay = TimeAmount.milliseconds(100)

    /// The client asks for the file.
    func shareReads(_ number: UInt64) {
        sharing = SharedReadOffer(number: number)
        offerSharedReads()
    }

    /// Hands the client the file, if it has none and may have one.
    func offerSharedReads() {
        guard let offer = sharing, offer.file == nil, !isEnding, let context else { return }
        guard mayReadEverything, let file = enterSharing(context) else { return refuseSharing() }
        guard mayReadEverything else {
            // The rules have changed meanwhile.
            engine?.cachedReads?.leaveSharing(session)
            return refuseSharing()
        }
        sharing?.file = file
        sharing?.wasRefused = false
        services.noteSharing()
        send(file)
    }

    /// The session has no file from now on.
    func leaveSharing() {
        if sharing?.file != nil { engine?.cachedReads?.leaveSharing(session) }
        sharing = nil
    }

    /// Whether the rules that count now, perhaps ahead of this session, hide nothing from the peer.
    private var mayReadEverything: Bool {
        guard let key = engine?.key else { return false }
        let access = services.registry.access ?? machine.configuration.access
        return AccessGrant(access, to: peer, in: key).holdsEverywhere(.read)
    }

    private func enterSharing(_ context: ChannelHandlerContext) -> SharedReadFile? {
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        return engine?.cachedReads?.share(
            with: session, peer, configured: machine.configuration.limits.sharedReadByteCount
        ) {
            handler.eventLoop.execute {
                handler.value.sharing?.file = nil
                handler.value.offerSharedReads()
            }
        }
    }

    private func refuseSharing() {
        guard let offer = sharing, !offer.wasRefused else { return }
        sharing?.wasRefused = true
        guard
            let frame = try? machine.codec.frame(
                of: .sharedReads(byteCount: nil), number: offer.number)
        else { return }
        outbox.append(frame)
        pump()
    }

    // MARK: The descriptor

    private func send(_ file: SharedReadFile) {
        guard let context, !isEnding, let offer = sharing, offer.file === file else { return }
        let buffered = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
        guard buffered == 0 else { return sendLater(file, context) }
        guard
            let frame = try? machine.codec.frame(
                of: .sharedReads(byteCount: file.byteCount), number: offer.number)
        else { return }
        let bytes = FrameEncoder.bytes(of: frame)
        let outcome = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { socket in
            let count = clinux_send_descriptor(socket, bytes, bytes.count, file.descriptor)
            return (count: count, error: errno)
        }
        guard let outcome, outcome.count != bytes.count else { return }
        if outcome.count < 0, outcome.error == EAGAIN || outcome.error == EINTR {
            _ = schedule(after: Self.retryDelay, context) { $0.send(file) }
        } else {
            context.close(promise: nil)  // A part of a frame is out, or the client is gone.
        }
    }

    /// Tries again when NIO has written what it has.
    private func sendLater(_ file: SharedReadFile, _ context: ChannelHandlerContext) {
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let nothing = context.channel.allocator.buffer(capacity: 0)
        context.writeAndFlush(wrapOutboundOut(nothing)).whenSuccess {
            // Not within this write.
            handler.eventLoop.execute { handler.value.send(file) }
        }
    }
}
