import Testing

@testable import HearthCLI

struct PaceTests {
    @Test func `the present counts, not the start`() throws {
        var pace = Pace()
        #expect(pace.rate == nil)
        pace.note(0, after: .zero)
        #expect(pace.rate == nil)
        pace.note(1_000, after: .seconds(1))
        #expect(pace.rate == 1_000)
        for second in 2...20 { pace.note(1_000, after: .seconds(second)) }
        #expect(pace.rate == 0)
        for second in 21...40 { pace.note(1_000 + 10 * (second - 20), after: .seconds(second)) }
        #expect(pace.rate == 10)
    }
}
