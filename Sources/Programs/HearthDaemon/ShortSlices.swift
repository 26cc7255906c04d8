import CLinux

/// How long the kernel runs one thread of the daemon before another process may have the processor.
enum ShortSlices {
    /// The shortest slice that the kernel grants, in nanoseconds. A turn of a loop seldom takes longer.
    private static let length: UInt64 = 100_000

    /// Asks for short slices on behalf of every thread that this thread makes from now on.
    ///
    /// A thread of the daemon wakes often and works shortly. With a short slice the kernel lets the thread
    /// run sooner while users' processes keep all processors busy: a request that crosses four threads
    /// waits four times. The daemon's part of the processors stays the same. A kernel that knows no
    /// slices, or a unit that forbids the call, leaves the daemon as every other process.
    static func ask() {
        _ = clinux_ask_for_short_slices(length)
    }
}
