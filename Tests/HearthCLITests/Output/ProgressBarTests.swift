import Testing

@testable import HearthCLI

struct ProgressBarTests {
    @Test func `a bar fills, counts and tells the pace`() {
        let bar = ProgressBar(label: "importing", total: 5_000, width: 60)
        #expect(
            bar.line(done: 2_500, elapsed: .seconds(2))
                == "importing [#############.............] 2500/5000 50% 1250/s")
        #expect(bar.line(done: 0, elapsed: .zero).hasSuffix("] 0/5000 0%"))
        #expect(!bar.line(done: 5_000, elapsed: .seconds(1)).contains("."))
    }

    @Test(arguments: 0...100)
    func `a line never grows over its width where there is room for the numbers`(width: Int) {
        let bar = ProgressBar(label: "importing", total: 5_127, width: width)
        let line = bar.line(done: 5_127, elapsed: .seconds(3))
        #expect(line.count <= max(width, "importing 5127/5127 100% 1709/s".count))
    }

    @Test func `nothing to do is done`() {
        #expect(
            ProgressBar(label: "x", total: 0, width: 80).line(done: 0, elapsed: .zero)
                .contains("100%"))
    }
}
