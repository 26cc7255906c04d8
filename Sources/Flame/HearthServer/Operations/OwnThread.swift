import CLinux
import Glibc

/// A thread that does one thing, and may wait for it.
enum OwnThread {
    /// If both want one processor, a thread of this niceness gets a tenth of the time of an
    /// ordinary thread.
    private static let niceness: Int32 = 10

    /// Runs `body` on a new thread, which ends when `body` returns.
    ///
    /// Dispatch's threads are shared, and a thread that has stepped back cannot come forward again.
    ///
    /// - Returns: False, and nothing runs, if the machine allows the daemon no more threads.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        clinux_start_thread(body) == 0
    }

    /// Lets the calling thread do nothing for a while.
    static func wait(_ pause: Duration) {
        guard pause > .zero else { return }
        usleep(UInt32(clamping: Int64(pause / .microseconds(1))))
    }

    /// Lets every other thread of the daemon go before the calling thread, from now on.
    ///
    /// Only for a thread that holds nothing, such as a lock, that other threads wait for.
    static func stepBack() {
        _ = clinux_step_back(niceness)  // If the kernel refuses, nothing is lost but time.
    }
}
