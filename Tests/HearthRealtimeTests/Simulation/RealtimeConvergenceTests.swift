import HearthTestSupport
import HearthTesting
import Testing

/// Disorder from seeds, in blocks that run side by side.
///
/// `HEARTH_SEED` runs one seed, `HEARTH_SEEDS` so many from `HEARTH_SEED_FROM` on (2,000 and 1 if
/// unset); each test takes its share. A failure prints its seed and the command that repeats it.
struct RealtimeConvergenceTests {
    /// Some seeds in turn.
    struct Block: Sendable, CustomTestStringConvertible {
        let seeds: [UInt64]

        var testDescription: String { "seeds \(seeds.first ?? 0) to \(seeds.last ?? 0)" }
    }

    /// How much happens under most seeds, and under each twentieth: a step costs the more, the more
    /// the queues and the service hold already.
    private static let (stepCount, longStepCount) = (80, 250)

    private static func blocks(percent: UInt64) -> [Block] {
        if let one = Judges.variable("HEARTH_SEED").flatMap(UInt64.init) {
            return [Block(seeds: [one])]
        }
        let total = Judges.variable("HEARTH_SEEDS").flatMap(UInt64.init) ?? 2_000
        let first = Judges.variable("HEARTH_SEED_FROM").flatMap(UInt64.init) ?? 1
        let count = max(1, total * percent / 100)
        return stride(from: first, to: first + count, by: 10).map { start in
            Block(seeds: Array(start..<min(start + 10, first + count)))
        }
    }

    private func run(
        _ block: Block, _ test: String = #function,
        _ change: (inout RealtimeSimulation.Plan) -> Void
    ) {
        var plan = RealtimeSimulation.Plan()
        change(&plan)
        for seed in block.seeds {
            plan.stepCount = seed.isMultiple(of: 20) ? Self.longStepCount : Self.stepCount
            do throws(RealtimeSimulation.Failure) {
                try RealtimeSimulation.run(seed: seed, plan: plan)
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

    @Test(arguments: blocks(percent: 20))
    func `programs see what the service holds after lost links`(block: Block) {
        run(block) { plan in
            plan.restarts = false
            plan.failsStores = false
        }
    }

    @Test(arguments: blocks(percent: 40))
    func `no write is lost by lost links, dead daemons and failing stores`(block: Block) {
        run(block) { _ in }
    }

    @Test(arguments: blocks(percent: 40))
    func `with a fence no write is applied twice, whatever is lost`(block: Block) {
        run(block) { $0.hasFence = true }
    }
}
