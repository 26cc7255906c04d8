import CLinux
import Glibc

/// Tells what the calling thread has used.
enum ThreadClock {
    /// The processor time of the calling thread since its start. A system call.
    static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The processor time that the calling thread had used at a moment not long before `now`.
    ///
    /// - Parameters:
    ///   - now: The present in nanoseconds by a clock that only runs forward, the same in each call.
    ///   - ageMax: How long before `now` the moment may lie. The longer, the fewer system calls.
    static func recentProcessorTime(at now: UInt64, ageMax: Duration) -> Duration {
        .nanoseconds(
            clinux_recent_processor_time(
                Int64(clamping: now), ageMax.components.attoseconds / 1_000_000_000))
    }
}
