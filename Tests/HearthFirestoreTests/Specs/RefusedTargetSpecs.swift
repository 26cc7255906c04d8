import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// Targets that the backend refuses are over, whatever the reason.
struct RefusedTargetSpecs {
    private let rooms = Cast.rooms
    private let large = Cast.query(sizeFrom: 1)

    @Test(arguments: [StatusCode.permissionDenied, .resourceExhausted, .unavailable, .aborted])
    func `a refusal of whatever code ends the listener, and is not tried again`(
        code: StatusCode
    ) throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        spec.userListens(to: large)
        try spec.watchRemoves(rooms, cause: HearthError(code: code, message: "No."))
        try spec.expectError(of: rooms, code)
        try spec.expectSilence()
        let stream = try #require(spec.driver.upstream.watch)
        try spec.watchAnswers(large, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: large, added: [Cast.hall], isFromCache: false)
        try spec.watchCloses()
        #expect(spec.driver.upstream.watch != stream)
        try spec.expectListen(to: large, from: Cast.token("r1"), expectedCount: 1)
        #expect(spec.driver.engine.targetID(for: rooms) == nil)
        try spec.expectWatched(1)
    }

    // MARK: While the store fails

    @Test func `a refusal that cannot be stored ends the listener, and no other`() throws {
        var call = 1
        while true {
            let spec = try FirestoreSpec()
            spec.userListens(to: rooms)
            spec.userListens(to: large)
            try spec.watchAnswers(large, with: [Cast.hall], resumeToken: "r1", at: 1_000)
            spec.driver.forgetHeard()
            let stream = spec.driver.upstream.watch
            spec.driver.store.failingCall = call
            let error = HearthError(code: .permissionDenied, message: "No.")
            try spec.watchRemoves(rooms, cause: error)
            let hasFailed = spec.driver.store.failingCall == nil
            spec.driver.store.failingCall = nil
            try spec.expectError(of: rooms, .permissionDenied)
            try spec.expectSilence()
            #expect(spec.driver.upstream.watch == stream, "call \(call)")
            #expect(!spec.driver.timers.contains(.storeRetry), "call \(call)")
            try spec.expectWatched(1)
            spec.userListens(to: rooms)
            try spec.expectListen(to: rooms)
            guard hasFailed else { break }
            call += 1
        }
        #expect(call > 1)
    }

    @Test func `what is listened to while no refusal can be stored is watched`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        spec.driver.store.failing = [.releaseTarget]
        spec.userListens(to: large)
        let error = HearthError(code: .permissionDenied, message: "No.")
        try spec.watchRemoves(rooms, cause: error)
        try spec.expectError(of: rooms, .permissionDenied)
        let first = Cast.first(1)
        spec.userListens(to: first)
        try spec.watchAnswers(first, with: [Cast.hall], resumeToken: "f1", at: 1_000)
        try spec.expectSnapshot(of: first, added: [Cast.hall], isFromCache: false)
        spec.driver.forgetHeard()
        try spec.watchRemoves(large, cause: error)
        try spec.expectError(of: large, .permissionDenied)
        try spec.expectWatched(1)
        spec.driver.store.failing = []
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_001)
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: true)
        try spec.expectSnapshot(of: rooms, isFromCache: false)
    }

    @Test func `a refused lookup waits for the store, a query refused with it does not`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: large)
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.watchResets(rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        try spec.expectLimbo([Cast.hall.key])
        spec.driver.forgetHeard()
        let error = HearthError(code: .permissionDenied, message: "No.")
        let engine = spec.driver.engine
        let refused = [engine.targetID(for: large), engine.activeLimboTargets[Cast.hall.key]]
        let names = refused.compactMap { $0 }.compactMap { engine.wireTargetIDs()[$0] }
        #expect(names.count == 2)
        spec.driver.store.failing = [.applyRemoteEvent]
        try spec.watch(.target(.init(kind: .removed(error), targets: names)))
        try spec.expectError(of: large, .permissionDenied)
        spec.driver.store.failing = []
        spec.driver.fire(upTo: .storeRetry)
        try spec.expectLimbo([Cast.hall.key])
        try spec.expectNoListen(to: large)
        spec.driver.forgetHeard()
        try spec.watchAnswers(rooms, with: [], resumeToken: "r3", at: 1_002)
        try spec.watchRemoves(Query(document: Cast.hall.key), cause: error)
        try spec.expectLimbo([])
        let last = try #require(spec.driver.heard.last).result.get()
        #expect(last.documents.isEmpty && !last.isFromCache)
    }

    @Test func `a refusal of several targets ends each`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        spec.userListens(to: large)
        let names = spec.driver.engine.wireTargetIDs().values.sorted()
        let error = HearthError(code: .permissionDenied, message: "No.")
        try spec.watch(.target(.init(kind: .removed(error), targets: names)))
        try spec.expectError(of: rooms, .permissionDenied)
        try spec.expectError(of: large, .permissionDenied)
    }

    @Test func `a refused lookup empties the cache of its document, and the next may start`() throws
    {
        let spec = try FirestoreSpec(limboResolutionCountMax: 1)
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.attic, Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.watchResets(rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        try spec.expectLimbo([Cast.attic.key], waiting: [Cast.hall.key])
        spec.driver.forgetHeard()
        let attic = Query(document: Cast.attic.key)
        try spec.watchRemoves(
            attic, cause: HearthError(code: .permissionDenied, message: "No."))
        try spec.expectSnapshot(of: rooms, removed: [Cast.attic], isFromCache: true)
        try spec.expectLimbo([Cast.hall.key])
        try spec.expectNoListen(to: attic)
        try spec.watchDeniesExistence(of: Cast.hall.key, at: 1_002)
        try spec.expectSnapshot(of: rooms, removed: [Cast.hall], isFromCache: false)
        spec.userListens(to: attic)
        try spec.expectSilence()
    }

    @Test func `lookups are at most a hundred at a time, the others follow in their order`() throws
    {
        let spec = try FirestoreSpec()
        let all = (0..<105).map { number in
            Cast.room("room-" + String(1_000 + number))
        }
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: all, resumeToken: "r1", at: 1_000)
        try spec.watchResets(rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
        try spec.expectLimbo(all.prefix(100).map(\.key), waiting: all.suffix(5).map(\.key))
        for room in all.prefix(3) { try spec.watchDeniesExistence(of: room.key, at: 1_002) }
        try spec.expectLimbo(
            all.dropFirst(3).prefix(100).map(\.key), waiting: all.suffix(2).map(\.key))
    }
}
