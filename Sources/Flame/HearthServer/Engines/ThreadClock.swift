import Glibc

/// Tells what the calling thread has used.
enum ThreadClock {
    /// The processor time of the calling thread since its start. A system call.
    static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
