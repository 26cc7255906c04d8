import HearthFirestore
import HearthModel
import HearthTesting
import Testing

struct ClockTests {
    @Test func `a manual clock moves only when told, and never back`() {
        var clock = ManualClock(now: Timestamp(seconds: 10, nanoseconds: 0))
        clock.advance(by: .milliseconds(1_500))
        #expect(clock.now == Timestamp(seconds: 11, nanoseconds: 500_000_000))
        clock.advance(to: Timestamp(seconds: 3, nanoseconds: 0))
        #expect(clock.now == Timestamp(seconds: 11, nanoseconds: 500_000_000))
    }

    @Test func `timers run out in the order due, then in the order scheduled`() {
        func at(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds, nanoseconds: 0) }
        var timers = TimerTable()
        timers.schedule(.onlineState, at: at(10))
        timers.schedule(.watchHealth, at: at(10))
        timers.schedule(.watchIdle, at: at(1))
        #expect(timers.pending == [.watchIdle, .onlineState, .watchHealth])
        timers.schedule(.watchIdle, at: at(20))
        timers.cancel(.onlineState)
        #expect(timers.pending == [.watchHealth, .watchIdle])
        #expect(!timers.contains(.onlineState))
    }
}
