import HearthModel
import HearthTestSupport
import Testing

struct PushIDTests {
    /// Answers with the same bits always.
    private struct Constant: RandomNumberGenerator {
        let bits: UInt64
        func next() -> UInt64 { bits }
    }

    @Test func `eight characters tell the time`() {
        var generator = PushIDGenerator()
        var least = Constant(bits: 0)
        #expect(generator.next(at: 0, using: &least).text == "--------------------")
        #expect(generator.next(at: 63, using: &least).text == "-------z------------")
        #expect(generator.next(at: 64, using: &least).text == "------0-------------")
        #expect(generator.next(at: (1 << 48) - 1, using: &least).text.hasPrefix("zzzzzzzz"))
    }

    @Test func `within a millisecond they are counted up`() {
        var generator = PushIDGenerator()
        var greatest = Constant(bits: .max)
        #expect(generator.next(at: 1, using: &greatest).text == "-------0zzzzzzzzzzzz")
        #expect(generator.next(at: 1, using: &greatest).text == "-------0------------")
        #expect(generator.next(at: 1, using: &greatest).text == "-------0-----------0")
        #expect(generator.next(at: 2, using: &greatest).text == "-------1zzzzzzzzzzzz")
    }

    @Test func `keys made one after another sort so, and none comes twice`() {
        var generator = PushIDGenerator()
        var random = SeededGenerator(seed: 1)
        let keys = (0..<5_000).map {
            generator.next(at: 1_763_840_000_000 + Int64($0 / 100), using: &random)
        }
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
        #expect(keys.allSatisfy { ChildKey($0.text) != nil && $0.text.utf8.count == 20 })
    }
}
