import HearthRealtime
import HearthTestSupport
import HearthTesting
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// The disorder of the engine's simulation, with each daemon on a file of its own.
struct RealtimeSimulationTests {
    @Test(arguments: UInt64(1)...6)
    func `on disk no write is lost or applied twice, whatever is lost`(seed: UInt64) throws {
        let folders = [TemporaryFolder(), TemporaryFolder()]
        var stores = try folders.map { folder in
            try RealtimeSQLiteStore(RealtimeBench.configuration(in: folder))
        }
        let opened = stores
        var plan = RealtimeSimulation.Plan()
        plan.hasFence = !seed.isMultiple(of: 2)
        try RealtimeSimulation.run(seed: seed, plan: plan) { stores.removeFirst() }
        for store in opened { #expect(try store.problems().isEmpty) }
    }
}
