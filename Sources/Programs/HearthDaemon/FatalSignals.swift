import Glibc

/// What ends a process that cannot go on: a trap of the program's own, or a signal.
enum FatalSignals {
    private static let all = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    /// Lets the process end at once with them, so that its sockets are free and systemd starts it anew.
    ///
    /// Swift's runtime would first read its own symbols and write a backtrace, for half a minute with a
    /// binary of this size; so long would clients wait for a process that is dead. Whoever wants the
    /// backtrace sets `SWIFT_BACKTRACE` and gets what it says.
    static func endAtOnce() {
        guard getenv("SWIFT_BACKTRACE") == nil else { return }
        for number in all { signal(number, SIG_DFL) }
    }
}
