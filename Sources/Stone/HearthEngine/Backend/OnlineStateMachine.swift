/// Decides from the watch stream's fate whether the backend can be reached.
///
///     unknown --message--> online --failure--> unknown --failure or 10 s--> offline
///                          online --asked, 10 s without a word--> offline
package struct OnlineStateMachine: Sendable {
    /// What the engine must do. The machine has one timer; the engine names the timer.
    package enum Action: Hashable, Sendable {
        /// The timer must run.
        case schedule(after: Duration)
        /// The timer must not run.
        case cancel
        /// The state is another now.
        case changed(OnlineState)
    }

    /// Failures in a row, without a message between, that make us offline.
    private static let failureCountMax = 1
    /// The longest that a first connection may take before we count as offline.
    private static let patience = Duration.seconds(10)

    /// The state.
    package private(set) var state = OnlineState.unknown
    private var failureCount = 0
    private var isTimerRunning = false

    /// Nothing was tried yet.
    package init() {}

    /// The watch stream is being opened.
    package mutating func streamStarted() -> [Action] {
        guard failureCount == 0 else { return [] }
        isTimerRunning = true
        return become(.unknown) + [.schedule(after: Self.patience)]
    }

    /// The watch stream failed.
    package mutating func streamFailed() -> [Action] {
        if state == .online { return become(.unknown) }
        failureCount += 1
        guard failureCount >= Self.failureCountMax else { return [] }
        return stopTimer() + become(.offline)
    }

    /// Something else decided the state: a message came, or the network was switched.
    package mutating func set(_ state: OnlineState) -> [Action] {
        failureCount = 0
        return stopTimer() + become(state)
    }

    /// The first connection takes too long.
    package mutating func timerFired() -> [Action] {
        guard isTimerRunning else { return [] }
        isTimerRunning = false
        return become(.offline)
    }

    /// The backend was asked, and has said nothing for too long.
    ///
    /// That counts as a failed attempt: until the next message, no attempt makes anybody wait.
    package mutating func fellSilent() -> [Action] {
        failureCount = max(failureCount, Self.failureCountMax)
        return stopTimer() + become(.offline)
    }

    private mutating func become(_ new: OnlineState) -> [Action] {
        guard new != state else { return [] }
        state = new
        return [.changed(new)]
    }

    private mutating func stopTimer() -> [Action] {
        guard isTimerRunning else { return [] }
        isTimerRunning = false
        return [.cancel]
    }
}
