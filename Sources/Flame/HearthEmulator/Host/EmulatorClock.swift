import Glibc
import HearthModel
import Synchronization

/// The emulator's time: the system's time, moved by the step that a test asked for.
final class EmulatorClock: Sendable {
    private let offset = Atomic<Int64>(0)

    /// The time in UTC.
    var now: Timestamp {
        let offset = offset.load(ordering: .relaxed)
        let time = Self.systemTime
        return offset == 0 ? time : time.advanced(by: .microseconds(offset))
    }

    /// The time in UTC, and how long the machine has been up.
    var reading: ClockReading { ClockReading(time: now, step: step, uptime: Self.uptime) }

    /// How far the clock is moved.
    var step: Duration { .microseconds(offset.load(ordering: .relaxed)) }

    /// Moves the clock; zero takes it back to the system's.
    func move(to step: Duration) {
        let parts = step.components
        let microseconds = parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000
        offset.store(microseconds, ordering: .relaxed)
    }

    private static var systemTime: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
    }

    /// How long the machine has been up, asleep or not.
    private static var uptime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
