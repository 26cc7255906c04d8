import HearthBackend
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthEmulator

/// The backend's time goes on, whatever the clock does.
struct SteadyClockTests {
    private let begin = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)

    private func reading(_ time: Duration, up uptime: Duration) -> ClockReading {
        ClockReading(time: begin.advanced(by: time), uptime: uptime)
    }

    private func time(_ duration: Duration) -> Timestamp { begin.advanced(by: duration) }

    @Test func `the time is the clock's while the clock goes on`() {
        var steady = SteadyClock(after: begin, ahead: .zero)
        #expect(steady.time(at: reading(.seconds(1), up: .seconds(5))) == time(.seconds(1)))
        #expect(steady.time(at: reading(.seconds(2), up: .seconds(6))) == time(.seconds(2)))
        #expect(steady.ahead == .zero)
    }

    @Test func `a step forward is taken at once`() {
        var steady = SteadyClock(after: begin, ahead: .zero)
        _ = steady.time(at: reading(.seconds(1), up: .seconds(5)))
        #expect(
            steady.time(at: reading(.seconds(3_600), up: .seconds(6))) == time(.seconds(3_600)))
        #expect(steady.ahead == .zero)
    }

    @Test func `after a step back the time goes on, until the clock has caught up`() {
        var steady = SteadyClock(after: begin, ahead: .zero)
        _ = steady.time(at: reading(.seconds(10), up: .seconds(5)))
        let first = steady.time(at: reading(.seconds(9), up: .seconds(6)))
        #expect(first == time(.seconds(11) - .seconds(1) / 4_000))
        // A second behind, of which each second makes up a 4,000th.
        let late = steady.time(at: reading(.seconds(4_008), up: .seconds(4_005)))
        #expect(late == time(.seconds(4_009)))
        let caught = steady.time(at: reading(.seconds(8_008), up: .seconds(8_005)))
        #expect(caught == time(.seconds(8_008)))
        #expect(steady.ahead == .zero)
    }

    @Test func `a later run goes on from the bound, and as far ahead as the earlier one`() {
        var atBound = SteadyClock(after: time(.seconds(2)), ahead: .zero)
        #expect(atBound.time(at: reading(.seconds(1), up: .zero)) == time(.seconds(2)))
        #expect(atBound.ahead == .seconds(1))
        var isAway = SteadyClock(after: time(.seconds(2)), ahead: .seconds(1))
        #expect(isAway.time(at: reading(.seconds(8), up: .zero)) == time(.seconds(9)))
    }

    @Test func `a step of the clock counts in the run that has it, and what was told in the next`()
    {
        func stepped(_ time: Duration, by step: Duration, up uptime: Duration) -> ClockReading {
            ClockReading(time: begin.advanced(by: time + step), step: step, uptime: uptime)
        }
        let hour = Duration.seconds(3_600)
        // Forward: the next run has no step, and is as far ahead however long nobody ran.
        var forward = SteadyClock(after: begin, ahead: .zero)
        #expect(forward.time(at: stepped(.zero, by: hour, up: .zero)) == time(hour))
        var next = SteadyClock(after: time(hour), ahead: forward.ahead)
        #expect(next.time(at: reading(.seconds(600), up: .zero)) == time(hour + .seconds(600)))
        // Back: the time has not gone back, so the next run is not ahead.
        var back = SteadyClock(after: begin, ahead: .zero)
        _ = back.time(at: reading(.seconds(1), up: .seconds(1)))
        _ = back.time(at: stepped(.seconds(2), by: .zero - hour, up: .seconds(2)))
        #expect(back.ahead <= .zero)
        var after = SteadyClock(after: time(.seconds(2)), ahead: back.ahead)
        #expect(after.time(at: reading(.seconds(3), up: .zero)) == time(.seconds(3)))
    }

    @Test func `an uptime that goes back moves nothing`() {
        var steady = SteadyClock(after: time(.seconds(60)), ahead: .zero)
        let first = steady.time(at: reading(.zero, up: .seconds(5)))
        #expect(steady.time(at: reading(.zero, up: .seconds(4))) == first)
        #expect(steady.time(at: reading(.zero, up: .seconds(5))) == first)
    }

    /// A daemon reckons from a time that it has heard, less a 2,000th of what has passed since.
    @Test func `crash after crash, no commit comes before the time that a daemon reckons`() throws {
        var noted = NotedTime(bound: .zero, ahead: .zero)
        var (clock, heard) = (Duration.zero, time(.zero))
        for crash in 0..<50 {
            let backend = Backend(identity: 1, run: UInt64(crash), clock: noted.bound)
            var state = HostState(backend, isKept: true, ahead: noted.ahead)
            for step in 0..<40 {
                let passed = Duration.milliseconds(step == 0 ? crash * 17 % 400 : 13)
                clock += passed
                let reckoned = heard.advanced(by: passed - passed / 2_000)
                let turn = state.take(reading(clock, up: clock)) { state, now in
                    _ = try? state.backend.commit([], in: DatabaseID(project: "p"), at: now)
                    return nil
                }
                noted = turn.noted ?? noted
                #expect(state.clock.timestamp >= reckoned.flooredToMicroseconds)
                heard = state.clock.timestamp
            }
        }
    }
}
