/// How a command ends, for scripts and monitoring.
enum CommandStatus: Int32, CaseIterable {
    case success = 0
    /// The command failed, or the daemon is degraded.
    case failed = 1
    /// No daemon answers.
    case notRunning = 3
    /// The user may not.
    case noAccess = 4
    /// Offline or busy: the same command may succeed later.
    case tryAgain = 10
    /// The command line is wrong.
    case usage = 64
    /// A time limit has passed.
    case timedOut = 124
}
