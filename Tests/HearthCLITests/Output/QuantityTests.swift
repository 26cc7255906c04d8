import Testing

@testable import HearthCLI

struct QuantityTests {
    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (1_234_567, "1.2 MB"), (45_600_000, "46 MB"),
    ])
    func `bytes have a unit`(count: Int, text: String) {
        #expect(Quantity.bytes(count) == text)
    }

    @Test(arguments: [
        (0, "0 s"), (119, "119 s"), (120, "2 min"), (7_200, "2 h"), (172_800, "2 days"),
    ])
    func `a span has a unit`(seconds: Int, text: String) {
        #expect(Quantity.duration(.seconds(seconds)) == text)
    }

    @Test(arguments: [
        (0, "0 cats"), (1, "1 cat"), (1_000, "1,000 cats"), (1_234_567, "1,234,567 cats"),
    ])
    func `a number has its noun`(count: Int, text: String) {
        #expect(Quantity.count(count, "cat", "cats") == text)
    }
}
