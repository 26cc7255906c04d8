import HearthModel
import HearthWire
import NIOCore

/// What a session makes the daemon hold.
extension SessionHandler {
    /// Tells the registry what the session has, if that has changed by enough; if it is too much, the
    /// session ends.
    func count() {
        guard !isEnding, !isDecoding else { return }  // The end of the read counts.
        pace()
        var now = SessionTally(
            listenerCount: machine.openListenerCount, requestCount: machine.openRequestCount,
            heldByteCount: heldByteCount)
        now.statusListenerCount = machine.statusListenerCount
        guard now.isWorthTelling(after: tally) else { return }
        tally = now
        if let error = services.registry.counted(session, now, within: memory) { evict(error) }
    }

    private var heldByteCount: Int {
        ClientMemory.clientByteCount + unread.byteCount + asideByteCount
            + decoder.heldByteCount + machine.heldByteCount + outbox.byteCount + writingByteCount
    }

    /// Reads no more while the engine has enough to do for the session: what waits grows no further, and
    /// nobody is disconnected for having much to write.
    private func pace() {
        let countMax = memory.waitingByteCountMax
        let waiting = machine.waitingByteCount
        isPaced = waiting > (isPaced ? countMax / 2 : countMax)
        readIfMay()
    }

    /// Reads, or stops reading, as mailbox and pace allow.
    func readIfMay() {
        let mayRead = !isMailboxFull && !isPaced
        if mayRead != isReading, !isEnding { setReading(mayRead) }
    }

    func evict(_ error: HearthError) {
        guard !isEnding else { return }
        outbox = Outbox(limits: outbox.limits)
        carryOut(machine.end(error))
        machine.release()
        decoder = FrameDecoder()
        services.registry.noteEvicted(session, error)
        pump()
    }

    /// Bounds the time that a begun bundle waits for the next part.
    func watchBundles(_ context: ChannelHandlerContext) {
        guard !machine.begunBundles.isEmpty, !isEnding else {
            bundleTimer?.cancel()
            bundleTimer = nil
            return
        }
        guard bundleTimer == nil else { return }
        let begun = machine.begunBundles
        let patience = TimeAmount.seconds(Int64(memory.bundleSecondsMax))
        bundleTimer = schedule(after: patience, context) { handler in
            handler.bundleTimer = nil
            handler.carryOut(handler.machine.bundlesTimedOut(begun))
            handler.finishRead()
            if let context = handler.context { handler.watchBundles(context) }
        }
    }
}
