import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// The end of all work: nothing is sent any more, whatever comes; what is on disk stays.
struct ShutdownSpecs {
    private let rooms = Cast.rooms

    /// A query that is watched, a document in a lookup, and a write that was sent.
    private func busy() throws -> FirestoreSpec {
        let spec = try FirestoreSpec(on: .keptMemory())
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.attic, Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.watchResets(rooms)
        try spec.watchSends([Cast.attic], to: rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        try spec.expectLimbo([Cast.hall.key])
        spec.userWrites(Cast.set("shed"))
        spec.driver.forgetHeard()
        return spec
    }

    private func commands(_ spec: FirestoreSpec) -> [UpstreamCommand] {
        spec.driver.actions.compactMap { action in
            if case .upstream(let command) = action { command } else { nil }
        }
    }

    @Test func `both streams are closed and no timer runs`() throws {
        let spec = try busy()
        spec.driver.shutDown()
        #expect(spec.driver.upstream.watch == nil)
        #expect(spec.driver.upstream.write == nil)
        #expect(spec.driver.timers.pending.isEmpty)
        try spec.expectSilence()
    }

    @Test func `nothing that comes afterwards reaches for the backend`() throws {
        let spec = try busy()
        let watch = try #require(spec.driver.upstream.watch)
        let write = try #require(spec.driver.upstream.write)
        spec.driver.shutDown()
        spec.driver.forgetHeard()
        let answer = WriteAnswer(token: [1], committedAt: FirestoreSpec.version(2_000), results: [])
        let late: [FirestoreEngine.Input] = [
            .upstream(.watchClosed(watch, nil)), .upstream(.writeAnswered(write, answer)),
            .upstream(.writeClosed(write, nil)), .setNetwork(isEnabled: true), .networkReturned,
            .changeUser(UserID("ann")), .shutdown,
        ]
        for input in late { spec.driver.take(input) }
        for timer in TimerID.allCases where timer != .garbageCollection && timer != .indexBackfill {
            spec.driver.take(.timerFired(timer))
        }
        spec.userListens(to: Cast.query(sizeFrom: 3))
        spec.userWrites(Cast.set("den"))
        #expect(commands(spec).isEmpty)
        #expect(spec.driver.acknowledgedDocuments.isEmpty)
    }

    @Test func `the cache still answers who asks it`() throws {
        let spec = try busy()
        spec.driver.shutDown()
        let read = spec.driver.read(rooms, from: .cache)
        #expect(spec.driver.answer(to: read)?.documents.count == 3)
        #expect(spec.driver.answer(to: read)?.isFromCache == true)
    }

    @Test func `the queue and where targets resume are there at the next start`() throws {
        let spec = try busy()
        spec.driver.shutDown()
        try spec.driver.restart()
        #expect(spec.driver.upstream.sent.map { $0.map(\.key) } == [[Cast.key("shed")]])
        spec.userListens(to: rooms)
        try spec.expectListen(to: rooms, from: Cast.token("r2"), expectedCount: 1)
        try spec.expectSnapshot(
            of: rooms, added: [Cast.attic, Cast.hall, Cast.pending("shed")], isFromCache: true,
            hasPendingWrites: true)
    }

    @Test func `a store that fails does not hinder it`() throws {
        let spec = try busy()
        spec.driver.store.failing = Set(StoreOperation.allCases)
        spec.driver.store.failsNextCommit = true
        spec.driver.shutDown()
        #expect(spec.driver.upstream.watch == nil)
        #expect(spec.driver.upstream.write == nil)
        #expect(spec.driver.timers.pending.isEmpty)
    }
}
