import HearthFirestore
import HearthTestSupport
import HearthTesting
import Testing

/// Disorder from seeds, in blocks that run side by side.
///
/// `HEARTH_SEED` runs one seed with its journal; `HEARTH_SEEDS` runs as many seeds from
/// `HEARTH_SEED_FROM` on (2,000 and 1 if unset); each test takes its share. A failure prints its
/// seed and the command that repeats it.
struct ConvergenceTests {
    /// Some seeds in turn.
    struct Block: Sendable, CustomTestStringConvertible {
        let seeds: [UInt64]

        var testDescription: String { "seeds \(seeds.first ?? 0) to \(seeds.last ?? 0)" }
    }

    private static let one = Judges.variable("HEARTH_SEED").flatMap(UInt64.init)

    /// The share of one test, in percent of all seeds.
    private static func blocks(percent: Double) -> [Block] {
        if let one { return [Block(seeds: [one])] }
        let total = Judges.variable("HEARTH_SEEDS").flatMap(UInt64.init) ?? 2_000
        let first = Judges.variable("HEARTH_SEED_FROM").flatMap(UInt64.init) ?? 1
        let count = max(1, UInt64(Double(total) * percent / 100))
        return stride(from: first, to: first + count, by: 10).map { start in
            Block(seeds: Array(start..<min(start + 10, first + count)))
        }
    }

    private func run(
        _ block: Block, _ plan: Simulation.Plan, _ test: String = #function,
        on backing: () -> StoryBacking
    ) {
        for seed in block.seeds {
            do throws(Simulation.Failure) {
                try Simulation.run(
                    seed: seed, plan: plan, keepsJournal: Self.one != nil, backing: backing)
            } catch {
                let name = test.prefix { $0 != "(" }
                Issue.record(
                    """
                    \(error)
                    Again: HEARTH_SEED=\(seed) swift test --filter '\(name)'
                    """)
            }
        }
    }

    @Test(arguments: blocks(percent: 16))
    func `caches converge after lost streams`(block: Block) {
        var plan = Simulation.Plan()
        plan.restarts = false
        plan.failsStores = false
        run(block, plan) { .keptMemory() }
    }

    @Test(arguments: blocks(percent: 20))
    func `caches converge after lost streams, dead processes and failing disks`(block: Block) {
        run(block, Simulation.Plan()) { .keptMemory() }
    }

    @Test(arguments: blocks(percent: 16))
    func `caches converge when looks at collections are taken beside the turns`(block: Block) {
        var plan = Simulation.Plan()
        plan.sharesDocuments = true
        plan.pins = true
        plan.surveys = .tiny
        plan.bundleSlices = .tiny
        run(block, plan) { .keptMemory() }
    }

    @Test(arguments: blocks(percent: 8))
    func `limited views converge when looks at collections are taken beside the turns`(
        block: Block
    ) {
        var plan = Simulation.Plan()
        plan.sharesDocuments = true
        plan.limitsAll = true
        plan.surveys = .tiny
        plan.surveys?.refillCountMax = 2
        plan.bundleSlices = .tiny
        run(block, plan) { .keptMemory() }
    }

    @Test(arguments: blocks(percent: 4))
    func `caches that collect eagerly converge with looks taken beside the turns`(block: Block) {
        var plan = Simulation.Plan()
        plan.collection = .eager
        plan.restarts = false
        plan.sharesDocuments = true
        plan.surveys = .tiny
        plan.bundleSlices = .tiny
        run(block, plan) { .memory }
    }

    @Test(arguments: blocks(percent: 1))
    func `caches on disk converge when looks at collections are taken beside the turns`(
        block: Block
    ) {
        var plan = Simulation.Plan()
        plan.sharesDocuments = true
        plan.steersQueues = true
        plan.surveys = .tiny
        plan.bundleSlices = .tiny
        run(block, plan) { .sqlite() }
    }

