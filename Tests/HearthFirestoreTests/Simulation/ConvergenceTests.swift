import HearthFirestore
import HearthTesting
import Testing

/// Disorder from seeds. `HEARTH_SEED` runs one seed with its journal, `HEARTH_SEEDS` so many.
struct ConvergenceTests {
    private static let seeds: [UInt64] = {
        if let one = Judges.variable("HEARTH_SEED").flatMap(UInt64.init) { return [one] }
        let count = Judges.variable("HEARTH_SEEDS").flatMap(UInt64.init) ?? 15
        return Array(1...count)
    }()

    private static let keepsJournal = Judges.variable("HEARTH_SEED") != nil

    private func run(
        _ seed: UInt64, _ plan: Simulation.Plan, on backing: () -> StoryBacking
    ) throws(Simulation.Failure) {
        try Simulation.run(
            seed: seed, plan: plan, keepsJournal: Self.keepsJournal, backing: backing)
    }

    @Test(arguments: seeds)
    func `caches converge after lost streams`(seed: UInt64) throws {
        var plan = Simulation.Plan()
        plan.restarts = false
        plan.failsStores = false
        try run(seed, plan) { .keptMemory() }
    }

    @Test(arguments: seeds)
    func `caches converge after lost streams, dead processes and failing disks`(seed: UInt64) throws
    {
        try run(seed, Simulation.Plan()) { .keptMemory() }
    }

    @Test(arguments: seeds)
    func `caches that collect eagerly converge`(seed: UInt64) throws {
        var plan = Simulation.Plan()
        plan.collection = .eager
        plan.restarts = false
        try run(seed, plan) { .memory }
    }

    @Test(arguments: seeds.prefix(6))
    func `caches on disk converge`(seed: UInt64) throws {
        try run(seed, Simulation.Plan()) { .sqlite() }
    }

    @Test(arguments: seeds)
    func `caches converge when several write to the same documents`(seed: UInt64) throws {
        var plan = Simulation.Plan()
        plan.sharesDocuments = true
        try run(seed, plan) { .keptMemory() }
    }
}
