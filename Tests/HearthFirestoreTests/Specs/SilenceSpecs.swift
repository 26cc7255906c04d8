import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// A backend that hangs while the connection stands: nobody waits longer than ten seconds for what
/// the cache has, and the first word makes everything as before.
struct SilenceSpecs {
    private let rooms = Cast.rooms
    private let large = Cast.query(sizeFrom: 1)
    private let id = RequestID(session: 1, number: 1)
    private let next = RequestID(session: 1, number: 2)
    private let last = RequestID(session: 1, number: 3)
    private let hall = key("rooms/hall")

    /// Somebody listens to the rooms, and the backend has said all of them.
    private func answered() throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false)
        return spec
    }

    // MARK: The stream

    @Test func `a read on a standing stream is answered from the cache after ten seconds`() throws {
        let spec = try answered()
        let stream = try #require(spec.driver.upstream.watch)
        let begun = spec.driver.clock.now
        let read = spec.driver.read(large, from: .default)
        #expect(spec.driver.answer(to: read) == nil)
        spec.driver.fire(upTo: .backendSilence)
        #expect(spec.driver.clock.now.since(begun) == .seconds(10))
        let answer = try #require(spec.driver.answer(to: read))
        #expect(answer.isFromCache)
        #expect(answer.documents.documents.map(\.key) == [Cast.hall.key])
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        #expect(spec.driver.upstream.watch == stream)
    }

    @Test func `a read from the server alone is refused after ten seconds`() throws {
        let spec = try answered()
        let read = spec.driver.read(large, from: .server)
        spec.driver.fire(upTo: .backendSilence)
        #expect(spec.driver.refusal(of: read) == .unavailable)
    }

    @Test func `who comes after the ten seconds waits no more, until the backend speaks`() throws {
        let spec = try answered()
        _ = spec.driver.read(large, from: .default)
        spec.driver.fire(upTo: .backendSilence)
        spec.driver.forgetHeard()
        let early = spec.driver.read(Cast.first(1), from: .default)
        #expect(spec.driver.answer(to: early)?.isFromCache == true)
        spec.userListens(to: large)
        try spec.expectSnapshot(of: large, added: [Cast.hall], isFromCache: true)
        // One word, about anything.
        try spec.watchReachesSnapshot(at: 1_001)
        try spec.expectSnapshot(of: rooms, isFromCache: false)
        let late = spec.driver.read(Cast.first(2), from: .default)
        #expect(spec.driver.answer(to: late) == nil)
        try spec.watchAnswers(
            Cast.first(2), with: [Cast.hall], resumeToken: "r2", at: 1_002)
        #expect(spec.driver.answer(to: late)?.isFromCache == false)
    }

    @Test func `a listen that the backend takes up is no silence`() throws {
        let spec = try answered()
        let read = spec.driver.read(large, from: .default)
        try spec.watchAcknowledges(large)
        spec.driver.fire(upTo: .backendSilence)
        #expect(spec.driver.answer(to: read) == nil)
        try spec.expectSilence()
        #expect(!spec.driver.timers.contains(.backendSilence))
    }

    @Test func `nothing is asked, so a quiet backend is no silent one`() throws {
        let spec = try answered()
        #expect(!spec.driver.timers.contains(.backendSilence))
        spec.driver.take(.timerFired(.backendSilence))
        try spec.expectSilence()
    }

    @Test func `a stream that ends while it is silent comes back as any other`() throws {
        let spec = try answered()
        _ = spec.driver.read(large, from: .default)
        spec.driver.fire(upTo: .backendSilence)
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        try spec.watchCloses()
        try spec.expectSilence()
        try spec.watchAnswers(rooms, with: [], resumeToken: "r2", at: 1_001)
        try spec.expectSnapshot(of: rooms, isFromCache: false)
    }

    @Test func `the ten seconds count from the question, though the stream is opened anew`() throws
    {
        let spec = try answered()
        let begun = spec.driver.clock.now
        let read = spec.driver.read(large, from: .default)
        try spec.watchCloses()
        #expect(spec.driver.answer(to: read) == nil)
        spec.driver.fire(upTo: .backendSilence)
        #expect(spec.driver.clock.now.since(begun) == .seconds(10))
        #expect(spec.driver.answer(to: read)?.isFromCache == true)
    }

    // MARK: Calls

    private func engine() throws -> EngineBench {
        let store = MemoryStore()
        var hall = document("rooms/hall", ["x": .integer(3)])
        hall.readAt = version(1_000)
        let cached = hall
        try store.transaction { transaction throws(StoreError) in
            try transaction.setRemoteDocument(cached)
        }
        return try EngineBench(on: store)
    }

    private func read(_ actions: [FirestoreEngine.Action], _ id: RequestID) -> DocumentsRead? {
        for case .result(id, .read(let read)) in actions { return read }
        return nil
    }

    private func isAsked(_ actions: [FirestoreEngine.Action]) -> Bool {
        actions.contains { if case .upstream(.call) = $0 { true } else { false } }
    }

    /// Ten seconds pass without a word.
    private func pass(_ bench: inout EngineBench) throws -> [FirestoreEngine.Action] {
        bench.now = bench.now.advanced(by: .seconds(10))
        return try bench.take(.timerFired(.backendSilence))
    }

    @Test func `a read by name is answered from the cache, and its late answer ends the silence`()
        throws
    {
        var bench = try engine()
        try bench.take(.read(id, [hall], .default))
        let given = try pass(&bench)
        #expect(read(given, id)?.isFromCache == true)
        #expect(!given.contains(.upstream(.abandon(id))))
        // The question that is on its way is enough.
        let second = try bench.take(.read(next, [hall], .default))
        #expect(read(second, next)?.isFromCache == true)
        #expect(!isAsked(second))
        var told = document("rooms/hall", at: 5_000, ["x": .integer(4)])
        told.readAt = version(9_000)
        let late = try bench.take(.upstream(.called(id, .read([told]))))
        #expect(read(late, id) == nil)
        #expect(try bench.read { try $0.remoteDocument(hall) }.version == version(5_000))
        let third = try bench.take(.read(last, [hall], .default))
        #expect(read(third, last) == nil)
        #expect(isAsked(third))
    }

    @Test func `when the last question has failed too, the next read asks anew`() throws {
        var bench = try engine()
        try bench.take(.read(id, [hall], .default))
        _ = try pass(&bench)
        let lost = HearthError(code: .unavailable, message: "Lost.")
        let failed = try bench.take(.upstream(.called(id, .failed(lost))))
        #expect(read(failed, id) == nil)
        let asked = try bench.take(.read(next, [hall], .default))
        #expect(isAsked(asked))
    }

    @Test func `a program that leaves does not take the question to a silent backend with it`()
        throws
    {
        var bench = try engine()
        try bench.take(.read(id, [hall], .default))
        _ = try pass(&bench)
        let left = try bench.take(.disconnected(session: id.session))
        #expect(!left.contains(.upstream(.abandon(id))))
        var told = document("rooms/hall", at: 5_000)
        told.readAt = version(9_000)
        try bench.take(.upstream(.called(id, .read([told]))))
        let asked = try bench.take(.read(RequestID(session: 2, number: 1), [hall], .default))
        #expect(isAsked(asked))
    }

    @Test func `numbers are computed here after ten seconds, and prove nothing of the backend`()
        throws
    {
        var bench = try engine()
        let count = Aggregation(alias: "n", operation: .count(upTo: nil))
        let request = AggregateRequest(
            query: collection("rooms"), aggregations: [count], source: .default)
        try bench.take(.aggregate(id, request))
        let given = try pass(&bench)
        var answer: AggregateResult?
        for case .result(id, .aggregated(let result)) in given { answer = result }
        #expect(answer?.isFromCache == true)
        #expect(answer?.values == ["n": .integer(1)])
        #expect(given.contains(.upstream(.abandon(id))))
        let asked = try bench.take(.read(next, [hall], .default))
        #expect(isAsked(asked))
    }

    @Test func `a read from the server alone waits for the backend's word`() throws {
        var bench = try engine()
        try bench.take(.read(id, [hall], .server))
        #expect(try pass(&bench).isEmpty)
    }
}