    @Test(arguments: blocks(percent: 8))
    func `caches converge when bundles come slice by slice`(block: Block) {
        var plan = Simulation.Plan()
        plan.sharesDocuments = true
        plan.bundleSlices = .tiny
        run(block, plan) { .keptMemory() }
    }

    @Test(arguments: blocks(percent: 16))
    func `caches that collect eagerly converge`(block: Block) {
        var plan = Simulation.Plan()
        plan.collection = .eager
        plan.restarts = false
        plan.sharesDocuments = true
        run(block, plan) { .memory }
    }

    @Test(arguments: blocks(percent: 25))
    func `caches converge when several write to the same documents`(block: Block) {
        var plan = Simulation.Plan()
        plan.sharesDocuments = true
        run(block, plan) { .keptMemory() }
    }

    @Test(arguments: blocks(percent: 21))
    func `limited views converge when several write to the same documents`(block: Block) {
        var plan = Simulation.Plan()
        plan.sharesDocuments = true
        plan.limitsAll = true
        run(block, plan) { .keptMemory() }
    }

    @Test(arguments: blocks(percent: 25))
    func `caches converge while administrators steer the queues`(block: Block) {
        var plan = Simulation.Plan()
        plan.sharesDocuments = true
        plan.steersQueues = true
        run(block, plan) { .keptMemory() }
    }

    @Test(arguments: blocks(percent: 12))
    func `caches converge when every batch is marked and copies land late`(block: Block) {
        var plan = Simulation.Plan()
        plan.sharesDocuments = true
        plan.marksBatches = true
        run(block, plan) { .keptMemory() }
    }

    @Test(arguments: blocks(percent: 4))
    func `caches converge when every batch is marked and administrators steer the queues`(
        block: Block
    ) {
        var plan = Simulation.Plan()
        plan.marksBatches = true
        plan.steersQueues = true
        plan.judgesWrites = true
        run(block, plan) { .keptMemory() }
    }

    @Test(arguments: blocks(percent: 1))
    func `caches on disk converge when every batch is marked and copies land late`(
        block: Block
    ) {
        var plan = Simulation.Plan()
        plan.sharesDocuments = true
        plan.marksBatches = true
        plan.steersQueues = true
        run(block, plan) { .sqlite() }
    }

    @Test(arguments: blocks(percent: 20))
    func `caches converge when programs write what they have read, judged at once`(block: Block) {
        var plan = Simulation.Plan()
        plan.sharesDocuments = true
        plan.judgesWrites = true
        run(block, plan) { .keptMemory() }
    }

    @Test(arguments: blocks(percent: 5))
    func `caches converge while queries are pinned, and writers set terms and think again`(
        block: Block
    ) {
        var plan = Simulation.Plan()
        plan.sharesDocuments = true
        plan.judgesWrites = true
        plan.setsTerms = true
        plan.pins = true
        run(block, plan) { .keptMemory() }
    }

    @Test(arguments: blocks(percent: 0.5))
    func `caches on disk converge while queries are pinned, and writers set terms`(block: Block) {
        var plan = Simulation.Plan()
        plan.setsTerms = true
        plan.pins = true
        plan.steersQueues = true
        run(block, plan) { .sqlite() }
    }

    @Test(arguments: blocks(percent: 2))
    func `caches on disk converge when what was read is judged and queues are steered`(
        block: Block
    ) {
        var plan = Simulation.Plan()
        plan.judgesWrites = true
        plan.steersQueues = true
        run(block, plan) { .sqlite() }
    }

    @Test(arguments: blocks(percent: 2))
    func `caches on disk converge while administrators steer the queues`(block: Block) {
        var plan = Simulation.Plan()
        plan.steersQueues = true
        run(block, plan) { .sqlite() }
    }

    @Test(arguments: blocks(percent: 2))
    func `caches on disk converge`(block: Block) {
        var plan = Simulation.Plan()
        plan.sharesDocuments = true
        run(block, plan) { .sqlite() }
    }
}
