/// Measures the processor time of turns that follow each other on one thread.
///
/// To ask the thread's clock is a system call, and to ask for the time is none. So turns that are over at
/// once are counted together, with what the thread has used when its clock is asked next.
struct TurnMeter {
    /// A turn that is over within this time, waits and all, is in the first bucket of turns.
    private static let shortMax = Duration.microseconds(100)

    /// What the thread had used when its clock was asked last.
    private var usedBefore: Duration
    private var shortCount: UInt64 = 0
    /// The time that passed in the short turns, of which they used no more.
    private var shortTime = Duration.zero

    /// Begins before the first turn.
    ///
    /// - Parameter used: The processor time of the thread.
    init(used: Duration = ThreadClock.processorTime) {
        usedBefore = used
    }

    /// A turn is over, so much time after the turn before.
    ///
    /// - Parameter used: The processor time of the thread, which only a longer turn asks for.
    mutating func ended(
        after time: Duration, used: @autoclosure () -> Duration = ThreadClock.processorTime,
        in turns: inout DurationHistogram
    ) {
        guard time > Self.shortMax else {
            shortCount += 1
            shortTime += time
            return
        }
        let now = used()
        let ofShort = min(shortTime, now - usedBefore)
        turns.count(shortCount, together: ofShort)
        turns.count(now - usedBefore - ofShort)
        self = TurnMeter(used: now)
    }

    /// The last turn is over.
    mutating func finish(
        used: @autoclosure () -> Duration = ThreadClock.processorTime,
        in turns: inout DurationHistogram
    ) {
        guard shortCount > 0 else { return }
        let now = used()
        turns.count(shortCount, together: now - usedBefore)
        self = TurnMeter(used: now)
    }
}
