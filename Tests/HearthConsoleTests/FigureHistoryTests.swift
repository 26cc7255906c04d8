import HearthConsole
import HearthModel
import Testing

/// The figures of the last hour.
struct FigureHistoryTests {
    private func text(
        accepted: Int, committed: Int, commits: Int, seconds: Double, fast: Int, slow: Int
    ) -> String {
        """
        # HELP hearth_queue_batches Batches.
        # TYPE hearth_queue_batches gauge
        hearth_queue_batches{database="demo/(default)"} 3
        hearth_queue_batches{database="demo/two"} 4
        hearth_writes_accepted_total{database="a \\"b\\""} \(accepted)
        hearth_writes_committed_total \(committed)
        hearth_upstream_commit_seconds_sum{database="demo"} \(seconds)
        hearth_upstream_commit_seconds_count{database="demo"} \(commits)
        hearth_store_commit_seconds_bucket{database="demo",le="0.001"} \(fast)
        hearth_store_commit_seconds_bucket{database="demo",le="0.5"} \(fast + slow)
        hearth_store_commit_seconds_bucket{database="demo",le="+Inf"} \(fast + slow)
        hearth_unheard_of{database="demo"} 7
        not a line
        """
    }

    @Test func `the counters of all databases are added up`() {
        let reading = MetricReading(
            text(accepted: 10, committed: 5, commits: 4, seconds: 2, fast: 3, slow: 1))
        #expect(reading.queue == 7)
        #expect(reading.accepted == 10)
        #expect(reading.commit.count == 4 && reading.commit.seconds == 2)
        #expect(reading.storeCommit.buckets == [0.001: 3, 0.5: 4, .infinity: 4])
    }

    @Test func `a queue that the daemon cannot count is unknown, whatever the other queues have`() {
        let unknown = MetricReading(
            """
            hearth_queue_batches{database="demo/(default)"} 3
            hearth_queue_batches{database="demo/two"} NaN
            hearth_queue_batches{database="demo/three"} 4
            """)
        #expect(unknown.queue == nil)
        var history = FigureHistory()
        let sample = history.take(unknown, at: Timestamp(seconds: 1, nanoseconds: 0))
        #expect(sample.queue == nil)
    }

    @Test func `a sample tells what happened since the last, by the time that went by`() {
        var history = FigureHistory()
        let start = Timestamp(seconds: 100, nanoseconds: 0)
        let first = history.take(
            MetricReading(
                text(accepted: 10, committed: 5, commits: 4, seconds: 2, fast: 3, slow: 0)),
            at: start)
        #expect(first.queue == 7 && first.acceptedPerSecond == nil)
        let second = history.take(
            MetricReading(
                text(accepted: 30, committed: 9, commits: 6, seconds: 3, fast: 9, slow: 1)),
            at: Timestamp(seconds: 102, nanoseconds: 0))
        #expect(second.acceptedPerSecond == 10)
        #expect(second.committedPerSecond == 2)
        #expect(second.commitSeconds == 0.5)
        #expect(second.longestTurnSeconds == 0.5)
        let third = history.take(
            MetricReading(
                text(accepted: 30, committed: 9, commits: 6, seconds: 3, fast: 10, slow: 1)),
            at: Timestamp(seconds: 103, nanoseconds: 0))
        #expect(third.acceptedPerSecond == 0 && third.commitSeconds == nil)
        #expect(third.longestTurnSeconds == 0.001)
        #expect(history.samples.count == 3)
    }

    @Test func `a daemon that was started anew has nothing to be compared with`() {
        var history = FigureHistory()
        for (second, accepted) in [(1, 50), (2, 3), (3, 4)] {
            let sample = history.take(
                MetricReading(
                    text(accepted: accepted, committed: 0, commits: 0, seconds: 0, fast: 0, slow: 0)
                ),
                at: Timestamp(seconds: Int64(second), nanoseconds: 0))
            #expect(sample.acceptedPerSecond == (second == 3 ? 1 : nil))
        }
    }

    @Test func `the daemon's steps stand where no page showed anything`() {
        var shown = FigureHistory()
        for second in 100...105 {
            _ = shown.take(MetricReading(), at: Timestamp(seconds: Int64(second), nanoseconds: 0))
        }
        var kept = FigureHistory()
        let steps = [80, 90, 100, 110, 120].map { second in
            let time = Timestamp(seconds: Int64(second), nanoseconds: 0)
            return (kept.take(MetricReading(), at: time), Duration.seconds(10))
        }
        for _ in 0..<2 {  // A second page asks again.
            shown.fill(with: steps.map { (sample: $0.0, duration: $0.1) })
            #expect(
                shown.samples.map(\.at.seconds) == [80, 90, 100, 101, 102, 103, 104, 105, 120])
        }
        _ = shown.take(MetricReading(), at: Timestamp(seconds: 121, nanoseconds: 0))
        #expect(shown.samples.last?.at.seconds == 121)
    }

    @Test func `no more than an hour is kept`() {
        var history = FigureHistory()
        for second in 0..<4_000 {
            _ = history.take(MetricReading(), at: Timestamp(seconds: Int64(second), nanoseconds: 0))
        }
        #expect(history.samples.count == 3_600)
        #expect(history.samples.first?.at.seconds == 400)
    }
}
