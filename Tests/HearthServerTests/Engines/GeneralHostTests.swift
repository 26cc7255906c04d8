import HearthEngine
import HearthModel
import HearthServer
import Synchronization
import Testing

/// That a host runs an engine of any kind: groups, the failure of one turn, timers and the backend.
struct GeneralHostTests {
    private typealias Host = EngineHost<CounterEngine, CounterStore>

    private let ears = CounterEars()
    private let clock = ManualClock()

    private func start(unlucky: Int = -1) async -> Host {
        let ears = ears
        var parts = Host.Parts(
            key: .firestore(DatabaseID(project: "demo")), clock: clock, outlet: ears,
            openStore: { () throws(StoreError) in OpenedStore(CounterStore(unlucky: unlucky)) },
            makeEngine: { CounterEngine() }, connect: { [keeper] in keeper.keep($0, ears) })
        parts.memory = ears
        let host = Host(parts)
        host.start()
        await settle(host)
        return host
    }

    private let keeper = SinkKeeper()

    /// Puts numbers to add in the mailbox while no turn can run, and lets them run.
    private func add(_ numbers: [Int], to host: Host) async {
        await host.onExecutor { host in
            for (index, number) in numbers.enumerated() {
                let id = RequestID(session: 1, number: UInt64(index + 1))
                _ = host.submit([.add(id, number)], from: .session(1))
            }
        }
        await settle(host)
    }

    private func settle(_ host: Host) async {
        repeat { await host.onExecutor { _ in } } while host.status.waitingCount > 0
        await host.onExecutor { _ in }
    }

    private func id(_ number: UInt64) -> RequestID { RequestID(session: 1, number: number) }

    @Test func `requests that wait together are one group, and the backend hears of each`() async {
        let host = await start()
        await add([1, 2, 3], to: host)
        #expect(ears.effects == [.told(id(1), sum: 1), .told(id(2), sum: 3), .told(id(3), sum: 6)])
        #expect(ears.sums == [1, 3, 6])
        #expect(host.status.groupCount == 2)
        #expect(host.status.figures.acceptedCount == 3)
        #expect(ears.remembered == [6])
    }

    @Test func `a turn that fails undoes memory and store alone, and its request is refused`() async
    {
        let host = await start(unlucky: 5)
        await add([1, 4, 2], to: host)
        #expect(ears.effects == [.told(id(1), sum: 1), .refused(id(2)), .told(id(3), sum: 3)])
        #expect(host.status.figures.refusedCount == 1)
        #expect(host.status.storeFailure?.contains("5 cannot be kept") == true)
    }

    @Test func `a timer rings as an input, unless the backend answered before`() async {
        let host = await start()
        await add([7], to: host)
        clock.advance(by: .seconds(3))
        await settle(host)
        #expect(ears.sums == [7, 7])
        await add([1], to: host)
        await keeper.tell(CounterEngine.Event(confirmed: 8))
        await settle(host)
        clock.advance(by: .seconds(3))
        await settle(host)
        #expect(ears.sums == [7, 7, 8])
        #expect(host.status.figures.committedCount == 1)
    }

    @Test func `who signs in and what the network may is kept for the engine's life`() async {
        let host = await start()
        host.administer(.setNetwork(isEnabled: false))
        host.administer(.changeUser(.unauthenticated))
        await settle(host)
        #expect(!host.status.isNetworkEnabled)
        #expect(ears.forgottenCount == 1)
    }
}

/// Keeps the sink through which a backend tells a host of events.
private final class SinkKeeper: Sendable {
    private let sink = Mutex<(@Sendable (CounterEngine.Event) async -> Void)?>(nil)

    func keep(
        _ new: @escaping @Sendable (CounterEngine.Event) async -> Void, _ ears: CounterEars
    ) -> any EngineUpstream<CounterEngine.Command> {
        sink.withLock { $0 = new }
        return ears
    }

    func tell(_ event: CounterEngine.Event) async {
        await sink.withLock { $0 }?(event)
    }
}
