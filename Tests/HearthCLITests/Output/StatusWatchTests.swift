import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import Hearth
@testable import HearthCLI

struct StatusWatchTests {
    private func text(at seconds: Int64, _ change: (inout StatusReport) -> Void) -> StatusText {
        var report = StatusReport(database: .firestore(DatabaseID(project: "demo")))
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
