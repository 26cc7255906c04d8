import HearthTestSupport
import Testing

@testable import Hearth

struct ReconnectPauseTests {
    @Test func `the first attempt comes at once, then the pauses double up to the longest`() {
        var random = SeededGenerator(seed: 1)
        var pause = ReconnectPause(initial: .milliseconds(100), longest: .seconds(1))
        #expect(pause.next(using: &random) == .zero)
        for base in [100, 200, 400, 800, 1_000, 1_000] {
            let next = pause.next(using: &random)
            #expect(next >= .milliseconds(base / 2) && next <= .milliseconds(base * 3 / 2))
        }
        pause.reset()
        #expect(pause.next(using: &random) == .zero)
    }
}
