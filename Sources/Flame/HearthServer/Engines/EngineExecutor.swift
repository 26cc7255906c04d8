package import Dispatch

/// Runs the turns of one database in sequence, on a thread that may block on the disk.
///
/// Turns never run on the cooperative pool, because a turn waits for `fsync`.
package final class EngineExecutor: SerialExecutor {
    /// The queue beneath. Timers of the engine fire on it.
    package let queue: DispatchQueue

    /// Makes an executor of its own thread, called `label` in debuggers.
    package init(label: String) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Lets `assumeIsolated` prove that it runs here.
    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
