package import Dispatch
import Glibc
package import HearthModel

/// Where a host has its time from. The engine never asks; it is told.
package protocol HostClock: Sendable {
    /// The time in UTC.
    func now() -> Timestamp

    /// A time that only runs forward, from any beginning.
    func uptime() -> Duration

    /// How long the machine has been up, asleep or not.
    func timeSinceBoot() -> Duration

    /// Makes a timer that calls `fired` on `queue`, each time after it was set.
    func makeTimer(on queue: DispatchQueue, _ fired: @escaping @Sendable () -> Void)
        -> any HostTimer
}

extension HostClock {
    /// A clock whose machine never sleeps.
    package func timeSinceBoot() -> Duration { uptime() }
}

/// A timer that can be set again and again.
package protocol HostTimer: AnyObject, Sendable {
    /// Makes the timer fire once after `delay`, and not when it would have before.
    func set(after delay: Duration)
    /// Makes the timer fire no more until it is set.
    func stop()
}

/// The machine's own time.
package struct SystemClock: HostClock {
    /// Makes the clock.
    package init() {}

    package func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
    }

    package func uptime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    package func timeSinceBoot() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    package func makeTimer(on queue: DispatchQueue, _ fired: @escaping @Sendable () -> Void)
        -> any HostTimer
    {
        DispatchTimer(queue, fired)
    }
}

/// A timer of the dispatch library, armed at most once at a time.
private final class DispatchTimer: HostTimer, @unchecked Sendable {  // Dispatch sources are safe.
    private let source: any DispatchSourceTimer

    init(_ queue: DispatchQueue, _ fired: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler(handler: fired)
        source.schedule(deadline: .distantFuture)
        source.activate()
    }

    deinit { source.cancel() }

    func set(after delay: Duration) {
        source.schedule(
            deadline: .now() + .nanoseconds(Int(delay.timerNanoseconds)), leeway: .milliseconds(1))
    }

    func stop() { source.schedule(deadline: .distantFuture) }
}

extension Duration {
    /// The longest time for which a timer is set: a hundred years.
    private static let timerSecondsMax: Int64 = 100 * 365 * 86_400

    /// The nanoseconds for which a timer waits. A program may name any moment, even a moment that
    /// no count of nanoseconds reaches.
    var timerNanoseconds: Int64 {
        let parts = components
        guard parts.seconds < Self.timerSecondsMax else {
            return Self.timerSecondsMax * 1_000_000_000
        }
        guard self > .zero else { return 0 }
        return parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
    }
}
