import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import Synchronization
import Testing

/// How a host runs groups: which turns are durable, which are undone, and when anybody hears of a
/// turn.
struct EngineHostTests {
    @Test func `inputs that wait together are one commit, and actions follow it in order`() async {
        let bench = HostBench()
        await bench.start()
        await bench.submitTogether([(1, write(1, 1)), (1, write(1, 2)), (2, write(2, 1))])
        #expect(bench.script.log == ["begin", "turn", "commit", "act 3"])
        #expect(
            bench.outlet.actions == [
                .accept(RequestID(session: 1, number: 1), BatchID(2)),
                .accept(RequestID(session: 2, number: 1), BatchID(3)),
                .accept(RequestID(session: 1, number: 2), BatchID(4)),
            ])
        #expect(bench.host.status.groupCount == 2)
        #expect(bench.host.status.turnCount == 4)
    }

    @Test func `the status tells how far bundles are, and nobody else hears`() async {
        let bench = HostBench()
        await bench.start()
        let bundle = Bundle(
            record: BundleRecord(id: "news", createdAt: .zero, version: 1), entries: [],
            namedQueries: [], byteCount: 0)
        await bench.submitTogether([(1, .loadBundle(RequestID(session: 1, number: 1), bundle))])
        #expect(bench.host.status.bundles.map(\.id) == ["news"])
        #expect(bench.host.status.bundles.map(\.totalDocumentCount) == [9])
        #expect(bench.outlet.actions.isEmpty)
    }

    @Test func `a turn that fails undoes itself alone`() async {
        let bench = HostBench()
        await bench.start()
        bench.script.arrange {
            $0.turnFailures[2] = (.full("no room"), endsGroup: false)  // All as one step.
            $0.turnFailures[4] = (.full("no room"), endsGroup: false)  // The second by itself.
        }
        await bench.submitTogether([(1, write(1, 1)), (1, write(1, 2)), (1, write(1, 3))])
        let apart = ["begin", "turn", "turn", "turn", "commit"]
        #expect(bench.script.log == ["begin", "turn"] + apart + ["act 3"])
        #expect(bench.outlet.answers == ["1: 2", "2: UNAVAILABLE", "3: 3"])
    }

    @Test func `when the disk ends the group, all inputs are run again one by one`() async {
        let bench = HostBench()
        await bench.start()
        bench.script.arrange {
            $0.turnFailures[2] = (.io("gone"), endsGroup: true)  // All as one step.
            $0.turnFailures[4] = (.io("gone"), endsGroup: true)  // The second by itself.
        }
        await bench.submitTogether([(1, write(1, 1)), (1, write(1, 2)), (1, write(1, 3))])
        let alone = ["begin", "turn", "commit"]
        #expect(
            bench.script.log
                == ["begin", "turn", "begin", "turn", "turn"] + alone + alone + alone + ["act 3"])
        #expect(bench.outlet.answers == ["1: 2", "2: 3", "3: 4"])
    }

    @Test
    func `when the commit fails, nothing is accepted and the engine returns to the beginning`()
        async
    {
        let bench = HostBench()
        await bench.start()
        bench.script.arrange { $0.commitFailures = [.io("no sync"), .io("still no sync")] }
        await bench.submitTogether([(1, write(1, 1)), (1, write(1, 2))])
        let alone = ["begin", "turn", "commit"]
        #expect(bench.script.log == alone + alone + alone + ["act 2"])
        #expect(bench.outlet.answers == ["1: UNAVAILABLE", "2: 2"])
    }

    @Test func `a commit that fails for one input refuses it`() async {
        let bench = HostBench()
        await bench.start()
        bench.script.arrange { $0.commitFailures = [.io("broken")] }
        await bench.submitTogether([(1, write(1, 1))])
        await bench.submitTogether([(1, write(1, 2))])
        #expect(bench.outlet.answers == ["1: UNAVAILABLE", "2: 2"])
    }

    @Test func `a group that cannot begin refuses what cannot begin alone`() async {
        let bench = HostBench()
        await bench.start()
        bench.script.arrange { $0.beginFailures = [.locked("x"), .locked("x")] }
        await bench.submitTogether([(1, write(1, 1)), (1, write(1, 2))])
        #expect(bench.outlet.answers == ["1: UNAVAILABLE", "2: 2"])
    }

    @Test func `without a store requests are refused with the reason until it opens`() async {
        let bench = HostBench(openFailures: [.locked("pid 7"), .damaged("page 3")])
        await bench.start()
        #expect(bench.host.status.phase == .failed(.locked("pid 7")))
        await bench.submitTogether([(1, write(1, 1))])
        #expect(bench.outlet.answers == ["1: UNAVAILABLE"])
        bench.clock.advance(by: .seconds(5))
        await bench.settle()
        #expect(bench.host.status.phase == .failed(.damaged("page 3")))
        bench.clock.advance(by: .seconds(5))
        await bench.settle()
        #expect(bench.host.status.phase == .open)
        await bench.submitTogether([(1, write(1, 2))])
        #expect(bench.outlet.answers == ["1: UNAVAILABLE", "2: 2"])
    }

    @Test func `a session at its quota is told when it may go on`() async {
        let bench = HostBench(quota: 2)
        await bench.start()
        await bench.host.onExecutor { host in
            #expect(host.submit([write(1, 1)], from: .session(1)) == .taken(hasRoom: true))
            #expect(host.submit([write(1, 2)], from: .session(1)) == .taken(hasRoom: false))
            #expect(host.submit([write(2, 1)], from: .session(2)) == .taken(hasRoom: true))
        }
        await bench.settle()
        #expect(bench.outlet.resumed == [1])
    }

    @Test func `closing runs what waits and refuses what comes later`() async {
        let bench = HostBench()
        await bench.start()
        await bench.host.onExecutor { host in
            _ = host.submit([write(1, 1)], from: .session(1))
        }
        await bench.host.close()
        #expect(bench.outlet.answers == ["1: 2"])
        #expect(bench.script.log.suffix(4) == ["act 1", "begin", "turn", "commit"])
        #expect(bench.host.submit([write(1, 2)], from: .session(1)) == .refused)
        #expect(bench.host.status.phase == .closed)
    }

    @Test func `the store is looked after every minute, between groups`() async {
        let bench = HostBench()
        await bench.start()
        for _ in 1...2 {
            bench.clock.advance(by: .seconds(60))
            await bench.settle()
        }
        #expect(bench.script.log == ["forget", "forget"])
    }

    @Test func `it is looked after in slices, which step back while anybody waits`() async {
        let more = Mutex([true, true, false])
        let bench = HostBench { parts in
            let forget = parts.forget
            parts.forget = { (store, now) throws(StoreError) in
                _ = try forget(store, now)
                return more.withLock { $0.isEmpty ? false : $0.removeFirst() }
            }
        }
        await bench.start()
        bench.clock.advance(by: .seconds(60))
        await bench.settle()
        #expect(bench.script.log == ["forget"])
        // The slice is due behind one who waits: it lets him go first, and is set off anew.
        let clock = bench.clock
        await bench.host.onExecutor { host in
            clock.advance(by: .milliseconds(10))
            _ = host.submit([write(1, 1)], from: .session(1))
        }
        await bench.settle()
        #expect(bench.script.log.filter { $0 == "forget" }.count == 1)
        for _ in 1...4 {
            bench.clock.advance(by: .milliseconds(10))
            await bench.settle()
        }
        #expect(bench.script.log.filter { $0 == "forget" }.count == 3)
        bench.clock.advance(by: .seconds(60))
        await bench.settle()
        #expect(bench.script.log.filter { $0 == "forget" }.count == 4)
    }

    @Test func `what can wait steps back for a while only, though somebody always waits`() async {
        let bench = HostBench()
        await bench.start()
        let clock = bench.clock
        clock.advance(by: .seconds(60) - .milliseconds(10))
        for number in UInt64(1)...7 {
            await bench.host.onExecutor { host in
                clock.advance(by: .milliseconds(10))
                _ = host.submit([write(1, number)], from: .session(1))
            }
            await bench.settle()
        }
        #expect(bench.script.log.filter { $0 == "forget" }.count == 1)
    }

    @Test func `a stream waits while the mailbox has no room for its events`() async throws {
        let bench = HostBench(quota: 1)
        await bench.start()
        let upstream = try #require(bench.upstreams.last)
        await upstream.sink(.watchOpened(StreamNumber(1)))
        await upstream.sink(.watchOpened(StreamNumber(1)))
        await bench.settle()
        #expect(bench.outlet.notes == ["upstream", "upstream"])
    }
}

