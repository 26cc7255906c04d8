import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import Testing

/// What happens when the machine's clock is set: nothing waits longer, and nothing comes early.
struct ClockJumpTests {
    private static let day = Duration.seconds(86_400)

    @Test(arguments: [day, .zero - day])
    func `a jump of the clock moves no timer`(jump: Duration) async {
        let bench = HostBench()
        await bench.start()
        await bench.submitTogether([(1, .changeUser(UserID("ada")))])  // Sets a timer of a minute.
        bench.clock.jump(by: jump)
        bench.clock.advance(by: .seconds(59))
        await bench.settle()
        #expect(bench.outlet.notes == [])
        bench.clock.advance(by: .seconds(1))
        await bench.settle()
        #expect(bench.outlet.notes == ["fired watchIdle"])
    }

    @Test(arguments: [day, .zero - day])
    func `a store that failed is tried again as soon as ever`(jump: Duration) async {
        let bench = HostBench(openFailures: [.locked("a")])
        await bench.start()
        bench.clock.jump(by: jump)
        bench.clock.advance(by: .seconds(1))
        await bench.settle()
        #expect(bench.host.status.phase == .open)
    }

    @Test(arguments: [day, .zero - day])
    func `a connection that failed is tried again within its longest wait`(jump: Duration) {
        var backoff = Backoff()
        var random = SystemRandomNumberGenerator()
        var now = Timestamp(seconds: 1_000_000, nanoseconds: 0)
        for _ in 1...20 {
            _ = backoff.next(at: now, using: &random)
            backoff.attempted(at: now)
        }
        now = now.advanced(by: jump)
        #expect(backoff.next(at: now, using: &random) <= .seconds(90))
    }
}
