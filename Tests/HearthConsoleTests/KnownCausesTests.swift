import HearthModel
import Testing

@testable import HearthConsole

/// The causes of dead letters are counted anew only when they may have changed.
struct KnownCausesTests {
    @Test func `causes count until the number of letters changes or some time is over`() {
        let now = ContinuousClock.now
        let late = now + ConsoleLimits.causesTimeMax
        var known = KnownCauses()
        #expect(known.json(of: "demo", total: 2, at: now) == nil)
        known.note(.boolean(true), of: "demo", total: 2, at: now)
        #expect(known.json(of: "demo", total: 2, at: now) == .boolean(true))
        #expect(known.json(of: "other", total: 2, at: now) == nil)
        #expect(known.json(of: "demo", total: 3, at: now) == nil)
        #expect(known.json(of: "demo", total: 2, at: late) == nil)
        known.note(.boolean(false), of: "other", total: 1, at: late)
        #expect(known.json(of: "demo", total: 2, at: now) == nil)
    }
}
