import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import HearthServer

/// What the daemon keeps of the last hour.
struct HourLogTests {
    private let start = ContinuousClock.now
    private let keys = ["a", "b"].map {
        EngineKey.firestore(DatabaseID(project: "demo", database: $0))
    }
    private var log = HourLog()

    private func figures(
        accepted: UInt64, snapshots: UInt64 = 0, groups: [Duration] = []
    ) -> EngineFigures {
        var figures = EngineFigures()
        figures.acceptedCount = accepted
        figures.snapshotCount = snapshots
        for group in groups { figures.storeCommits.count(group) }
        return figures
    }

    private mutating func note(
        _ figures: [EngineKey: EngineFigures], queued count: Int? = 0, after seconds: Int64
    ) {
        log.note(
            figures, queueBatchCount: count, at: Timestamp(seconds: seconds, nanoseconds: 0),
            start + .seconds(seconds))
    }

    @Test mutating func `a step has what all engines have done since the step before`() throws {
        note([keys[0]: figures(accepted: 5, groups: [.seconds(3)])], after: 0)
        #expect(log.steps.isEmpty, "The first look begins the first step")
        note(
            [
                keys[0]: figures(
                    accepted: 8, snapshots: 2, groups: [.seconds(3), .milliseconds(2)]),
                keys[1]: figures(accepted: 4),
            ], queued: 6, after: 12)
        var expected = HourStep(endedAt: Timestamp(seconds: 12, nanoseconds: 0), seconds: 12)
        expected.queueBatchCount = 6
        expected.acceptedCount = 7
        expected.snapshotCount = 2
        expected.storeCommits.count = 1
        expected.longestSeconds = 0.002_5
        var step = try #require(log.steps.first)
        #expect(abs(step.storeCommits.seconds - 0.002) < 1e-9)
        step.storeCommits.seconds = 0
        #expect(step == expected)
    }

    @Test mutating func `a step whose queue nobody could count has no number`() {
        note([:], after: 0)
        note([:], queued: nil, after: 10)
        note([:], queued: 2, after: 20)
        #expect(log.steps.map(\.queueBatchCount) == [nil, 2])
    }

    @Test mutating func `an engine that is closed and opened again counts from nothing`() {
        note([keys[0]: figures(accepted: 50), keys[1]: figures(accepted: 1)], after: 0)
        note([keys[1]: figures(accepted: 2)], after: 10)
        note([keys[0]: figures(accepted: 3), keys[1]: figures(accepted: 2)], after: 20)
        note([keys[0]: figures(accepted: 1), keys[1]: figures(accepted: 2)], after: 30)
        #expect(log.steps.map(\.acceptedCount) == [1, 3, 1])
    }

    @Test mutating func `what took longer than a histogram tells is told as its last end`() {
        note([keys[0]: figures(accepted: 0)], after: 0)
        note([keys[0]: figures(accepted: 0, groups: [.seconds(300)])], after: 10)
        #expect(log.steps.map(\.longestSeconds) == [30])
    }

    @Test mutating func `an hour of steps is kept, and none is shorter than ten seconds`() {
        #expect(log.isDue(at: start))
        for number in 0...400 { note([:], after: Int64(number) * 10) }
        #expect(log.steps.count == HourLog.stepCountMax)
        #expect(log.steps.last?.endedAt.seconds == 4_000)
        #expect(!log.isDue(at: start + .seconds(4_009)))
        #expect(log.isDue(at: start + .seconds(4_010)))
    }
}
