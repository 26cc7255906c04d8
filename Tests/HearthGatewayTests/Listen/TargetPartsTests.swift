import HearthFirestore
import HearthModel
import HearthServer
import Testing

@testable import HearthGateway

/// What the queries of one target say together.
struct TargetPartsTests {
    private func snapshot(_ snapshot: ViewSnapshot, readAt: Int64) -> SharedSnapshot {
        var snapshot = snapshot
        snapshot.readAt = SnapshotVersion(Timestamp(microseconds: readAt))
        return SharedSnapshot(snapshot)
    }

    @Test func `a target is of the cache until no query is, and waits while one does`() {
        var (halls, attics) = (WatchedRooms(), WatchedRooms())
        var parts = TargetParts(queryCount: 2)
        #expect(!parts.isComplete && parts.isFromCache && !parts.hasPendingWrites)
        _ = parts.take(SharedSnapshot(halls.whole()), of: 0)
        #expect(!parts.isComplete && parts.isFromCache)
        _ = parts.take(SharedSnapshot(attics.writes("attic")), of: 1)
        #expect(parts.isComplete && !parts.isFromCache && parts.hasPendingWrites)
        _ = parts.take(SharedSnapshot(halls.becomes(isFromCache: true)), of: 0)
        #expect(parts.isFromCache)
        _ = parts.take(SharedSnapshot(attics.commits("attic")), of: 1)
        _ = parts.take(SharedSnapshot(halls.becomes(isFromCache: false)), of: 0)
        #expect(parts.isComplete && !parts.isFromCache && !parts.hasPendingWrites)
    }

    @Test func `a snapshot goes on from the last one of its own query`() {
        var (halls, attics) = (WatchedRooms(), WatchedRooms())
        var parts = TargetParts(queryCount: 2)
        let isFirstNext = parts.take(SharedSnapshot(halls.whole()), of: 0)
        let isOtherNext = parts.take(SharedSnapshot(attics.commits("attic")), of: 1)
        let isNext = parts.take(SharedSnapshot(halls.commits("hall")), of: 0)
        _ = halls.commits("hall", 1)
        let isNextAfterGap = parts.take(SharedSnapshot(halls.commits("hall", 2)), of: 0)
        #expect(!isFirstNext && !isOtherNext && isNext && !isNextAfterGap)
    }

    @Test func `the time of a target is the newest of its queries, and may fall`() {
        var rooms = WatchedRooms()
        var parts = TargetParts(queryCount: 2)
        var times: [Timestamp] = []
        for (query, time) in [(0, 20), (1, 10), (1, 15), (0, 5), (1, 8), (0, 9)] as [(Int, Int64)] {
            _ = parts.take(snapshot(rooms.whole(), readAt: time), of: query)
            times.append(parts.readAt.timestamp)
        }
        #expect(times.map(\.microseconds) == [20, 20, 20, 15, 8, 9])
        #expect(TargetParts(queryCount: 0).isComplete)
        #expect(TargetParts(queryCount: 0).readAt == .zero)
    }
}
