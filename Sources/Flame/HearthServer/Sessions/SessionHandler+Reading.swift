import HearthModel
import HearthWire
import NIOCore

/// How a session takes what its client sends, a slice at a time.
extension SessionHandler {
    /// Takes what was read, for as long as the user may have the event loop.
    ///
    /// The rest waits, and nothing more is read, until the user has paid for what the user took.
    func takeUnread(_ context: ChannelHandlerContext) {
        guard !isThrottled, !isReadingAside else { return }
        // Another connection of the user may have taken the user's part meanwhile.
        throttle(services.shares.charge(.zero, to: peer.payer, on: context.eventLoop), context)
        while !isThrottled, !isReadingAside, !isEnding, unread.byteCount > 0 {
            let began = LoopMoment.now()
            takeUnread(until: began.time + TimeAmount(LoopLimits.sliceTimeMax))
            throttle(charge(since: began, context), context)
        }
        if isEnding { unread = UnreadBytes() }
    }

    /// The bytes of one read have come, or have been taken after they had to wait.
    func readEnded(_ context: ChannelHandlerContext) {
        finishRead()
        watchFrame(context)
        watchBundles(context)
    }

    private func takeUnread(until deadline: NIODeadline) {
        let user = services.registry.figures(ofUser: peer.payer)
        machine.othersListenerCount = user.listenerCount - tally.listenerCount
        machine.othersRequestCount = user.requestCount - tally.requestCount
        isDecoding = true
        defer { isDecoding = false }
        repeat {
            guard let slice = unread.nextSlice() else { break }
            take(slice)
        } while !isReadingAside && !isEnding && NIODeadline.now() < deadline
    }

    private func take(_ slice: ByteBuffer) {
        do throws(FrameError) {
            try decoder.receive(slice.readableBytesSpan) { kind, number, body in
                frameCount += 1
                take(kind, number, body)
            }
        } catch {
            carryOut(machine.failed(error))
        }
    }

    private func take(_ kind: UInt8, _ number: UInt64, _ body: RawSpan) {
        if isReadingAside {
            // The rest of a slice, behind a large frame.
            let bytes = body.withUnsafeBytes { [UInt8]($0) }
            return framesBehind.append(Frame(kind: kind, request: number, body: bytes))
        }
        if let reading = machine.reading(kind: kind, number: number, byteCount: body.byteCount) {
            return read(kind, number, body, reading)
        }
        if !answerFromMemory(kind, number, body) {
            carryOut(machine.received(kind: kind, number: number, body: body))
        }
    }

    // MARK: Large frames

    /// Reads a large frame aside, and takes nothing more of the client meanwhile.
    private func read(_ kind: UInt8, _ number: UInt64, _ body: RawSpan, _ reading: RequestReading) {
        guard let context else { return }
        asideByteCount = body.byteCount
        let bytes = body.withUnsafeBytes { [UInt8]($0) }
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        services.largeFrames.run(from: .session(session, of: peer.payer)) {
            let outcome = reading.read(kind: kind, body: bytes.span.bytes)
            handler.eventLoop.execute { handler.value.hasRead(outcome, number) }
        }
        updateReading()
    }

    private func hasRead(_ outcome: RequestReading.Outcome, _ number: UInt64) {
        asideByteCount = 0
        guard !isEnding, let context else { return }
        carryOut(machine.received(outcome, number: number))
        let frames = framesBehind
        framesBehind = []
        for frame in frames where !isEnding {
            take(frame.kind, frame.request, frame.body.span.bytes)
        }
        takeUnread(context)
        readEnded(context)
        updateReading()
    }

    /// Whether a large frame is being read aside; what follows in the stream waits.
    private var isReadingAside: Bool { asideByteCount > 0 }

    // MARK: When nothing is read

    func setReading(_ isReading: Bool) {
        self.isReading = isReading
        updateReading()
    }

    private func updateReading() {
        guard let context else { return }
        let reads = isReading && !isThrottled && !isReadingAside
        try? context.channel.syncOptions?.setOption(.autoRead, value: reads)
        if reads { context.read() }
    }

    /// Takes and reads no more for a while.
    private func throttle(_ pause: TimeAmount, _ context: ChannelHandlerContext) {
        guard pause > .zero, !isThrottled, !isEnding else { return }
        isThrottled = true
        updateReading()
        _ = schedule(after: pause, context) { handler in
            handler.isThrottled = false
            guard let context = handler.context, !handler.isEnding else { return }
            if handler.unread.byteCount > 0 {
                handler.takeUnread(context)
                handler.readEnded(context)
            }
            handler.updateReading()
        }
    }

    /// Bounds the time of a begun frame, but not while the handler itself does not read.
    private func watchFrame(_ context: ChannelHandlerContext) {
        guard decoder.isInsideFrame, !isEnding else {
            frameTimer?.cancel()
            frameTimer = nil
            return
        }
        guard frameTimer == nil else { return }
        let (count, secondsMax) = (frameCount, machine.configuration.limits.frameSecondsMax)
        frameTimer = schedule(after: .seconds(Int64(secondsMax)), context) { handler in
            handler.frameTimer = nil
            guard let context = handler.context else { return }
            guard count == handler.frameCount, handler.isReading, !handler.isThrottled,
                !handler.isReadingAside
            else {
                return handler.watchFrame(context)  // Another frame, or our own fault.
            }
            handler.carryOut(handler.machine.frameTimedOut(secondsMax: secondsMax))
            handler.finishRead()
        }
    }
}
