import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

struct BackoffTests {
    private let start = Timestamp(seconds: 1_000, nanoseconds: 0)

    @Test func `waits grow by half from a second to a minute`() {
        var backoff = Backoff()
        var chance = EvenChance()
        let waits = (0..<13).map { _ in backoff.next(at: start, using: &chance) }
        #expect(waits[0] == .zero)
        #expect(waits[1] == .seconds(1))
        #expect(waits[2] == .seconds(1.5))
        #expect(waits[3] == .seconds(2.25))
        #expect(waits[12] == .seconds(60))
    }

    @Test func `time already spent counts`() {
        var backoff = Backoff()
        var chance = EvenChance()
        _ = backoff.next(at: start, using: &chance)
        backoff.attempted(at: start)
        let later = start.advanced(by: .milliseconds(400))
        #expect(backoff.next(at: later, using: &chance) == .milliseconds(600))
    }
}
