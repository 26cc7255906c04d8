import HearthBackend
import HearthEngine
package import HearthFirestore
import HearthModel

/// Seeded disorder: daemons whose programs write and listen, a backend, and a network, disks, clocks
/// and processes that fail. When all is quiet again, every cache must hold what the backend holds,
/// and every write must have been applied as it was promised.
package struct Simulation {
    /// The failure, with the seed that repeats it.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// The seed.
        package let seed: UInt64
        /// At which step; `nil` after the last.
        package let step: Int?
        /// What went wrong.
        package let faults: [String]

        package var description: String {
            let place = step.map { "step \($0)" } ?? "the end"
            return (["seed \(seed), \(place)"] + faults.map { "    \($0)" })
                .joined(separator: "\n")
        }
    }

    /// How much happens, and what may fail.
    package struct Plan: Sendable {
        /// How many engines there are.
        package var clientCount = 2
        /// How many things happen.
        package var stepCount = 120
        /// Whether processes die.
        package var restarts = true
        /// Whether several write to the same documents.
        package var sharesDocuments = false
        /// Whether disks fail.
        package var failsStores = true
        /// Whether users sign in and out.
        package var changesUsers = true
        /// Whether the backend refuses targets and writes that are allowed elsewhere.
        package var refuses = true
        /// Whether every query has a limit.
        package var limitsAll = false
        /// Whether administrators hold, release, cancel, edit, drop and retry what waits.
        package var steersQueues = false
        /// Whether writes bear the times that were read, and are judged when they are accepted.
        package var judgesWrites = false
        /// Whether writers say until when their writes are good, and take writes back.
        package var setsTerms = false
        /// Whether the daemons mark every batch.
        ///
        /// Then the backend may also take batches of a lost write stream later, even after the
        /// daemon has sent the batches again.
        package var marksBatches = false
        /// Whether queries are pinned.
        package var pins = false
        /// How looks at whole collections are taken beside the turns; `nil` if the turns take them.
        package var surveys: SurveyTerms?
        /// How much of a bundle goes into the cache in one turn.
        package var bundleSlices = BundleSlices()
        /// Which documents leave the caches.
        package var collection = CollectionPolicy.leastUsed(cacheByteCountMax: nil)

        /// Two clients and every kind of failure.
        package init() {}
    }

    let seed: UInt64
    let plan: Plan
    var random: SeededRandom
    var clock = ManualClock()
    var backend: Backend
    let history = BackendHistory()
    let ledger: WriteLedger
    var clients: [SimulatedClient] = []
    var streams: [StreamID: SimulatedStream] = [:]
    var lastStream: UInt64 = 0
    /// What the backend may still take from lost write streams.
    var lateStreams: [LateStream] = []
    var replay = CommitReplay()
    var bundleCount = 0
    /// Whether everything is mended, and nothing fails any more.
    var isSettling = false

    /// What has happened, for a failure that must be understood. Empty unless asked for.
    var journal: [String] = []
    let keepsJournal: Bool

    /// Runs one simulation to its end.
    package static func run(
        seed: UInt64, plan: Plan = Plan(), keepsJournal: Bool = false,
        backing: () -> StoryBacking
    ) throws(Failure) {
        var simulation = try Simulation(
            seed: seed, plan: plan, keepsJournal: keepsJournal, backing: backing)
        for step in 0..<plan.stepCount {
            simulation.step()
            try simulation.check(step: step)
        }
        simulation.settle()
        try simulation.check(step: nil)
        let differences = simulation.differences()
        if !differences.isEmpty {
            throw Failure(
                seed: seed, step: nil, faults: differences + simulation.journal)
        }
    }

    private init(seed: UInt64, plan: Plan, keepsJournal: Bool, backing: () -> StoryBacking)
        throws(Failure)
    {
        self.seed = seed
        self.plan = plan
        self.keepsJournal = keepsJournal
        random = SeededRandom(seed: seed)
        ledger = WriteLedger(countsEachBatchOnce: plan.marksBatches)
        var settings = BackendSettings()
        // A short memory, so that resuming must often be done by counts and filters.
        settings.historyCommitCountMax = 6
        backend = Backend(identity: 1, run: 1, settings: settings)
        var configuration = FirestoreEngine.Configuration(
            database: StoryReader.database, limboResolutionCountMax: 2)
        configuration.collection = plan.collection
        configuration.surveys = plan.surveys
        configuration.bundleSlices = plan.bundleSlices
        if plan.marksBatches { configuration.queueLimits.lostAnswers.markers = Scenery.marks }
        for index in 0..<plan.clientCount {
            do {
                clients.append(
                    try SimulatedClient(
                        index, backing(), configuration, ledger, history,
                        keepsJournal: keepsJournal, at: clock.now))
            } catch {
                throw Failure(seed: seed, step: nil, faults: ["\(error)"])
            }
        }
    }

    mutating func log(_ line: @autoclosure () -> String) {
        if keepsJournal { journal.append(line()) }
    }

    private func check(step: Int?) throws(Failure) {
        let faults = clients.flatMap { client in
            client.faults.map { "client \(client.index): \($0)" }
        }
        if !faults.isEmpty {
            throw Failure(seed: seed, step: step, faults: faults + journal)
        }
    }
}

/// A watch stream as the backend sees it.
struct SimulatedStream {
    /// Whose.
    let client: Int
    /// The client's number for it.
    let number: StreamNumber
    /// What is watched on it.
    var targets: [WireTargetID: Target] = [:]
}
