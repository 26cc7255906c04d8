import NIOCore

/// Runs tasks on an event loop.
///
/// A task that waits for what the loop brings goes on without waking another thread. The task must
/// be short between two waits, since it holds up all that the loop serves.
package final class LoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    /// Runs tasks on a loop that outlives them.
    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
