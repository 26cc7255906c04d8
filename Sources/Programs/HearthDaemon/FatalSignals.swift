import Glibc

/// The signals of a process in its fatal failure: a trap of the program's own, or another signal.
enum FatalSignals {
    private static let all = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    /// Lets these signals end the process at once.
    ///
    /// The sockets are then free, and systemd restarts the daemon.
    ///
    /// Swift's runtime would first read its own symbols and write a backtrace, which takes half a
    /// minute with a binary of this size. Meanwhile clients would wait for a dead process. If
    /// `SWIFT_BACKTRACE` is set, this function leaves the signals to the runtime, which then does
    /// what the variable says.
    static func endAtOnce() {
        guard getenv("SWIFT_BACKTRACE") == nil else { return }
        for number in all { signal(number, SIG_DFL) }
    }
}
