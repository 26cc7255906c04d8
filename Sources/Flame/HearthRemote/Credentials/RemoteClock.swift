import Glibc
package import HearthModel

/// Where credentials have their time from.
package protocol RemoteClock: Sendable {
    /// The time in UTC.
    func now() -> Timestamp

    /// Returns after `duration`, or throws at once if the task is cancelled.
    func pause(for duration: Duration) async throws
}

/// The machine's own time.
package struct SystemRemoteClock: RemoteClock {
    /// Makes the clock.
    package init() {}

    package func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
    }

    package func pause(for duration: Duration) async throws {
        try await Task.sleep(for: duration)
    }
}
