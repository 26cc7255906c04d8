import HearthModel
import HearthTesting
import Testing

/// The first of one order are the last of the other: two queries, one target.
struct MirrorQuerySpecs {
    private let first = Self.query(.ascending, .first)
    private let last = Self.query(.descending, .last)
    private let a = Cast.room("a", size: 0)
    private let b = Cast.room("b", size: 1)
    private let c = Cast.room("c", size: 0, at: 1_001)
    private let d = Cast.room("d", size: -1, at: 1_002)

    private static func query(
        _ direction: OrderBy.Direction, _ end: Query.Limit.End
    ) -> Query {
        var query = Cast.rooms
        query.explicitOrderBys = [OrderBy(FieldPath(["size"]), direction)]
        query.limit = .init(2, end)
        return query
    }

    @Test func `mirror queries of two programs share a target until the last of them ends`() throws
    {
        let spec = try FirestoreSpec()
        spec.userListens(to: first, in: [1])
        spec.userListens(to: last, in: [2])
        try spec.expectWatched(1)
        try spec.watchAnswers(first, with: [a, b], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: first, added: [a, b], isFromCache: false, in: 1)
        try spec.expectSnapshot(of: last, added: [b, a], isFromCache: false, in: 2)
        try spec.userUnlistens(from: last, in: 2)
        try spec.expectListen(to: first)
        try spec.watchSends([c], to: first)
        try spec.watchTakes([b.key], from: first)
        try spec.watchReachesSnapshot(at: 1_001)
        try spec.expectSnapshot(of: first, added: [c], removed: [b], isFromCache: false, in: 1)
        spec.userListens(to: last, in: [2])
        try spec.expectSnapshot(of: last, added: [c, a], isFromCache: false, in: 2)
        try spec.expectWatchRequests(1)
        try spec.userUnlistens(from: first, in: 1)
        try spec.watchSends([d], to: last)
        try spec.watchTakes([c.key], from: last)
        try spec.watchReachesSnapshot(at: 1_002)
        try spec.expectSnapshot(of: last, added: [d], removed: [c], isFromCache: false, in: 2)
        try spec.expectSilence()
        spec.programEnds(2)
        try spec.expectWatched(0)
    }

    @Test func `a mirror query for the cache alone sees what the other is told`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: first, in: [1])
        try spec.watchAnswers(first, with: [a, b], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: first, added: [a, b], isFromCache: false, in: 1)
        spec.userListens(to: last, in: [2], isCacheOnly: true)
        try spec.expectSnapshot(of: last, added: [b, a], isFromCache: false, in: 2)
        try spec.watchSends([d], to: first)
        try spec.watchTakes([b.key], from: first)
        try spec.watchReachesSnapshot(at: 1_002)
        try spec.expectSnapshot(of: first, added: [d], removed: [b], isFromCache: false, in: 1)
        try spec.expectSnapshot(of: last, added: [d], removed: [b], isFromCache: false, in: 2)
        try spec.userUnlistens(from: first, in: 1)
        try spec.expectWatched(0)
    }

    @Test func `a full limit is refilled with what the backend names instead`() throws {
        let spec = try FirestoreSpec()
        let two = Cast.first(2)
        spec.userListens(to: two, in: [2])
        try spec.watchAnswers(two, with: [a, c], resumeToken: "r1", at: 1_001)
        try spec.expectSnapshot(of: two, added: [a, c], isFromCache: false, in: 2)
        try spec.watchSends([b], to: two)
        try spec.watchTakes([c.key], from: two)
        try spec.watchReachesSnapshot(at: 1_002)
        try spec.expectSnapshot(of: two, added: [b], removed: [c], isFromCache: false, in: 2)
        try spec.expectLimbo([])
    }

    @Test func `what the backend stops naming for the last ones is in limbo`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: last, in: [2])
        try spec.watchAnswers(last, with: [a, b], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: last, added: [b, a], isFromCache: false, in: 2)
        try spec.watchResets(last)
        try spec.watchSends([a], to: last)
        try spec.watchMarksCurrent(last, resumeToken: "r2", at: 1_001)
        try spec.expectSnapshot(of: last, isFromCache: true, in: 2)
        try spec.expectLimbo([b.key])
        try spec.watchDeniesExistence(of: b.key, at: 1_002)
        try spec.expectSnapshot(of: last, removed: [b], isFromCache: false, in: 2)
    }
}
