import CLinux

/// A thread outside Swift's pool, which may block.
enum WorkerThread {
    /// Runs `body` on a new thread, which ends when `body` returns.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let result = clinux_start_thread(body)
        precondition(result == 0, "No thread can be started: error \(result)")
    }
}
