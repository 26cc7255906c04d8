import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import Hearth
@testable import HearthCLI

struct StatusListTests {
    private func list(
        _ firestore: (inout StatusReport) -> Void, _ realtime: (inout StatusReport) -> Void
    ) throws -> StatusList {
        var reports = [
            StatusReport(database: .firestore(DatabaseID(project: "demo"))),
            StatusReport(database: .realtime(try #require(InstanceID(project: "demo")))),
        ]
        firestore(&reports[0])
        realtime(&reports[1])
        return StatusList(
            reports.map(DaemonStatus.init), now: Hearth.Timestamp(seconds: 100, nanoseconds: 0))
    }

    @Test func `writes that wait in an instance keep the whole from being idle`() throws {
        let list = try list({ _ in }, { $0.queueBatchCount = 2 })
        #expect(list.state == .connecting)
        #expect(list.exitStatus == .tryAgain)
        #expect(list.lines[0] == "state     connecting")
        #expect(list.lines.contains("queue     2 batches"))
    }

    @Test func `the database that is worst off stands for the whole`() throws {
        let online: (inout StatusReport) -> Void = { $0.onlineState = .online }
        #expect(try list({ _ in }, online).state == .live)
        #expect(try list(online, { $0.onlineState = .offline }).state == .offline)
        #expect(try list({ $0.degradedReasons = ["Full."] }, online).exitStatus == .failed)
    }

    @Test func `what concerns the daemon is told once, and each database has its table`() throws {
        let list = try list(
            {
                $0.degradedReasons = ["The disk is full."]
                $0.daemonVersion = "1.0"
            },
            { $0.degradedReasons = ["The disk is full.", "The cache fails."] })
        let lines = list.lines
        #expect(
            lines.prefix(6) == [
                "state     degraded", "          The disk is full.",
                "daemon    hearthd 1.0, up 0 s", "", "database  demo/(default)",
                "state     degraded",
            ])
        #expect(lines.count { $0.hasSuffix("The disk is full.") } == 1)
        #expect(lines.contains("          The cache fails."))
        #expect(lines.contains("instance  https://demo-default-rtdb.firebaseio.com"))
    }

    @Test func `one database alone has the table that it always had`() throws {
        let both = try list({ _ in }, { _ in })
        let one = StatusList(
            [both.texts[0].status], now: Hearth.Timestamp(seconds: 100, nanoseconds: 0))
        #expect(one.lines == both.texts[0].lines)
    }
}
