import HearthEngine
import HearthFirestore
import HearthModel
@testable import HearthServer
import Testing

/// How groups and the end are bounded in time, whatever the turns take.
struct HostTimeTests {
    /// A host whose engine takes a time for each change of user.
    private func bench(turn: Duration) -> HostBench {
        HostBench { parts in
            let clock = parts.clock as? ManualClock
            parts.makeEngine = {
                ScriptedEngine { if $0.hasPrefix("changeUser") { clock?.advance(by: turn) } }
            }
        }
    }

    @Test func `a group ends when its time is used up`() async {
        let bench = bench(turn: .milliseconds(15))
        await bench.start()
        let slow = FirestoreEngine.Input.changeUser(UserID("ada"))
        await bench.submitTogether([(1, slow), (1, slow), (1, slow)])
        let group = ["begin", "turn", "commit"]
        #expect(bench.script.log == group + group)
    }

    @Test func `who makes the engine work long keeps others waiting for one turn of his`() async {
        let bench = bench(turn: .milliseconds(500))
        await bench.start()
        let slow = FirestoreEngine.Input.changeUser(UserID("ada"))
        await bench.host.onExecutor { host in
            for session in UInt64(1)...40 {
                _ = host.submit([slow], from: .session(session, of: 1))
            }
            _ = host.submit([write(50, 1)], from: .session(50, of: 2))
            _ = host.submit([write(51, 2)], from: .session(51, of: 2))
        }
        await bench.settle()
        let group = ["begin", "turn", "commit"]
        #expect(Array(bench.script.log.prefix(7)) == group + group + ["act 2"])
        // Both writes are a group without him.
        #expect(bench.script.log.filter { $0 == "begin" }.count == 41)
    }

    @Test func `closing ends in time, and takes what the backend has said of writes`() async throws
    {
        let bench = bench(turn: .seconds(1))
        await bench.start()
        let slow = FirestoreEngine.Input.changeUser(UserID("ada"))
        let before = bench.clock.uptime()
        await bench.host.close(after: { host in
            for session in UInt64(1)...60 {
                _ = host.submit([slow], from: .session(session, of: 1))
            }
            for _ in 1...3 {
                let answer = UpstreamEvent.writeAnswered(
                    StreamNumber(1),
                    WriteAnswer(
                        token: [1],
                        committedAt: SnapshotVersion(Timestamp(seconds: 1, nanoseconds: 0)),
                        results: []))
                _ = host.submit([.upstream(answer)], from: .upstream)
            }
        })
        #expect(bench.clock.uptime() - before < .seconds(5))
        #expect(bench.host.status.figures.committedCount == 3)
        #expect(bench.host.status.phase == .closed)
    }

    @Test func `a timer is set for no longer than a hundred years, and never for the past`() {
        let hundredYears: Int64 = 100 * 365 * 86_400 * 1_000_000_000
        #expect(Duration.seconds(Int64.max).timerNanoseconds == hundredYears)
        #expect(Duration.seconds(300 * 365 * 86_400).timerNanoseconds == hundredYears)
        #expect(Duration.seconds(Int64.min).timerNanoseconds == 0)
        #expect(Duration.milliseconds(1_500).timerNanoseconds == 1_500_000_000)
    }
}
