import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// A backend whose clock went back: nobody waits for the time that the cache has seen, everybody is told,
/// and with the first snapshot in order all is as before.
struct LagSpecs {
    private let rooms = Cast.rooms
    private let large = Cast.query(sizeFrom: 1)
    /// When the cache was last in step, in microseconds.
    private let newest: Int64 = 7_200_000_000
    /// An hour earlier.
    private let old: Int64 = 3_600_000_000

    /// Somebody listens to the rooms, and the backend has said all of them.
    private func answered() throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: newest)
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false)
        spec.driver.forgetHeard()
        return spec
    }

    /// What the journal was told of the lag.
    private func told(_ spec: FirestoreSpec) -> [HearthError] {
        spec.driver.actions.compactMap { action -> HearthError? in
            guard case .note(.backendBehind(let error)) = action else { return nil }
            return error
        }
    }

    /// Whether operators were told that the backend is in order.
    private func hasRecovered(_ spec: FirestoreSpec) -> Bool {
        spec.driver.actions.contains {
            if case .note(.connectionRecovered) = $0 { true } else { false }
        }
    }

    @Test func `a read that waits is answered from the cache by the first snapshot of an old time`()
        throws
    {
        let spec = try answered()
        let read = spec.driver.read(large, from: .default)
        try spec.watchAnswers(large, with: [Cast.hall], resumeToken: "l1", at: old)
        let answer = try #require(spec.driver.answer(to: read))
        #expect(answer.isFromCache)
        #expect(answer.documents.documents.map(\.key) == [Cast.hall.key])
        try spec.expectSnapshot(of: rooms, isFromCache: true)
    }

    @Test func `a read from the server alone fails with the cause and what would help`() throws {
        let spec = try answered()
        let read = spec.driver.read(large, from: .server)
        try spec.watchAnswers(large, with: [Cast.hall], resumeToken: "l1", at: old)
        var refusal: HearthError?
        for case .refuse(read, let error) in spec.driver.actions { refusal = error }
        #expect(refusal?.code == .unavailable)
        #expect(refusal?.message.contains("3600 s behind what the cache has") == true)
        #expect(refusal?.message.contains("clearPersistence()") == true)
    }

    @Test func `who comes later waits no more, and words of the old time change nothing`() throws {
        let spec = try answered()
        try spec.watchReachesSnapshot(at: old)
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        let read = spec.driver.read(large, from: .default)
        #expect(spec.driver.answer(to: read)?.isFromCache == true)
        spec.userListens(to: Cast.first(1))
        try spec.expectSnapshot(of: Cast.first(1), added: [Cast.hall], isFromCache: true)
        try spec.watchAnswers(Cast.first(1), with: [Cast.hall], resumeToken: "f1", at: old + 1)
        // Behind by a moment is still behind.
        try spec.watchReachesSnapshot(at: newest - 1)
        try spec.expectSilence()
        #expect(told(spec).count == 1)
        #expect(!hasRecovered(spec))
    }

    @Test func `the first snapshot in order ends it, with what was said meanwhile`() throws {
        let spec = try answered()
        let grown = Cast.room("hall", size: 2, at: newest + 1)
        try spec.watchReachesSnapshot(at: old)
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        try spec.watchSends([grown], to: rooms)
        try spec.expectSilence()
        try spec.watchReachesSnapshot(at: newest + 2)
        try spec.expectSnapshot(of: rooms, modified: [grown], isFromCache: false)
        #expect(hasRecovered(spec))
        let late = spec.driver.read(large, from: .default)
        #expect(spec.driver.answer(to: late) == nil)
    }

    @Test func `a snapshot in order without news ends it too`() throws {
        let spec = try answered()
        try spec.watchReachesSnapshot(at: old)
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        try spec.watchReachesSnapshot(at: newest)
        try spec.expectSnapshot(of: rooms, isFromCache: false)
        #expect(hasRecovered(spec))
    }

    @Test func `a snapshot that is behind by a moment is passed over without a word`() throws {
        let spec = try answered()
        try spec.watchReachesSnapshot(at: newest - 30_000_000)
        try spec.expectSilence()
        #expect(told(spec).isEmpty)
        let read = spec.driver.read(large, from: .default)
        #expect(spec.driver.answer(to: read) == nil)
    }

    @Test func `each stream tells it once, for the end of the last one was told in between`()
        throws
    {
        let spec = try answered()
        try spec.watchReachesSnapshot(at: old)
        try spec.watchReachesSnapshot(at: old + 1)
        #expect(told(spec).count == 1)
        try spec.watchCloses()
        try spec.watchAcknowledges(rooms)
        try spec.watchReachesSnapshot(at: old + 2)
        #expect(told(spec).count == 2)
        #expect(!hasRecovered(spec))
    }
}
