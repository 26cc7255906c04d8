package import HearthModel

/// Keeps one stream to the backend alive. Decides; the shell connects, waits and closes.
///
///     idle --start--> opening --opened--> open --pause--> healthy
///      ^                  \                  \             /
///      |                   +----closed--------+-----------+--> failed
///      +--stop, inhibitBackoff (from any)                        |
///              opening <--elapsed, hurried-- backingOff <--start-+
package struct StreamMachine<Timer: EngineTimer>: Sendable {
    private enum State: Hashable, Sendable {
        case idle
        case opening(StreamNumber)
        case open(StreamNumber)
        case healthy(StreamNumber)
        case failed
        case backingOff
    }

    /// What the shell must do.
    package enum Action: Hashable, Sendable {
        case open(StreamNumber)
        case close(StreamNumber)
        case schedule(Timer, Duration)
        case cancel(Timer)
    }

    /// The timers of one stream, and the purpose of each.
    package struct Timers: Hashable, Sendable {
        let idle: Timer
        let backoff: Timer
        let health: Timer
        /// How long an unused stream stays open.
        let idlePause: Duration
        /// How long a stream must stand to count as healthy.
        let healthPause: Duration

        /// Names the timers.
        ///
        /// - Parameters:
        ///   - idle: Rings when the stream was unused for `idlePause`.
        ///   - backoff: Rings when the stream may be opened again.
        ///   - health: Rings when the stream has stood for `healthPause`.
        ///   - idlePause: How long an unused stream stays open.
        ///   - healthPause: How long a stream must stand to count as healthy.
        package init(
            idle: Timer, backoff: Timer, health: Timer, idlePause: Duration = .seconds(60),
            healthPause: Duration = .seconds(10)
        ) {
            self.idle = idle
            self.backoff = backoff
            self.health = health
            self.idlePause = idlePause
            self.healthPause = healthPause
        }
    }

    private let timers: Timers
    private var state = State.idle
    private var backoff: Backoff
    private var lastNumber = StreamNumber(0)
    private var isMarkedIdle = false
    /// Whether the backend proved on the last stream that it is well.
    private var hasHeard = false
    /// Whether no sign of the backend shortens the wait: the backend asked to be left alone, or it
    /// would say again what cannot be read.
    private var isHeldBack = false

    /// A stream that was never opened.
    package init(_ timers: Timers, backoff: Backoff = Backoff()) {
        self.timers = timers
        self.backoff = backoff
    }

    /// The open stream, which can take requests.
    package var openNumber: StreamNumber? {
        switch state {
        case .open(let number), .healthy(let number): number
        case .idle, .opening, .failed, .backingOff: nil
        }
    }

    /// The stream that is open or being opened.
    package var number: StreamNumber? {
        switch state {
        case .opening(let number), .open(let number), .healthy(let number): number
        case .idle, .failed, .backingOff: nil
        }
    }

    /// Whether the stream is open, being opened, or waits to be.
    package var isStarted: Bool {
        switch state {
        case .opening, .open, .healthy, .backingOff: true
        case .idle, .failed: false
        }
    }

    /// Starts a stream that is not started; after a failure, waits first.
    package mutating func start<Random: RandomNumberGenerator>(
        at now: Timestamp, using random: inout Random
    ) -> [Action] {
        switch state {
        case .idle:
            return open(at: now)
        case .failed:
            state = .backingOff
            return [.schedule(timers.backoff, backoff.next(at: now, using: &random))]
        case .opening, .open, .healthy, .backingOff:
            preconditionFailure("start() of a stream that is started")
        }
    }

    /// Closes the stream in good order.
    package mutating func stop() -> [Action] {
        guard isStarted else { return [] }
        var actions = cancelTimers()
        if let number { actions.append(.close(number)) }
        state = .idle
        backoff.reset()
        return actions
    }

    /// Lets the next start be at once, although the stream failed.
    package mutating func inhibitBackoff() {
        switch state {
        case .failed, .idle:
            state = .idle
            backoff.reset()
        case .opening, .open, .healthy, .backingOff:
            break  // Started already; stopping it is the caller's choice.
        }
    }

    /// Whether the stream waits to be opened again after a failure.
    package var isBackingOff: Bool { state == .backingOff }

    /// Ends the wait for the next attempt, because the backend may be there again.
    ///
    /// The wait goes on if the backend asked to be left alone, or said what cannot be read.
    ///
    /// - Parameter pause: How long ago the last attempt must be.
    package mutating func hurry(at now: Timestamp, after pause: Duration = .zero) -> [Action] {
        guard isBackingOff, !isHeldBack, backoff.isRested(at: now, for: pause) else { return [] }
        backoff.reset()
        return [.cancel(timers.backoff)] + open(at: now)
    }

    /// Notes that the backend proved that it is well: the wait after this stream is none, unless the
    /// stream ends with something that cannot be read.
    package mutating func heard() { hasHeard = true }

    /// Closes the stream after the pause of unused streams, unless something is sent before.
    package mutating func markIdle() -> [Action] {
        guard openNumber != nil, !isMarkedIdle else { return [] }
        isMarkedIdle = true
        return [.schedule(timers.idle, timers.idlePause)]
    }

    /// Notes that something is sent.
    package mutating func sent() -> [Action] {
        guard isMarkedIdle else { return [] }
        isMarkedIdle = false
        return [.cancel(timers.idle)]
    }

    /// The stream can take requests. Returns `nil` for the echo of another.
    package mutating func opened(_ opened: StreamNumber) -> [Action]? {
        guard case .opening(let number) = state, number == opened else { return nil }
        state = .open(number)
        return [.schedule(timers.health, timers.healthPause)]
    }

    /// The stream ended. Returns `nil` for the echo of another.
    ///
    /// The SDKs reset the wait with each good message. Here that holds only if the stream ended
    /// otherwise than with something unreadable: the backend would say the same again on the next
    /// stream, behind the same good messages, and each of these is billed anew.
    ///
    /// - Parameter wasUnreadable: Whether the stream ended because we could not read what came.
    package mutating func closed(
        _ closed: StreamNumber, _ error: HearthError?, wasUnreadable: Bool = false
    ) -> [Action]? {
        guard closed == number else { return nil }
        let actions = cancelTimers()
        state = .failed
        let isUnwelcome = error?.code == .resourceExhausted
        isHeldBack = isUnwelcome || wasUnreadable
        if hasHeard, !wasUnreadable { backoff.reset() }
        if isUnwelcome { backoff.resetToLongest() }
        return actions
    }

    /// A timer of this stream ran out.
    package mutating func fired(_ timer: Timer, at now: Timestamp) -> [Action] {
        switch (timer, state) {
        case (timers.health, .open(let number)):
            state = .healthy(number)
            return []
        case (timers.backoff, .backingOff):
            state = .idle
            return open(at: now)
        default:
            return []  // Cancelled while it was on the way.
        }
    }

    private mutating func open(at now: Timestamp) -> [Action] {
        lastNumber = StreamNumber(lastNumber.rawValue + 1)
        state = .opening(lastNumber)
        isMarkedIdle = false
        hasHeard = false
        backoff.attempted(at: now)
        return [.open(lastNumber)]
    }

    private mutating func cancelTimers() -> [Action] {
        isMarkedIdle = false
        return [.cancel(timers.idle), .cancel(timers.health), .cancel(timers.backoff)]
    }
}
