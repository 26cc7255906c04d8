import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// A backend that is a moment behind the cache and stays there, as an emulator that was started anew
/// after a step of the clock: nobody waits longer than for a backend that says nothing.
struct MomentLagSpecs {
    private let rooms = Cast.rooms
    private let large = Cast.query(sizeFrom: 1)
    private let others = collection("others")
    /// When the cache was last in step, in microseconds.
    private let newest: Int64 = 7_200_000_000
    /// Five seconds earlier.
    private let behind: Int64 = 7_195_000_000

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

    /// Which online states came one after the other.
    private func states(_ spec: FirestoreSpec) -> [OnlineState] {
        spec.driver.actions.compactMap { action -> OnlineState? in
            guard case .note(.onlineState(let state)) = action else { return nil }
            return state
        }
    }

    @Test(arguments: [Cast.query(sizeFrom: 1), Query(document: Cast.hall.key)])
    func `a default read is answered from the cache after ten seconds`(query: Query) throws {
        let spec = try answered()
        let begun = spec.driver.clock.now
        let read = spec.driver.read(query, from: .default)
        try spec.watchAnswers(query, with: [Cast.hall], resumeToken: "l1", at: behind)
        try spec.watchReachesSnapshot(at: behind)
        #expect(spec.driver.answer(to: read) == nil)
        spec.driver.fire(upTo: .backendSilence)
        #expect(spec.driver.clock.now.since(begun) == .seconds(10))
        let answer = try #require(spec.driver.answer(to: read))
        #expect(answer.isFromCache)
        #expect(answer.documents.documents.map(\.key) == [Cast.hall.key])
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        let news = told(spec)
        #expect(news.count == 1)
        #expect(news.first?.message.contains("5 s behind what the cache has") == true)
    }

    @Test func `a read from the server alone is refused with the cause`() throws {
        let spec = try answered()
        let read = spec.driver.read(large, from: .server)
        try spec.watchAnswers(large, with: [Cast.hall], resumeToken: "l1", at: behind)
        spec.driver.fire(upTo: .backendSilence)
        var refusal: HearthError?
        for case .refuse(read, let error) in spec.driver.actions { refusal = error }
        #expect(refusal?.code == .unavailable)
        #expect(refusal?.message.contains("5 s behind what the cache has") == true)
    }

    @Test func `a listener hears the cache, and the backend once its time has caught up`() throws {
        let spec = try answered()
        let one = document("others/one", at: behind - 1, ["x": .integer(1)])
        spec.userListens(to: others)
        try spec.watchAnswers(others, with: [one], resumeToken: "o1", at: behind)
        try spec.expectSilence()
        spec.driver.fire(upTo: .backendSilence)
        try spec.expectSnapshot(of: others, isFromCache: true)
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        try spec.watchReachesSnapshot(at: newest + 1)
        try spec.expectSnapshot(of: others, added: [one], isFromCache: false)
        try spec.expectSnapshot(of: rooms, isFromCache: false)
        try spec.expectSilence()
    }

    @Test func `words of the old time move nobody, and the online state changes twice in all`()
        throws
    {
        let spec = try answered()
        let read = spec.driver.read(large, from: .default)
        try spec.watchAnswers(large, with: [Cast.hall], resumeToken: "l1", at: behind)
        try spec.watchReachesSnapshot(at: behind + 1)
        #expect(states(spec).isEmpty)
        spec.driver.fire(upTo: .backendSilence)
        #expect(spec.driver.answer(to: read) != nil)
        try spec.watchReachesSnapshot(at: behind + 2)
        try spec.watchSends([Cast.room("hall", size: 2, at: behind + 3)], to: rooms)
        try spec.watchReachesSnapshot(at: behind + 3)
        let next = spec.driver.read(Cast.first(1), from: .default)
        #expect(spec.driver.answer(to: next)?.isFromCache == true)
        #expect(states(spec) == [.offline])
        #expect(told(spec).count == 1)
        try spec.watchReachesSnapshot(at: newest)
        #expect(states(spec) == [.offline, .online])
        let late = spec.driver.read(Cast.first(2), from: .default)
        #expect(spec.driver.answer(to: late) == nil)
    }

    @Test func `a backend that catches up in time answers, and nothing is told`() throws {
        let spec = try answered()
        let read = spec.driver.read(large, from: .default)
        try spec.watchAnswers(large, with: [Cast.hall], resumeToken: "l1", at: behind)
        try spec.watchReachesSnapshot(at: newest + 1)
        #expect(spec.driver.answer(to: read)?.isFromCache == false)
        spec.driver.fire(upTo: .backendSilence)
        #expect(states(spec).isEmpty)
        #expect(told(spec).isEmpty)
        try spec.expectSilence()
    }

    @Test func `all is told whole, so a backend that is a moment behind is left alone`() throws {
        let spec = try answered()
        try spec.watchReachesSnapshot(at: behind)
        #expect(!spec.driver.timers.contains(.backendSilence))
        spec.driver.take(.timerFired(.backendSilence))
        #expect(states(spec).isEmpty)
        #expect(told(spec).isEmpty)
        try spec.expectSilence()
    }

    @Test func `a listen whose answer is on its way is no answer held back`() throws {
        let spec = try answered()
        let read = spec.driver.read(large, from: .default)
        try spec.watchAcknowledges(large)
        try spec.watchSends([Cast.hall], to: large)
        try spec.watchReachesSnapshot(at: behind)
        spec.driver.fire(upTo: .backendSilence)
        #expect(spec.driver.answer(to: read) == nil)
        #expect(states(spec).isEmpty)
    }

    @Test func `a silence is not ended by snapshots that are passed over`() throws {
        let spec = try answered()
        let read = spec.driver.read(large, from: .default)
        try spec.watchReachesSnapshot(at: behind)
        spec.driver.fire(upTo: .backendSilence)
        #expect(spec.driver.answer(to: read)?.isFromCache == true)
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        try spec.watchReachesSnapshot(at: behind + 1)
        try spec.expectSilence()
        #expect(states(spec) == [.offline])
        try spec.watchReachesSnapshot(at: newest)
        try spec.expectSnapshot(of: rooms, isFromCache: false)
        #expect(states(spec) == [.offline, .online])
    }

    @Test func `a silent backend that comes back far behind is not online in between`() throws {
        let spec = try answered()
        _ = spec.driver.read(large, from: .default)
        spec.driver.fire(upTo: .backendSilence)
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        try spec.watchReachesSnapshot(at: newest - 3_600_000_000)
        try spec.watchSends([Cast.room("hall", size: 2, at: behind)], to: rooms)
        try spec.expectSilence()
        #expect(states(spec) == [.offline])
        #expect(told(spec).count == 1)
        try spec.watchReachesSnapshot(at: newest + 1)
        #expect(states(spec) == [.offline, .online])
    }

    @Test func `an emulator that was started anew a moment behind keeps no read waiting`() throws {
        let spec = try answered()
        try spec.watchCloses()
        let read = spec.driver.read(large, from: .default)
        try spec.watchAcknowledges(rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: behind)
        try spec.watchAnswers(large, with: [Cast.hall], resumeToken: "l1", at: behind)
        #expect(spec.driver.answer(to: read) == nil)
        spec.driver.fire(upTo: .backendSilence)
        #expect(spec.driver.answer(to: read)?.isFromCache == true)
    }
}
