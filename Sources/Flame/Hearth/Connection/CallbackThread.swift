import Dispatch
import Synchronization

/// Calls closures one after another, on a thread of its own or on a queue that the program has
/// named.
///
/// The thread starts with the first closure.
final class CallbackThread: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var isRunning = false
        var isClosed = false
        var queue: DispatchQueue?
    }

    private let state = Mutex(State())
    private let wake = WakePipe()

    /// A thread that has not started.
    init() {}

    /// Uses the program's queue from now on; with `nil`, the own thread.
    func use(_ queue: DispatchQueue?) {
        state.withLock { $0.queue = queue }
    }

    /// Calls `job` after all earlier ones.
    func enqueue(_ job: @escaping @Sendable () -> Void) {
        let mustStart: Bool? = state.withLock { state in
            if let queue = state.queue {
                queue.async(execute: job)
                return nil
            }
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard let mustStart else { return }
        if mustStart {
            WorkerThread.start { self.run() }
        } else {
            wake.signal()
        }
    }

    /// Ends the thread when all closures have been called.
    func close() {
        state.withLock { $0.isClosed = true }
        wake.signal()
    }

    private func run() {
        while true {
            let (jobs, isClosed) = state.withLock { state in
                defer { state.jobs = [] }
                if state.jobs.isEmpty, state.isClosed { state.isRunning = false }
                return (state.jobs, state.isClosed)
            }
            for job in jobs { job() }
            if !jobs.isEmpty { continue }
            if isClosed { return }
            wake.wait()
        }
    }
}
