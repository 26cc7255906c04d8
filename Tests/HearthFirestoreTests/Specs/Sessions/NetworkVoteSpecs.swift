import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// One connection and several programs: the connection is used while any program is for it, and
/// everybody knows the same of the connection.
struct NetworkVoteSpecs {
    private let rooms = Cast.rooms
    private let large = Cast.query(sizeFrom: 1)

    private func shared() throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms, in: [1, 2])
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        spec.driver.forgetHeard()
        return spec
    }

    @Test func `a read of a program against the network is answered from the cache alone`() throws {
        let spec = try shared()
        spec.userVotes(isEnabled: false, in: 1)
        func read(from source: ReadSource, in session: UInt64) -> RequestID {
            spec.session(session) { spec.driver.read(rooms, from: source) }
        }
        let (own, server) = (read(from: .default, in: 1), read(from: .server, in: 1))
        #expect(spec.driver.answer(to: own)?.isFromCache == true)
        #expect(spec.driver.refusal(of: server) == .unavailable)
        let other = read(from: .server, in: 2)
        #expect(spec.driver.answer(to: other)?.isFromCache == false)
        spec.userVotes(isEnabled: true, in: 1)
        let again = read(from: .server, in: 1)
        #expect(spec.driver.answer(to: again)?.isFromCache == false)
    }

    @Test func `a wish that is said twice takes no vote that the program's writes have given`()
        throws
    {
        let spec = try FirestoreSpec()
        spec.userVotes(isEnabled: false, in: 2)
        for _ in 1...2 { spec.userVotes(isEnabled: false, in: 1, administers: false) }
        spec.userWrites(Cast.set("attic"), in: 1)
        spec.userVotes(isEnabled: false, in: 1, administers: false)
        #expect(spec.driver.upstream.sent == [[Cast.set("attic")]])
    }

    @Test func `who has lost the right to administer takes the wish back whole`() throws {
        let spec = try shared()
        for session: UInt64 in [1, 2] { spec.userVotes(isEnabled: false, in: session) }
        try spec.expectWatched(0)
        spec.userVotes(isEnabled: true, in: 1, administers: false)
        try spec.expectWatched(1)
    }

    @Test func `when all are against it everybody is offline, until one comes who is not`() throws {
        let spec = try shared()
        spec.userVotes(isEnabled: false, in: 1)
        spec.userVotes(isEnabled: false, in: 2)
        try spec.expectWatched(0)
        for session: UInt64 in [1, 2] {
            try spec.expectSnapshot(of: rooms, isFromCache: true, in: session)
        }
        spec.userListens(to: large, in: [3])
        try spec.expectWatched(1)  // What the others listen to, they want from the cache.
        spec.programEnds(3)
        try spec.expectWatched(0)
        spec.userVotes(isEnabled: true, in: 1)
        try spec.expectWatched(1)
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 1)
        spec.driver.forgetHeard()
        try spec.watchAnswers(rooms, with: [], resumeToken: "r2", at: 1_001)
        try spec.expectSnapshot(of: rooms, isFromCache: false, in: 1)
        try spec.expectSilence()
        spec.userVotes(isEnabled: true, in: 2)
        try spec.expectSnapshot(of: rooms, isFromCache: false, in: 2)
    }

    @Test func `a write of somebody against the network is sent by the others' connection`() throws
    {
        let spec = try shared()
        spec.userVotes(isEnabled: false, in: 1)
        spec.userWrites(Cast.set("attic"), in: 1)
        #expect(spec.driver.upstream.sent == [[Cast.set("attic")]])
    }

    @Test func `who comes while the backend cannot be reached hears at once`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms, in: [1])
        try spec.expectSilence()
        try spec.watchCloses()
        try spec.expectSnapshot(of: rooms, isFromCache: true, in: 1)
        spec.userListens(to: large, in: [2])
        try spec.expectSnapshot(of: large, isFromCache: true, in: 2)
        try spec.expectSilence()
    }

    @Test func `after a restart nobody is offline before it was tried`() throws {
        let spec = try FirestoreSpec(on: .keptMemory())
        spec.userListens(to: rooms, in: [1])
        try spec.watchCloses()
        try spec.driver.restart()
        spec.driver.forgetHeard()
        spec.userListens(to: rooms, in: [2])
        try spec.expectSilence()
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false, in: 2)
    }

    @Test func `who may not administer keeps nobody's writes from the backend`() throws {
        let spec = try FirestoreSpec()
        spec.userVotes(isEnabled: false, in: 1, administers: false)
        spec.userWrites(Cast.set("attic"), in: 2)
        #expect(spec.driver.upstream.sent == [[Cast.set("attic")]])
        try spec.writeIsCommitted(at: 1_000)
        spec.userVotes(isEnabled: false, in: 2, administers: false)
        spec.userWrites(Cast.set("hall"), in: 1)
        #expect(spec.driver.upstream.sent.last == [Cast.set("hall")])
    }

    @Test(arguments: [true, false])
    func `one program against the network is shown the cache, and others what the backend says`(
        administers: Bool
    ) throws {
        let spec = try shared()
        spec.userVotes(isEnabled: false, in: 1, administers: administers)
        try spec.expectWatched(1)
        try spec.expectSnapshot(of: rooms, isFromCache: true, in: 1)
        try spec.expectSilence()
        try spec.watchSends([Cast.attic], to: rooms)
        try spec.watchReachesSnapshot(at: 1_001)
        try spec.expectSnapshot(of: rooms, added: [Cast.attic], isFromCache: true, in: 1)
        try spec.expectSnapshot(of: rooms, added: [Cast.attic], isFromCache: false, in: 2)
        spec.userListens(to: rooms, in: [1])
        try spec.expectSnapshot(
            of: rooms, added: [Cast.attic, Cast.hall], isFromCache: true, in: 1)
        spec.userVotes(isEnabled: true, in: 1, administers: administers)
        try spec.expectSnapshot(of: rooms, isFromCache: false, in: 1)
    }

    @Test(arguments: [true, false])
    func `what only such a program listens to is not watched until it wants the network`(
        administers: Bool
    ) throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms, in: [1])
        spec.userVotes(isEnabled: true, in: 2)  // Another program wants the network.
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        spec.driver.forgetHeard()
        spec.userVotes(isEnabled: false, in: 1, administers: administers)
        try spec.expectWatched(0)
        try spec.expectSnapshot(of: rooms, isFromCache: true, in: 1)
        spec.userListens(to: large, in: [1])
        try spec.expectWatched(0)
        spec.userVotes(isEnabled: true, in: 1, administers: administers)
        try spec.expectWatched(2)
        spec.programEnds(1)
        try spec.expectWatched(0)
    }
}
