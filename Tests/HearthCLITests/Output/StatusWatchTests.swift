import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import Hearth
@testable import HearthCLI

struct StatusWatchTests {
    private func status(
        _ key: EngineKey = .firestore(DatabaseID(project: "demo")),
        _ change: (inout StatusReport) -> Void = { _ in }
    ) -> DaemonStatus {
        var report = StatusReport(database: key)
        change(&report)
        return DaemonStatus(report)
    }

    private func list(at seconds: Int64 = 100, _ statuses: DaemonStatus...) -> StatusList {
        StatusList(statuses, now: Hearth.Timestamp(seconds: seconds, nanoseconds: 0))
    }

    @Test func `time alone is no change`() {
        var watch = StatusWatch()
        let online = status { $0.onlineState = .online }
        #expect(watch.saw(list(online)).count == 1)
        #expect(watch.saw(list(at: 200, online)).isEmpty)
        #expect(watch.saw(list(status { $0.onlineState = .offline })).count == 1)
        let waiting = status {
            $0.onlineState = .offline
            $0.queueBatchCount = 1
        }
        #expect(watch.saw(list(waiting)).count == 1)
    }

    @Test func `a daemon that goes and comes is two changes`() {
        var watch = StatusWatch()
        #expect(watch.saw(nil).count == 1)
        #expect(watch.saw(nil).isEmpty)
        #expect(watch.saw(list(status())).count == 1)
        #expect(watch.saw(nil).count == 1)
    }

    @Test func `a daemon that does not answer is told once, and is not one that does not run`() {
        var watch = StatusWatch()
        for before in [nil, list(status())] {
            _ = watch.saw(before)
            let changes = watch.saw(nil, isThere: true)
            guard changes.count == 1, case .silent = changes[0] else {
                Issue.record("\(changes)")
                return
            }
            #expect(watch.saw(nil, isThere: true).isEmpty)
        }
        let changes = watch.saw(nil)
        guard changes.count == 1, case .gone = changes[0] else {
            Issue.record("\(changes)")
            return
        }
    }

    @Test func `a look without an answer tells silence and absence apart`() {
        let newest = NewestStatus()
        #expect(!newest.look.isSilent)
        newest.tellAbsence(isThere: true)
        #expect(newest.look.isSilent)
        #expect(newest.look.list == nil)
        newest.tellEnd()
        #expect(!newest.look.isSilent)
        newest.tell([status()])
        newest.tellEnd()
        #expect(newest.look.list?.texts.count == 1)
    }

    @Test func `a daemon that opens its databases is told once, and is not one that does not run`()
    {
        var watch = StatusWatch()
        for before in [nil, list(status())] {
            _ = watch.saw(before)
            let changes = watch.saw(list())
            guard changes.count == 1, case .starting = changes[0] else {
                Issue.record("\(changes)")
                return
            }
            #expect(watch.saw(list()).isEmpty)
        }
        #expect(watch.saw(list(status())).count == 1)
    }

    @Test func `of several databases only those that changed are told, and closed ones`() throws {
        let instance = EngineKey.realtime(try #require(InstanceID(project: "demo")))
        var watch = StatusWatch()
        #expect(watch.saw(list(status(), status(instance))).count == 2)
        let changes = watch.saw(list(status(), status(instance) { $0.queueBatchCount = 1 }))
        guard changes.count == 1, case .status(let text) = changes[0] else {
            Issue.record("\(changes)")
            return
        }
        #expect(text.status.queueBatchCount == 1)
        let closed = watch.saw(list(status()))
        guard closed.count == 1, case .closed(let text) = closed[0] else {
            Issue.record("\(closed)")
            return
        }
        #expect(text.status.instanceURL == "https://demo-default-rtdb.firebaseio.com")
    }
}
