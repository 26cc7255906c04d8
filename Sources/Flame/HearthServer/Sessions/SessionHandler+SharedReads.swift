import HearthModel
import HearthWire
import NIOCore

/// What a session was told of the memory file of hot documents.
struct SharedReadOffer {
    /// The number under which the client asked last.
    var number: UInt64
    /// The file that the client has, or is about to be handed.
    var file: SharedReadFile?
    /// Whether the file's descriptor went to the client.
    var isSent = false
    /// Whether the client was told that it has none.
    var wasRefused = false
    /// Whether a try to send is due, however often the client asks meanwhile.
    var isSendDue = false
    /// Whether another offer is due.
    var isOfferDue = false
    /// Offers in a row whose descriptor could not go.
    var refusalCount = 0

    /// The client has no file, and has not been told so.
    mutating func begin(_ number: UInt64) {
        self.number = number
        wasRefused = false
        takeBack()
    }

    /// The file has ended, or does not reach the client.
    mutating func takeBack() {
        file = nil
        isSent = false
    }
}

/// The memory file of hot documents: who gets its descriptor, and when.
///
/// NIO sends no descriptors, so the handler sends the frame with the descriptor itself, when NIO has
/// nothing to write: whole frames alone are handed to NIO, so the stream is between two frames then.
/// A client whose descriptor cannot go asks by the socket, and is offered the file again.
extension SessionHandler {
    /// How soon a frame that found the socket full is tried again.
    private static let retryDelay = TimeAmount.milliseconds(100)
    /// How soon a file whose descriptor could not go is offered again, in seconds: after twice as long
    /// each time, so that many who are refused cost little.
    private static let (offerDelay, offerDelayMax): (Int64, Int64) = (1, 60)

    /// The client asks for the file.
    func shareReads(_ number: UInt64) {
        var offer = sharing ?? SharedReadOffer(number: number)
        offer.begin(number)
        sharing = offer
        offerSharedReads()
    }

    /// Hands the client the file, if it has none and may have one.
    func offerSharedReads() {
        guard let offer = sharing, offer.file == nil, !isEnding, let context else { return }
        guard mayReadEverything else { return refuseSharing() }
        guard services.descriptors.hasRoom(for: session, of: peer.payer) else {
            return offerLater(context)
        }
        guard let file = enterSharing(context) else { return refuseSharing() }
        guard mayReadEverything else {
            // The rules have changed meanwhile.
            engine?.cachedReads?.leaveSharing(session)
            return refuseSharing()
        }
        sharing?.file = file
        services.noteSharing()
        send(context)
    }

    /// The session has no file from now on.
    func leaveSharing() {
        if sharing != nil { engine?.cachedReads?.leaveSharing(session) }
        sharing = nil
        services.descriptors.ended(session)
    }

    /// Whether the rules that count now, perhaps ahead of this session, hide nothing from the peer.
    private var mayReadEverything: Bool {
        guard let key = engine?.key else { return false }
        let access = services.registry.access ?? machine.configuration.access
        return AccessGrant(access, to: peer, in: key).holdsEverywhere(.read)
    }

    private func enterSharing(_ context: ChannelHandlerContext) -> SharedReadFile? {
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        // The size that counts now, perhaps ahead of this session.
        let limits = services.registry.limits ?? machine.configuration.limits
        return engine?.cachedReads?.share(
            with: session, peer, configured: limits.sharedReadByteCount
        ) {
            handler.eventLoop.execute {
                handler.value.sharing?.takeBack()
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

    /// The descriptor cannot go now: the client asks by the socket meanwhile.
    private func offerLater(_ context: ChannelHandlerContext) {
        // The file would be written, and believed, for nobody.
        engine?.cachedReads?.leaveSharing(session)
        sharing?.takeBack()
        refuseSharing()
        guard let offer = sharing, !offer.isOfferDue else { return }
        sharing?.isOfferDue = true
        sharing?.refusalCount += 1
        let delay = min(Self.offerDelay << min(offer.refusalCount, 16), Self.offerDelayMax)
        _ = schedule(after: .seconds(delay), context) { handler in
            handler.sharing?.isOfferDue = false
            handler.offerSharedReads()
        }
    }

    // MARK: The descriptor

    private func send(_ context: ChannelHandlerContext) {
        guard let offer = sharing, let file = offer.file, !offer.isSent, !offer.isSendDue,
            !isEnding,
            let frame = try? machine.codec.frame(
                of: .sharedReads(byteCount: file.byteCount), number: offer.number)
        else { return }
        let buffered = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
        guard buffered == 0 else { return sendWhenWritten(context) }
        let bytes = FrameEncoder.bytes(of: frame)
        let outcome = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { socket in
            services.descriptors.send(
                bytes, with: file.descriptor, on: socket, of: session, peer.payer)
        }
        switch outcome {
        case .sent(let count):
            sharing?.isSent = true
            sharing?.wasRefused = false
            sharing?.refusalCount = 0
            if count < bytes.count {
                // NIO has nothing in front of the rest.
                context.writeAndFlush(
                    wrapOutboundOut(ByteBuffer(bytes: bytes[count...])), promise: nil)
            }
        case .socketFull:
            sharing?.isSendDue = true
            _ = schedule(after: Self.retryDelay, context) { $0.sendIsDue() }
        case .refused: offerLater(context)
        case .broken, nil: context.close(promise: nil)
        }
    }

    /// Tries again when NIO has written what it has.
    private func sendWhenWritten(_ context: ChannelHandlerContext) {
        sharing?.isSendDue = true
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let nothing = context.channel.allocator.buffer(capacity: 0)
        context.writeAndFlush(wrapOutboundOut(nothing)).whenSuccess {
            // Not within this write.
            handler.eventLoop.execute { handler.value.sendIsDue() }
        }
    }

    private func sendIsDue() {
        sharing?.isSendDue = false
        if let context { send(context) }
    }
}
