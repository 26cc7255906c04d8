import Glibc

/// How long this thread was on a processor while `body` ran.
///
/// Other processes and threads do not lengthen the span, so a test may compare two spans on a busy
/// machine. Compare spans only with each other: a machine may be slow.
package func threadTime(_ body: () throws -> Void) rethrows -> Duration {
    let start = threadTimeSpent()
    try body()
    return threadTimeSpent() - start
}

private func threadTimeSpent() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
