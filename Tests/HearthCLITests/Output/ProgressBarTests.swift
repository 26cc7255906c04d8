import Testing

@testable import HearthCLI

struct ProgressBarTests {
    @Test func `a bar fills, counts and tells the pace`() {
        let bar = ProgressBar(label: "importing", total: 5_000, width: 60)
        #expect(
            bar.line(done: 2_500, rate: 1_250)
                == "importing [########........] 2500/5000 50% 1250/s, 2 s left")
        #expect(bar.line(done: 0, rate: nil).hasSuffix("] 0/5000 0%"))
        #expect(!bar.line(done: 5_000, rate: 5_000).contains("."))
        #expect(bar.line(done: 10, rate: 0).hasSuffix("0/s, it stands"))
        #expect(bar.line(done: 10, rate: 0.25).hasSuffix("0.3/s, 5 h left"))
    }

    @Test(arguments: 0...100)
    func `a line never grows over its width`(width: Int) {
        let bar = ProgressBar(label: "importing", total: 5_127, width: width)
        #expect(bar.line(done: 127, rate: 1_709).count <= max(width, 1))
    }

    @Test func `nothing to do is done`() {
        #expect(
            ProgressBar(label: "x", total: 0, width: 80).line(done: 0, rate: nil)
                .contains("100%"))
    }
}
