package import Dispatch
package import HearthEngine

/// The timers of one engine: each runs once, and setting it again moves it.
///
/// A timer's ring waits in the mailbox like any input. If the engine cancels or moves the timer
/// before the ring's turn comes, the ring is stale; its number tells.
package struct TimerTable<Timer: EngineTimer> {
    /// One ring of one timer.
    package struct Ring: Hashable, Sendable {
        /// The timer.
        package let timer: Timer
        /// Which setting of it has run out.
        package let setting: UInt64
    }

    private let clock: any HostClock
    private let queue: DispatchQueue
    private let rang: @Sendable (Timer) -> Void
    private var timers: [Timer: any HostTimer] = [:]
    private var settings: [Timer: (number: UInt64, deadline: Duration)] = [:]
    private var lastSetting: UInt64 = 0

    /// Makes an empty table.
    ///
    /// - Parameters:
    ///   - clock: Runs the timers.
    ///   - queue: The queue of the table's owner.
    ///   - rang: Called on `queue` when a timer has run out.
    package init(
        clock: any HostClock, queue: DispatchQueue, rang: @escaping @Sendable (Timer) -> Void
    ) {
        self.clock = clock
        self.queue = queue
        self.rang = rang
    }

    /// Makes a timer ring after `delay`, and not when it would have before.
    package mutating func schedule(_ id: Timer, after delay: Duration) {
        lastSetting += 1
        settings[id] = (lastSetting, clock.uptime() + delay)
        let rang = rang
        let timer = timers[id] ?? clock.makeTimer(on: queue) { rang(id) }
        timers[id] = timer
        timer.set(after: delay)
    }

    /// Keeps a timer from ringing.
    package mutating func cancel(_ id: Timer) {
        guard settings.removeValue(forKey: id) != nil else { return }
        timers[id]?.stop()
    }

    /// When a timer runs out, by the clock's uptime; `nil` if it is not set.
    package func deadline(of id: Timer) -> Duration? { settings[id]?.deadline }

    /// Keeps every timer from ringing.
    package mutating func cancelAll() {
        for id in settings.keys { timers[id]?.stop() }
        settings = [:]
    }

    /// The ring of a timer that has run out; `nil` if it was cancelled or moved on the way.
    package func ring(of id: Timer) -> Ring? {
        guard let setting = settings[id] else { return nil }
        let rest = setting.deadline - clock.uptime()
        guard rest <= .zero else {
            // An echo of an earlier setting may have used this one up.
            timers[id]?.set(after: rest)
            return nil
        }
        return Ring(timer: id, setting: setting.number)
    }

    /// Takes a ring when its turn has come.
    ///
    /// - Returns: Whether the timer was neither cancelled nor moved since.
    package mutating func accept(_ ring: Ring) -> Bool {
        guard settings[ring.timer]?.number == ring.setting else { return false }
        settings[ring.timer] = nil
        return true
    }
}
