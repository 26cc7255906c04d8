import Synchronization

/// What happened in the last hour, noted by whoever looks at the daemon.
extension StatusReporter {
    /// The shortest step of the last hour. Whoever looks for the hour's sake alone looks so often.
    package static var hourStep: Duration { HourLog.stepMin }

    /// Notes the figures of this moment if a step of the last hour is over. Blocks on the disk.
    package func noteHour() {
        let now = ContinuousClock.now
        guard hour.withLock({ $0.isDue(at: now) }) else { return }
        let open = engines.all.filter { !$0.value.isBeforeOpening }
        let figures = open.mapValues { $0.lifecycle.status.figures }
        // A store that cannot be read has no number that anybody knows, and then the sum is unknown too.
        let queueBatchCount = try? open.values.reduce(0) { sum, engine in
            try sum + engine.reader.figures().queueBatchCount
        }
        let time = SystemClock().now()
        hour.withLock { $0.note(figures, queueBatchCount: queueBatchCount, at: time, now) }
    }
}
