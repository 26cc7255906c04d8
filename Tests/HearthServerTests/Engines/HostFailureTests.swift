import Dispatch
import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import Synchronization
import Testing

/// A host while its store fails, and its return afterwards.
struct HostFailureTests {
    /// A read, as far as the scripted engine knows any.
    private func read(_ number: UInt64) -> FirestoreEngine.Input {
        .waitForPendingWrites(RequestID(session: 1, number: number), .all)
    }

    @Test func `on a full disk writes are refused untried and reads go on, until there is room`()
        async
    {
        let disk = FullDisk()
        let bench = HostBench { disk.arrange(&$0) }
        await bench.start()
        #expect(disk.isReserved)
        disk.isFull = true
        bench.script.arrange { $0.commitFailures = [.full("no room")] }
        await bench.submitTogether([(1, read(1))])
        #expect(bench.outlet.completed == [1], "tried again with the reserve")
        #expect(!disk.isReserved)
        #expect(bench.outlet.news == [.failed(.full("no room"))])
        #expect(bench.host.status.storeFailure?.contains("Reads go on") == true)

        bench.script.arrange { $0.log = [] }
        await bench.submitTogether([(1, write(1, 2)), (1, read(3))])
        #expect(bench.script.log == ["begin", "turn", "commit", "act 2"], "the read alone")
        #expect(bench.outlet.answers == ["2: UNAVAILABLE"])
        #expect(bench.outlet.completed == [1, 3])

        bench.clock.advance(by: .seconds(5))
        await bench.settle()
        #expect(bench.host.status.storeFailure != nil, "there is no room yet")
        disk.isFull = false
        bench.clock.advance(by: .seconds(5))
        await bench.settle()
        #expect(disk.isReserved)
        #expect(bench.host.status.storeFailure == nil)
        #expect(bench.outlet.news == [.failed(.full("no room")), .recovered])
        await bench.submitTogether([(1, write(1, 4))])
        #expect(bench.outlet.answers.last?.hasPrefix("4: ") == true)
        #expect(bench.outlet.answers.last != "4: UNAVAILABLE")
    }

    @Test func `writes beside the one that met the full disk do not take the room kept for reads`()
        async
    {
        let disk = FullDisk()
        let bench = HostBench { disk.arrange(&$0) }
        await bench.start()
        disk.isFull = true
        bench.script.arrange { $0.commitFailures = [.full("no room"), .full("no room")] }
        await bench.submitTogether([(1, write(1, 1)), (1, write(1, 2)), (1, read(3))])
        #expect(bench.outlet.answers == ["1: UNAVAILABLE", "2: UNAVAILABLE"])
        #expect(bench.outlet.completed == [3])
        // All together, the first write, and the read.
        #expect(bench.script.log.filter { $0 == "commit" }.count == 3)
    }

    @Test func `on a full disk the cache is collected, which makes room`() async {
        let disk = FullDisk()
        disk.isFull = true
        let bench = HostBench { disk.arrange(&$0) }
        await bench.start()
        await bench.submitTogether([(1, write(1, 1))])
        #expect(bench.script.log == ["act 1"], "refused untried")
        bench.script.arrange { $0.log = [] }
        await bench.submitTogether([(1, .collectGarbage(cacheByteCountMax: 0))])
        #expect(bench.script.log == ["begin", "turn", "commit"])
    }

    @Test func `without room for the reserve a host starts with reads alone`() async {
        let disk = FullDisk()
        disk.isFull = true
        let bench = HostBench { disk.arrange(&$0) }
        await bench.start()
        #expect(bench.host.status.phase == .open)
        await bench.submitTogether([(1, write(1, 1)), (1, read(2))])
        #expect(bench.outlet.answers == ["1: UNAVAILABLE"])
        #expect(bench.outlet.completed == [2])
    }

    @Test func `a disk that fails is told once, and so is its recovery`() async {
        let disk = FullDisk()
        let bench = HostBench { disk.arrange(&$0) }
        await bench.start()
        disk.isBroken = true
        bench.script.arrange { $0.commitFailures = [.io("broken"), .io("broken")] }
        await bench.submitTogether([(1, write(1, 1))])
        await bench.submitTogether([(1, write(1, 2))])
        #expect(bench.outlet.answers == ["1: UNAVAILABLE", "2: UNAVAILABLE"])
        bench.clock.advance(by: .seconds(5))
        await bench.settle()
        #expect(bench.outlet.news == [.failed(.io("broken"))])
        disk.isBroken = false
        bench.clock.advance(by: .seconds(5))
        await bench.settle()
        #expect(bench.outlet.news == [.failed(.io("broken")), .recovered])
        #expect(bench.host.status.storeFailure == nil)
    }

