import HearthEngine
import Testing

struct SeededRandomTests {
    @Test func `seeded chance repeats itself`() {
        var first = SeededRandom(seed: 7)
        var second = SeededRandom(seed: 7)
        var other = SeededRandom(seed: 8)
        let numbers = (0..<4).map { _ in first.next() }
        #expect(numbers == (0..<4).map { _ in second.next() })
        #expect(numbers != (0..<4).map { _ in other.next() })
    }
}
