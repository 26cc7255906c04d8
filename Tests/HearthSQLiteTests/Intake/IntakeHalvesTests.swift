import HearthEngine
import HearthTestSupport
import Testing

@testable import HearthSQLite

/// Which half of the intake log is written to, without a file.
struct IntakeHalvesTests {
    private static let page = IntakePages.byteCount

    @Test func `a half is written over only when the disk has all that it held`() {
        var halves = IntakeHalves(pageCount: 4)
        func place(_ version: Int64) -> Int? {
            halves.place(Self.page, leadingTo: StoreVersion(version))?.page
        }
        #expect([1, 2, 3, 4].map(place) == [0, 1, 2, 3])
        #expect(place(5) == nil)
        #expect(!halves.waitsForSync(of: StoreVersion(1)))
        #expect(halves.waitsForSync(of: StoreVersion(2)))
        halves.synced(StoreVersion(1))
        #expect(place(5) == nil)
        halves.synced(StoreVersion(2))
        #expect(!halves.waitsForSync(of: StoreVersion(4)))
        #expect([5, 6].map(place) == [0, 1])
        halves.synced(StoreVersion(3))
        #expect(place(7) == nil)
        halves.synced(StoreVersion(6))
        #expect([7, 8, 9].map(place) == [2, 3, nil])
        halves.restart()
        #expect([10, 11, 12, 13, 14].map(place) == [0, 1, 2, 3, nil])
    }

    @Test func `a log that was found takes nothing before it begins anew`() {
        var halves = IntakeHalves(foundPageCount: 4)
        #expect(!halves.hasRoom(for: 1))
        halves.synced(StoreVersion(1_000))
        #expect(!halves.hasRoom(for: 1))
        halves.restart()
        #expect(halves.hasRoom(for: 2 * Self.page))
        #expect(!halves.hasRoom(for: 2 * Self.page + 1))
    }

    @Test(arguments: UInt64(1)...8)
    func `what the disk has not got is never written over, whatever comes when`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var halves = IntakeHalves(pageCount: 12)
        var pages: [Int: Set<Int64>] = [:]  // Which versions lie in a page.
        var pageCounts: [Int64: Int] = [:]
        var tail: Set<Int64> = []
        var (version, synced, refusals): (Int64, Int64, Int) = (0, 0, 0)
        for _ in 0..<2_000 {
            if Int.random(in: 0..<6, using: &random) == 0 {
                synced = Int64.random(in: synced...version, using: &random)
                halves.synced(StoreVersion(synced))
            }
            let count = Int.random(in: 1...(2 * Self.page), using: &random)
            guard let place = halves.place(count, leadingTo: StoreVersion(version + 1)) else {
                refusals += 1
                continue
            }
            version += 1
            pageCounts[version] = place.pageCount
            // What lies in front of the record is written again.
            tail = place.offset > 0 ? tail.union([version]) : [version]
            for page in place.page..<(place.page + place.pageCount) { pages[page] = tail }
            for kept in (synced + 1)..<(version + 1) {
                let found = pages.values.filter { $0.contains(kept) }.count
                #expect(found >= pageCounts[kept] ?? 1, "\(kept)")
            }
        }
        #expect(refusals > 10)
        #expect(version > 100)
    }
}
