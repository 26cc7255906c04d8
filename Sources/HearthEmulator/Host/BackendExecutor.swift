import Dispatch

/// Runs the host's jobs one after the other on a thread that may wait for the disk.
final class BackendExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "hearth.emulator.backend")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }
}
