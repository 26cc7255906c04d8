import HearthModel
import HearthWire
import Testing

@testable import Hearth
@testable import HearthCLI

struct StatusWatchTests {
    private func text(at seconds: Int64, _ change: (inout StatusReport) -> Void) -> StatusText {
        var report = StatusReport(database: DatabaseID(project: "demo"))
        change(&report)
        return StatusText(
            status: DaemonStatus(report), now: Hearth.Timestamp(seconds: seconds, nanoseconds: 0))
    }

    @Test func `time alone is no change`() {
        var watch = StatusWatch()
        #expect(watch.saw(text(at: 100) { $0.onlineState = .online }) != nil)
        #expect(watch.saw(text(at: 200) { $0.onlineState = .online }) == nil)
        #expect(watch.saw(text(at: 200) { $0.onlineState = .offline }) != nil)
        #expect(
            watch.saw(
                text(at: 200) {
                    $0.onlineState = .offline
                    $0.queueBatchCount = 1
                }) != nil)
    }

    @Test func `a daemon that goes and comes is two changes`() {
        var watch = StatusWatch()
        #expect(watch.saw(nil) != nil)
        #expect(watch.saw(nil) == nil)
        #expect(watch.saw(text(at: 100) { _ in }) != nil)
        #expect(watch.saw(nil) != nil)
    }
}

struct RedrawTests {
    @Test func `on a terminal new lines take the place of the last ones`() {
        var redraw = Redraw(isInPlace: true)
        #expect(redraw.text(of: ["a", "b"], width: 80) == "a\nb\n")
        #expect(redraw.text(of: ["c"], width: 80) == "\u{1B}[2A\u{1B}[Jc\n")
        #expect(redraw.text(of: ["d"], width: 80) == "\u{1B}[1A\u{1B}[Jd\n")
    }

    @Test func `a line that would break is cut, so that the count is right`() {
        var redraw = Redraw(isInPlace: true)
        #expect(redraw.text(of: ["abcdef"], width: 4) == "abcd\n")
    }

    @Test func `in a pipe lines follow one another whole`() {
        var redraw = Redraw(isInPlace: false)
        #expect(redraw.text(of: ["abcdef"], width: 4) == "abcdef\n")
        #expect(redraw.text(of: ["b"], width: 4) == "b\n")
    }
}