/// How timers of an engine come back as inputs.
struct EngineHostTimerTests {
    /// Makes the scripted engine schedule its timer.
    private static let schedule = FirestoreEngine.Input.changeUser(UserID("ada"))
    /// Makes the scripted engine cancel its timer.
    private static let cancel = FirestoreEngine.Input.setNetwork(isEnabled: false)

    @Test func `a timer fires once, when it has run out`() async {
        let bench = HostBench()
        await bench.start()
        await bench.submitTogether([(1, Self.schedule)])
        bench.clock.advance(by: .seconds(59))
        await bench.settle()
        #expect(bench.outlet.notes == [])
        bench.clock.advance(by: .seconds(1))
        await bench.settle()
        bench.clock.advance(by: .seconds(600))
        await bench.settle()
        #expect(bench.outlet.notes == ["fired watchIdle"])
    }

    @Test func `a timer that is cancelled does not fire`() async {
        let bench = HostBench()
        await bench.start()
        await bench.submitTogether([(1, Self.schedule)])
        await bench.submitTogether([(1, Self.cancel)])
        bench.clock.advance(by: .seconds(600))
        await bench.settle()
        #expect(bench.outlet.notes == [])
    }

    @Test func `a ring that waits in the mailbox is stale if its timer moves before its turn`()
        async
    {
        let bench = HostBench()
        await bench.start()
        await bench.submitTogether([(1, Self.schedule)])
        let clock = bench.clock
        await bench.host.onExecutor { host in
            _ = host.submit([Self.schedule], from: .session(1))
            clock.advance(by: .seconds(60))
        }
        await bench.settle()
        #expect(bench.outlet.notes == [])
        clock.advance(by: .seconds(60))
        await bench.settle()
        #expect(bench.outlet.notes == ["fired watchIdle"])
    }
}

extension RecordingOutlet {
    /// By request number: the batch that was accepted, or the code of the refusal.
    var answers: [String] {
        actions.compactMap { action in
            switch action {
            case .accept(let id, let batch): "\(id.number): \(batch)"
            case .refuse(let id, let error): "\(id.number): \(error.code.name)"
            default: nil
            }
        }
    }

    /// What the scripted engine noted.
    var notes: [String] {
        actions.compactMap { action in
            if case .note(.storeFailed(let text)) = action { text } else { nil }
        }
    }
}
