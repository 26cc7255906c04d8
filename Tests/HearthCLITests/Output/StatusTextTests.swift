import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import Hearth
@testable import HearthCLI

struct StatusTextTests {
    private func text(_ change: (inout StatusReport) -> Void) -> StatusText {
        var report = StatusReport(database: .firestore(DatabaseID(project: "demo")))
        change(&report)
        return StatusText(
            status: DaemonStatus(report), now: Hearth.Timestamp(seconds: 100, nanoseconds: 0))
    }

    @Test func `a state and an exit status stand for the whole`() {
        let cases: [(StatusText, StatusText.State, CommandStatus)] = [
            (text { $0.onlineState = .online }, .live, .success),
            (text { _ in }, .idle, .success),
            (text { $0.targetCount = 1 }, .connecting, .tryAgain),
            // What nobody listens to, and a pin that is fresh, need no connection.
            (
                text {
                    $0.targetCount = 1
                    $0.isIdle = true
                }, .idle, .success
            ),
            (text { $0.queueBatchCount = 1 }, .connecting, .tryAgain),
            (text { $0.onlineState = .offline }, .offline, .tryAgain),
            (text { $0.isNetworkEnabled = false }, .networkOff, .tryAgain),
            (
                text {
                    $0.onlineState = .online
                    $0.degradedReasons = ["The disk is full."]
                }, .degraded, .failed
            ),
        ]
        for (text, state, status) in cases {
            #expect(text.state == state)
            #expect(text.state.exitStatus == status)
        }
    }

    @Test func `counts that nobody knows are neither 0 for people nor for programs`() {
        let text = text {
            $0.degradedReasons = ["The cache cannot be used."]
            $0.hasUnknownCounts = true
        }
        let queue = text.lines.first { $0.hasPrefix("queue") }
        #expect(queue == "queue     unknown, because the store cannot be read")
        #expect(text.line(isNamed: false).contains("queue unknown"))
        #expect(text.report.line.contains(#""queueBatches":null"#))
        #expect(text.report.line.contains(#""deadLetters":null"#))
        #expect(text.report.line.contains(#""historyEntries":null,"historyBytes":null"#))
        #expect(BatchList.queue.hint(of: text.status)?.contains("cannot be read") == true)
        #expect(!text.status.isIdle)
    }

    @Test func `a queue that nobody can count is not drained`() throws {
        let known = text { $0.queueBatchCount = 2 }.status
        let unknown = text {
            $0.degradedReasons = ["The cache cannot be used."]
            $0.hasUnknownCounts = true
        }.status
        let count = try WaitCommand.queueBatchCount(of: [known, known])
        #expect(count == 4)
        do throws(Failure) {
            let count = try WaitCommand.queueBatchCount(of: [known, unknown])
            Issue.record("\(count) batches wait")
        } catch {
            #expect(error.status == .failed)
            #expect(error.message?.contains("The cache cannot be used.") == true)
        }
    }