    @Test func `a disk too full to open the store is told once, with what would help`() async {
        let full = StoreError.full("no room")
        let advised = StoreError.full("no room. Make 3 MiB free")
        // Each attempt tries with the reserve, and with less of it twice.
        let bench = HostBench(openFailures: Array(repeating: full, count: 6)) { parts in
            parts.advise = { $0 == full ? advised : $0 }
        }
        await bench.start()
        #expect(bench.host.status.phase == .failed(advised))
        await bench.submitTogether([(1, write(1, 1))])
        let refusals = bench.outlet.actions.compactMap { action -> String? in
            if case .refuse(_, let error) = action { error.message } else { nil }
        }
        #expect(refusals.first?.contains("Make 3 MiB free. Hearth tries again by itself") == true)
        bench.clock.advance(by: .seconds(1))
        await bench.settle()
        #expect(bench.outlet.news == [.unavailable(advised)])
        bench.clock.advance(by: .seconds(2))
        await bench.settle()
        #expect(bench.host.status.phase == .open)
        #expect(bench.outlet.news == [.unavailable(advised), .recovered])
    }

    @Test func `a disk that is full at work is told with what would help`() async {
        let disk = FullDisk()
        let full = StoreError.full("no room")
        let advised = StoreError.full("no room. Make 3 MiB free")
        let bench = HostBench { parts in
            disk.arrange(&parts)
            parts.advise = { $0 == full ? advised : $0 }
        }
        await bench.start()
        disk.isFull = true
        bench.script.arrange { $0.commitFailures = [full] }
        await bench.submitTogether([(1, read(1))])
        #expect(bench.outlet.news == [.failed(advised)])
        #expect(bench.host.status.storeFailure?.contains("3 MiB free. Reads go on") == true)
    }

    @Test func `damage met at work opens the store anew, and everybody comes again`() async {
        let condemned = Mutex<[String]>([])
        let bench = HostBench { parts in
            parts.condemn = { reason throws(StoreError) in
                condemned.withLock { $0.append(reason) }
                return true
            }
        }
        await bench.start()
        let first = bench.upstreams.last
        bench.script.arrange { $0.turnFailures[2] = (.damaged("page 7"), endsGroup: false) }
        await bench.submitTogether([(1, write(1, 1))])
        await bench.settle()
        #expect(condemned.withLock { $0 } == ["page 7"])
        #expect(bench.outlet.answers == ["1: UNAVAILABLE"])
        #expect(bench.outlet.endCount == 1)
        #expect(bench.host.status.phase == .open)
        #expect(bench.host.status.storeFailure == nil)
        #expect(bench.upstreams.last !== first)
    }

    @Test func `damage that a rebuilding does not mend is told, and everybody stays`() async {
        let bench = HostBench()
        await bench.start()
        bench.script.arrange { $0.turnFailures[2] = (.damaged("page 7"), endsGroup: false) }
        await bench.submitTogether([(1, write(1, 1))])
        await bench.settle()
        #expect(bench.outlet.endCount == 0)
        #expect(bench.host.status.storeFailure?.contains("page 7") == true)
    }

    @Test func `a pulse comes only when the engine's thread has come to it`() async {
        let bench = HostBench()
        await bench.start()
        let gate = DispatchSemaphore(value: 0)
        let log = Mutex<[String]>([])
        bench.host.executor.queue.async {
            gate.wait()
            log.withLock { $0.append("the turn ended") }
        }
        async let pulse: Void = {
            await bench.host.pulse()
            log.withLock { $0.append("pulse") }
        }()
        gate.signal()
        await pulse
        #expect(log.withLock { $0 } == ["the turn ended", "pulse"])
    }

    @Test func `what cannot be opened is tried again soon, then less often`() async {
        let bench = HostBench(
            openFailures: [.locked("a"), .locked("a"), .locked("a"), .locked("a")])
        await bench.start()
        for delay in [1, 2, 4] {
            bench.clock.advance(by: .seconds(delay) - .milliseconds(1))
            await bench.settle()
            bench.clock.advance(by: .milliseconds(1))
            await bench.settle()
        }
        #expect(bench.host.status.phase == .failed(.locked("a")))
        bench.clock.advance(by: .seconds(5))
        await bench.settle()
        #expect(bench.host.status.phase == .open)
        #expect(bench.outlet.news == [.unavailable(.locked("a")), .recovered])
    }
}

/// A disk on which there is room, or not.
private final class FullDisk: Sendable {
    private let state = Mutex((isFull: false, isBroken: false, isReserved: false))

    var isFull: Bool {
        get { state.withLock { $0.isFull } }
        set { state.withLock { $0.isFull = newValue } }
    }
    var isBroken: Bool {
        get { state.withLock { $0.isBroken } }
        set { state.withLock { $0.isBroken = newValue } }
    }
    var isReserved: Bool { state.withLock { $0.isReserved } }

    func arrange(_ parts: inout TestHost.Parts) {
        parts.takeReserve = { [self] () throws(StoreError) in
            if isFull { throw .full("no room for the reserve") }
            state.withLock { $0.isReserved = true }
        }
        parts.releaseReserve = { [self] in state.withLock { $0.isReserved = false } }
        parts.probe = { [self] _ throws(StoreError) in
            if isBroken { throw .io("broken") }
        }
    }
}

extension RecordingOutlet {
    /// The requests that were completed, by their numbers.
    fileprivate var completed: [UInt64] {
        actions.compactMap { if case .complete(let id) = $0 { id.number } else { nil } }
    }
}
