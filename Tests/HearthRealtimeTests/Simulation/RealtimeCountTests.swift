import HearthTesting
import Testing

/// Increments are applied once with a fence, whatever becomes of the link.
struct RealtimeCountTests {
    @Test(arguments: 1...5)
    func `a thousand increments over a link that is cut fifty times add up to a thousand`(
        seed: UInt64
    ) {
        let ending = RealtimeCountStory.run(seed: seed, increments: 1_000, cuts: 50)
        #expect(ending.total == 1_000 && ending.cutCount == 50)
        #expect(ending.faults.isEmpty)
        // The service applies some of them seconds after the cut.
        #expect(ending.lateCount > 50)
    }
}
