import HearthEngine
import HearthModel
import HearthRealtime
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthServer
@testable import HearthStore

/// An instance's store with damage at any place of any file, after an opening and a rescue.
///
/// `HEARTH_DAMAGE_COUNT` says at how many places of each file, and `HEARTH_SEED` is the seed of the
/// first place.
struct InstanceDamageTests {
    private let now = Timestamp(seconds: 5_000, nanoseconds: 0)

    @Test(arguments: DamageBench.File.allCases)
    func `wherever a file is damaged, every write outside that place is there with its state`(
        file: DamageBench.File
    ) throws {
        let bench = try InstanceDamageBench()
        try #require(bench.expected.count == 195)
        let count = Judges.variable("HEARTH_DAMAGE_COUNT").flatMap { UInt64($0) } ?? 40
        let first = Judges.variable("HEARTH_SEED").flatMap { UInt64($0) } ?? 1
        var checkedCount = 0
        for seed in first..<(first + count) {
            var random = SeededGenerator(seed: seed)
            let damage = bench.damage(file, using: &random)
            let copy = try bench.copy(damage)
            let hit = try bench.hit(by: damage)
            checkedCount += bench.expected.count - hit.count
            do {
                let (found, news) = try comeBack(in: copy)
                check(found, bench, damage, hit, "seed \(seed), \(damage.range), \(news)")
            } catch {
                Issue.record("seed \(seed), \(damage.range): \(error)")
            }
        }
        // A damage takes a few writes, and not most of them.
        #expect(checkedCount > Int(count) * bench.expected.count / 2)
    }

    private func check(
        _ found: [BatchID: QueuedWrite], _ bench: InstanceDamageBench,
        _ damage: DamageBench.Damage, _ hit: Set<BatchID>, _ comment: String
    ) {
        for (id, write) in bench.expected where !hit.contains(id) {
            guard let saved = found[id] else {
                Issue.record("write \(id) is lost: \(comment)")
                continue
            }
            #expect(saved == write, "\(comment)")
        }
        let ghosts = found.keys.filter { bench.expected[$0] == nil }
        if hit.isEmpty { #expect(ghosts.isEmpty, "\(comment)") }
    }

    /// Opens a store as a daemon does, and reads its queues; damage that is met then has it rescued.
    private func comeBack(in folder: TemporaryFolder) throws -> (
        [BatchID: QueuedWrite], [StoreNews]
    ) {
        let rescue = StoreRescue(try InstanceDamageBench.configuration(in: folder))
        do {
            let opened = try rescue.open(at: now)
            try opened.finish()
            return (try InstanceDamageBench.writes(in: opened.store), opened.news)
        } catch {
            try #require(try rescue.condemn(try #require(error.damage), at: now))
        }
        let opened = try rescue.open(at: now)
        try opened.finish()
        return (try InstanceDamageBench.writes(in: opened.store), opened.news)
    }
}
