import Testing

@testable import HearthServer

struct TurnMeterTests {
    private static func ms(_ count: Int) -> Duration { .milliseconds(count) }

    /// The turns of a histogram that took no longer than an end, in seconds.
    private func count(_ turns: DurationHistogram, upTo end: Double) -> UInt64? {
        turns.ends.firstIndex(of: end).map { turns.cumulativeCounts[$0] }
    }

    @Test func `short turns are counted together, and have the thread's clock asked once`() {
        var turns = DurationHistogram(ends: DurationHistogram.workEnds)
        var meter = TurnMeter(used: Self.ms(500))
        for _ in 0..<10 {
            meter.ended(after: .microseconds(90), used: Duration.seconds(9), in: &turns)
        }
        #expect(turns.count == 0)
        meter.finish(used: Self.ms(501), in: &turns)
        #expect(count(turns, upTo: 0.000_1) == 10)
        #expect(abs(turns.seconds - 0.001) < 1e-9)
        meter.finish(used: Self.ms(600), in: &turns)
        #expect(turns.count == 10)
    }

    @Test func `a long turn is measured by itself, less the time of the short turns before`() {
        var turns = DurationHistogram(ends: DurationHistogram.workEnds)
        var meter = TurnMeter(used: .zero)
        for _ in 0..<10 { meter.ended(after: .microseconds(100), in: &turns) }
        meter.ended(after: Self.ms(8), used: Self.ms(6), in: &turns)
        #expect(count(turns, upTo: 0.000_1) == 10)
        #expect(count(turns, upTo: 0.003) == 10)
        #expect(count(turns, upTo: 0.01) == 11)
        #expect(abs(turns.seconds - 0.006) < 1e-9)
    }

    @Test func `a turn that waited counts with what it used`() {
        var turns = DurationHistogram(ends: DurationHistogram.workEnds)
        var meter = TurnMeter(used: .zero)
        meter.ended(after: Self.ms(70), used: .microseconds(200), in: &turns)
        #expect(count(turns, upTo: 0.000_3) == 1)
        // More time passed in the short turns than the thread has used since.
        for _ in 0..<10 { meter.ended(after: .microseconds(100), in: &turns) }
        meter.ended(after: Self.ms(1), used: .microseconds(700), in: &turns)
        #expect(turns.count == 12)
        #expect(abs(turns.seconds - 0.000_7) < 1e-9)
    }
}
