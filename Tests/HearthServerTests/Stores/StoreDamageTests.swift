import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthServer
@testable import HearthStore

/// A store with damage at any place of any file, after an opening and a rescue.
///
/// `HEARTH_DAMAGE_COUNT` says at how many places of each file, and `HEARTH_SEED` is the seed of the
/// first place.
struct StoreDamageTests {
    private let now = Timestamp(seconds: 5_000, nanoseconds: 0)

    private static func number(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }
    }

    @Test(arguments: DamageBench.File.allCases)
    func `wherever a file is damaged, every batch outside that place is there with its state`(
        file: DamageBench.File
    ) throws {
        let bench = try DamageBench()
        try #require(bench.expected.count > 200 && bench.places.count > 200)
        let count = Self.number("HEARTH_DAMAGE_COUNT") ?? 40
        let first = Self.number("HEARTH_SEED") ?? 1
        for seed in first..<(first + count) {
            var random = SeededGenerator(seed: UInt64(seed))
            let damage = bench.damage(file, using: &random)
            let copy = try bench.copy(damage)
            do {
                let (found, news) = try comeBack(in: copy)
                check(found, bench, damage, "seed \(seed), \(damage.range), \(news)")
            } catch {
                Issue.record("seed \(seed), \(damage.range): \(error)")
            }
        }
    }

    private func check(
        _ found: [BatchID: QueuedBatch], _ bench: DamageBench, _ damage: DamageBench.Damage,
        _ comment: String
    ) {
        let hit = bench.hit(by: damage)
        let isRecordLost = !bench.lostRecords(damage).isEmpty
        for (id, batch) in bench.expected where !hit.contains(id) {
            guard let saved = found[id] else {
                Issue.record("batch \(id) is lost: \(comment)")
                continue
            }
            // What was told of a batch in a record that is lost, nothing else tells.
            if isRecordLost {
                #expect(saved.batch == batch.batch, "\(comment)")
            } else {
                #expect(saved == batch, "\(comment)")
            }
        }
        let ghosts = found.keys.filter { bench.expected[$0] == nil }
        if hit.isEmpty, !isRecordLost { #expect(ghosts.isEmpty, "\(comment)") }
    }

    /// Opens a store as a daemon does, and reads its queues; damage that is met then has it rescued.
    private func comeBack(in folder: TemporaryFolder) throws -> (
        [BatchID: QueuedBatch], [StoreNews]
    ) {
        let rescue = StoreRescue(DamageBench.configuration(in: folder))
        do {
            let opened = try rescue.open(at: now)
            try opened.finish()
            return (try DamageBench.batches(in: opened.store), opened.news)
        } catch {
            try #require(try rescue.condemn(try #require(error.damage), at: now))
        }
        let opened = try rescue.open(at: now)
        try opened.finish()
        return (try DamageBench.batches(in: opened.store), opened.news)
    }
}