    @Test func `people read units`() {
        let text = text {
            $0.onlineState = .offline
            $0.daemonVersion = "1.0"
            $0.uptime = .seconds(7_200)
            $0.upstream = "firestore.googleapis.com:443"
            $0.queueBatchCount = 1_234
            $0.oldestWrittenAt = HearthModel.Timestamp(seconds: 40, nanoseconds: 0)
            $0.clientCount = 1
            $0.targetCount = 27
            $0.heldBatchCount = 2
            $0.connectionError = HearthError(code: .unavailable, message: "Nobody is there.")
            $0.connectionFailedAt = HearthModel.Timestamp(seconds: 97, nanoseconds: 0)
            $0.nextAttemptDelay = .milliseconds(3_200)
            $0.cachedDocumentCount = 5_376
            $0.cacheByteCount = 4_210_000
        }
        #expect(
            text.lines == [
                "state     offline",
                "          3 s ago the backend failed: UNAVAILABLE: Nobody is there. The next attempt is "
                    + "in 4 s.",
                "daemon    hearthd 1.0, up 2 h",
                "database  demo/(default)",
                "upstream  firestore.googleapis.com:443",
                "queue     1,234 batches, the oldest 60 s old, 2 of them held",
                "letters   0 dead letters",
                "clients   1 process, 0 listeners",
                "targets   27 queries or documents, watched for listeners or kept to be resumed",
                "cache     5,376 documents, 4.2 MB",
            ])
    }

    @Test func `a loss is told with its time and the way to take note, and degrades nothing`() {
        let text = text {
            $0.onlineState = .online
            $0.losses = [
                StoreLoss(
                    noticedAt: HearthModel.Timestamp(seconds: 40, nanoseconds: 0),
                    account: "It was emptied.", path: "/x.damaged-40-report")
            ]
        }
        let sentence = "60 s ago: It was emptied. To take note, remove /x.damaged-40-report."
        #expect(text.lines.contains("          " + sentence))
        #expect(text.line(isNamed: false).contains(sentence))
        #expect(text.state == .live)
        #expect(
            text.report.line.contains(
                #""losses":[{"noticedAt":"1970-01-01T00:00:40Z","account":"It was emptied.","#
                    + #""path":"/x.damaged-40-report"}]"#))
    }

    @Test func `a bundle on its way is told with what the cache has of it`() {
        let text = text {
            $0.tell(of: [
                BundleLoading(id: "news", documentCount: 1_500, totalDocumentCount: 100_000)
            ])
        }
        #expect(text.lines.contains("bundle    news: 1,500 of 100,000 documents"))
        #expect(
            text.report.line.contains(
                #""bundles":[{"id":"news","documents":1500,"totalDocuments":100000}],"untoldBundles":0"#
            ))
    }

    @Test func `of many bundles on their way some are named, and the others counted`() {
        let text = text {
            $0.tell(
                of: (0..<1_217).map {
                    BundleLoading(id: "b\($0)", documentCount: 0, totalDocumentCount: 1)
                })
        }
        let lines = text.lines.filter { $0.hasPrefix("bundle ") }
        #expect(lines.count == 16)
        #expect(lines.first == "bundle    b0: 0 of 1 document")
        #expect(text.lines.contains("          and 1,201 more bundles"))
        #expect(text.report.line.contains(#""untoldBundles":1201,"#))
    }

    @Test func `programs read fields with stable names`() {
        #expect(
            text { $0.onlineState = .online }.report.line
                == #"{"state":"live","onlineState":"online","isNetworkEnabled":true,"#
                + #""degradedReasons":[],"losses":[],"bundles":[],"untoldBundles":0,"daemonVersion":"","uptimeSeconds":0,"project":"demo","#
                + #""database":"(default)","instance":null,"user":"","upstream":"","queueBatches":0,"#
                + #""oldestWrittenAt":null,"deadLetters":0,"clients":0,"listeners":0,"targets":0,"#
                + #""cachedDocuments":0,"cacheBytes":0,"heldBatches":0,"keptPlaces":0,"pins":0,"#
                + #""pinnedBytes":0,"stoppedPins":0,"historyEntries":0,"historyBytes":0,"#
                + #""lastError":null,"#
                + #""lastErrorAt":null,"nextAttemptSeconds":null}"#)
    }

    @Test func `an instance is told by its address, without documents`() throws {
        let instance = try #require(InstanceID(project: "demo"))
        let text = StatusText(
            status: DaemonStatus(StatusReport(database: .realtime(instance))),
            now: Hearth.Timestamp(seconds: 100, nanoseconds: 0))
        #expect(text.lines.contains("instance  https://demo-default-rtdb.firebaseio.com"))
        #expect(text.lines.contains("cache     0 B"))
        #expect(text.lines.contains { $0.hasPrefix("targets   0 queries or places") })
        #expect(
            text.report.line.contains(
                #""project":"","database":"","instance":"https://demo-default-rtdb.firebaseio.com""#
            ))
    }

    @Test func `a batch is told to people and to programs`() {
        var batch = QueuePage.Batch(
            id: BatchID(12), state: .sentUnanswered,
            writtenAt: HearthModel.Timestamp(seconds: 97, nanoseconds: 0), byteCount: 1_200,
            writer: Writer(uid: 7, gid: 8, pid: 9, unit: nil, program: "lamps"),
            content: .documents(
                (1...4).compactMap { try? DocumentKey(parsing: "rooms/\($0)") }, []))
        let now = Hearth.Timestamp(seconds: 100, nanoseconds: 0)
        let text = BatchText(PendingBatch(batch), now: now)
        #expect(
            text.line
                == "12  sent  3 s  1.2 kB  lamps[9] of uid 7  rooms/1 rooms/2 rooms/3 and 1 more")
        batch.user = UserID("ada")
        #expect(
            BatchText(PendingBatch(batch), now: now).line.hasPrefix("12  sent for ada  3 s  "))
        batch.user = .unauthenticated
        #expect(
            text.report.line
                == #"{"batch":12,"state":"sent","writtenAt":"1970-01-01T00:01:37Z","ageSeconds":3,"#
                + #""bytes":1200,"user":"","heldBy":null,"expiresAt":null,"isOnlineOnly":false,"preconditions":[],"#
                + #""uid":7,"gid":8,"pid":9,"unit":null,"program":"lamps","#
                + #""documents":["rooms/1","rooms/2","rooms/3","rooms/4"]}"#)
        let letter = DeadLetterPage.Letter(
            batch: batch, error: HearthError(code: .permissionDenied, message: "No."),
            rejectedAt: HearthModel.Timestamp(seconds: 98, nanoseconds: 0), mayHaveBeenApplied: true
        )
        let rejected = BatchText(DeadLetter(letter), now: now)
        #expect(rejected.line.hasSuffix("and 1 more: PERMISSION_DENIED: No."))
        #expect(rejected.report.line.hasSuffix(#""mayHaveBeenApplied":true}"#))
    }
}
