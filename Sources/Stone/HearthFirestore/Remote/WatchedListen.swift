import HearthModel

/// What the messages of a watch stream have said of one listen.
struct WatchedListen: Sendable {
    /// What is asked for.
    let target: TargetID
    /// When the backend acknowledged the listen, as the aggregator counts.
    var acknowledgedAt: UInt64?
    var isCurrent = false
    /// The token that the backend sent for this listen alone, and when.
    var resumeToken: ResumeToken?
    var tokenAt: UInt64 = 0
    /// When the backend sent the last of these tokens that an event carried.
    var toldTokenAt: UInt64 = 0
    /// Rises with each reset; notes from an earlier epoch do not count.
    var epoch = 0
    /// How the target is asked for anew, if the backend's count did not fit.
    var mismatch: TargetPurpose?
    /// How many documents joined and left since the last event.
    var addedCount = 0
    var removedCount = 0
    /// Whether it was current at the last event: what the stream's snapshots say is all of it.
    var isToldWhole = false

    /// Whether the listen waits for nothing but the next event: to be told, or to be asked anew.
    var isHeldBack: Bool { !isToldWhole && (isCurrent || mismatch != nil) }

    /// The listen after an event that carried all news of the listen.
    var told: Self {
        var listen = self
        listen.addedCount = 0
        listen.removedCount = 0
        listen.isToldWhole = isCurrent && mismatch == nil
        listen.mismatch = nil
        listen.toldTokenAt = tokenAt
        return listen
    }

    /// Counts a document's change, in place of the change that was counted before.
    mutating func count(
        _ change: DocumentNews.Change?, insteadOf old: DocumentNews.Change?
    ) {
        if old == .added { addedCount -= 1 }
        if old == .removed { removedCount -= 1 }
        if change == .added { addedCount += 1 }
        if change == .removed { removedCount += 1 }
    }
}
