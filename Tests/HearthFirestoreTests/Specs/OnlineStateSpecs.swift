import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// What listeners hear of the backend's being there or not.
///
/// A stream that breaks proves nothing yet: what was complete counts as complete until the backend
/// is known to be away, which takes one failed attempt or ten seconds.
struct OnlineStateSpecs {
    private let rooms = Cast.rooms
    private let large = Cast.query(sizeFrom: 1)

    private func answered() throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false)
        return spec
    }

    @Test func `a stream that breaks and comes back at once is not told of`() throws {
        let spec = try answered()
        try spec.watchCloses()
        try spec.expectSilence()
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 1)
        try spec.watchAnswers(rooms, with: [], resumeToken: "r2", at: 1_001)
        try spec.expectSilence()
    }

    @Test func `after a failed attempt a complete result is from the cache, until it is so again`()
        throws
    {
        let spec = try answered()
        try spec.watchCloses()
        try spec.watchCloses()
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        try spec.watchCloses()
        try spec.expectSilence()
        try spec.watchAnswers(rooms, with: [], resumeToken: "r2", at: 1_001)
        try spec.expectSnapshot(of: rooms, isFromCache: false)
        try spec.expectSilence()
    }

    @Test func `ten seconds without an answer make a complete result one from the cache`() throws {
        let spec = try answered()
        try spec.watchCloses()
        #expect(spec.driver.timers.contains(.onlineState))
        spec.driver.fire(upTo: .onlineState)
        try spec.expectSnapshot(of: rooms, isFromCache: true)
    }

    @Test func `a late listener hears what the others know of the backend`() throws {
        let spec = try answered()
        try spec.watchCloses()
        spec.userListens(to: rooms, in: [2])
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false, in: 2)
        try spec.watchCloses()
        try spec.expectSnapshot(of: rooms, isFromCache: true, in: 1)
        try spec.expectSnapshot(of: rooms, isFromCache: true, in: 2)
        spec.userListens(to: rooms, in: [3])
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: true, in: 3)
    }

    @Test func `news on the new stream before it is complete make the result one from the cache`()
        throws
    {
        let spec = try answered()
        try spec.watchCloses()
        try spec.watchAcknowledges(rooms)
        try spec.watchSends([Cast.attic], to: rooms)
        try spec.watchReachesSnapshot(at: 1_001)
        try spec.expectSnapshot(of: rooms, added: [Cast.attic], isFromCache: true)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_002)
        try spec.expectSnapshot(of: rooms, isFromCache: false)
    }

    @Test func `a local write while the backend's fate is open leaves the result complete`() throws
    {
        let spec = try answered()
        try spec.watchCloses()
        spec.userWrites(Cast.set("attic", size: 2))
        try spec.expectSnapshot(
            of: rooms, added: [Cast.pending("attic", size: 2)], isFromCache: false,
            hasPendingWrites: true)
    }

    @Test func `a network switched off is told at once, and on again only when it answers`() throws
    {
        let spec = try answered()
        spec.driver.setNetwork(isEnabled: false)
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        try spec.expectWatched(0)
        spec.driver.setNetwork(isEnabled: true)
        try spec.expectSilence()
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 1)
        try spec.watchAnswers(rooms, with: [], resumeToken: "r2", at: 1_001)
        try spec.expectSnapshot(of: rooms, isFromCache: false)
    }

    @Test func `switching the network twice the same way changes nothing`() throws {
        let spec = try answered()
        spec.driver.setNetwork(isEnabled: true)
        try spec.expectWatchRequests(1)
        spec.driver.setNetwork(isEnabled: false)
        spec.driver.forgetHeard()
        spec.driver.setNetwork(isEnabled: false)
        try spec.expectSilence()
        #expect(spec.driver.upstream.watch == nil)
    }

    @Test func `an empty query is answered when the first attempt has failed`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: large)
        try spec.expectSilence()
        try spec.watchCloses()
        try spec.expectSnapshot(of: large, isFromCache: true)
    }

    @Test func `after the end of all work nothing is sent, and late messages do nothing`() throws {
        let spec = try answered()
        let stream = try #require(spec.driver.upstream.watch)
        spec.driver.shutDown()
        #expect(spec.driver.upstream.watch == nil)
        #expect(spec.driver.timers.pending.isEmpty)
        spec.driver.forgetHeard()
        spec.driver.take(.upstream(.watchClosed(stream, nil)))
        spec.userWrites(Cast.set("attic"))
        #expect(spec.driver.upstream.write == nil)
        #expect(spec.driver.upstream.watch == nil)
    }
}
