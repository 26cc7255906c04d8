import HearthEngine
import HearthModel
import HearthTesting
import Testing

@testable import HearthFirestore

/// Queries that are kept in step though nobody listens.
struct PinSpecs {
    private let rooms = Cast.rooms
    private let id = Pin.ID(uid: 7, name: "rooms")

    private func set(
        freshness: Duration? = nil, byteCountMax: Int = 1 << 20, _ others: Pin...
    ) -> PinSet {
        var set = PinSet()
        set.pins = [Pin(id: id, query: rooms, freshness: freshness)] + others
        set.uidByteCountMax = byteCountMax
        return set
    }

    /// Orders pins, and lets the engine take them up.
    private func pin(_ spec: FirestoreSpec, _ set: PinSet) {
        spec.driver.take(.setPins(set, for: nil))
        takeUp(spec)
    }

    private func takeUp(_ spec: FirestoreSpec) {
        for _ in 0..<20 {
            guard let dueAt = spec.driver.timers.dueAt(.pins),
                dueAt <= spec.driver.clock.now.advanced(by: .milliseconds(10))
            else { return }
            spec.driver.fire(upTo: .pins)
            spec.driver.drain()
        }
        Issue.record("The taking up does not end")
    }

    private func report(_ spec: FirestoreSpec, _ id: Pin.ID? = nil) throws -> PinReport {
        spec.driver.take(.tellPins(RequestID(session: 9, number: 9), [id ?? self.id]))
        for action in spec.driver.actions.reversed() {
            if case .result(_, .pins(let reports)) = action { return try #require(reports.first) }
        }
        throw nothing
    }

    private func cached(_ spec: FirestoreSpec) throws -> [DocumentKey] {
        spec.driver.take(.get(RequestID(session: 8, number: 8), rooms, .cache))
        for action in spec.driver.actions.reversed() {
            if case .answer(_, let snapshot) = action {
                return snapshot.documents.documents.map(\.key)
            }
        }
        throw nothing
    }

    private let nothing = HearthError(code: .internalError, message: "Nothing was told")

    @Test func `a pin is watched without a listener, and its results are the backend's`() throws {
        let spec = try FirestoreSpec()
        pin(spec, set())
        #expect(try report(spec).state == .waiting)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        #expect(try report(spec).state == .inStep)
        #expect(try report(spec).byteCount > 0)
        try spec.watchSends([Cast.attic], to: rooms)
        try spec.watchReachesSnapshot(at: 2_000)
        #expect(try cached(spec) == [Cast.attic.key, Cast.hall.key])
        #expect(spec.driver.heard.isEmpty)
    }

    @Test func `no collection takes what is pinned, and any takes it once the pin has ended`()
        throws
    {
        let spec = try FirestoreSpec()
        pin(spec, set(freshness: .seconds(600)))
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        #expect(try report(spec).state == .fresh)
        #expect(spec.driver.engine.targetID(for: rooms) == nil)
        spec.driver.take(.collectGarbage(cacheByteCountMax: 0))
        #expect(try cached(spec) == [Cast.hall.key])
        pin(spec, PinSet())
        spec.driver.take(.collectGarbage(cacheByteCountMax: 0))
        for _ in 0..<10 { spec.driver.take(.timerFired(.garbageCollection)) }
        #expect(try cached(spec) == [])
    }

    @Test func `an eager cache keeps what is pinned too`() throws {
        let spec = try FirestoreSpec(collection: .eager)
        pin(spec, set(freshness: .seconds(600)))
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        #expect(try cached(spec) == [Cast.hall.key])
        pin(spec, PinSet())
        #expect(try cached(spec) == [])
    }

    @Test func `a pin that need not be watched is refreshed when it is too old, from where it was`()
        throws
    {
        let spec = try FirestoreSpec()
        pin(spec, set(freshness: .seconds(600)))
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        #expect(spec.driver.engine.targetID(for: rooms) == nil)
        let dueAt = try #require(spec.driver.timers.dueAt(.pins))
        #expect(dueAt.since(spec.driver.clock.now) > .seconds(500))
        spec.driver.fire(upTo: .pins)
        takeUp(spec)
        #expect(try report(spec).state == .stale)
        let asked = spec.driver.upstream.active.values.first { $0.target == rooms.target }
        #expect(asked?.resumePoint == Cast.token("r1"))
        try spec.watchAcknowledges(rooms)
        try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 9_000)
        #expect(try report(spec).state == .fresh)
    }

    @Test(arguments: [StoryBacking.keptMemory(), .sqlite()], [nil, Duration.seconds(600)])
    func `a pin that was complete once is known as complete after a restart, offline`(
        backing: StoryBacking, freshness: Duration?
    ) throws {
        let spec = try FirestoreSpec(on: backing)
        pin(spec, set(freshness: freshness))
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.driver.restart()
        spec.driver.setNetwork(isEnabled: false)
        pin(spec, set(freshness: nil))
        #expect(try report(spec).state == .stale)
        #expect(try report(spec).byteCount > 0)
        spec.driver.take(.waitForPin(RequestID(session: 1, number: 1), id))
        #expect(spec.driver.actions.last == .complete(RequestID(session: 1, number: 1)))
    }

    @Test func `a waiter is told when the pin is complete, and when it ends`() throws {
        let spec = try FirestoreSpec()
        let (first, second) = (
            RequestID(session: 1, number: 1), RequestID(session: 1, number: 2)
        )
        // The daemon tells the pins a moment after the start; whoever asks before waits.
        spec.driver.take(.waitForPin(first, id))
        pin(spec, PinSet())
        #expect(refusal(spec, first)?.code == .notFound)
        spec.driver.forgetHeard()
        spec.driver.take(.waitForPin(first, id))
        #expect(refusal(spec, first)?.code == .notFound)
        pin(spec, set())
        spec.driver.take(.waitForPin(first, id))
        #expect(!spec.driver.actions.contains(.complete(first)))
        try spec.watchAnswers(rooms, with: [], resumeToken: "r1", at: 1_000)
        #expect(spec.driver.actions.contains(.complete(first)))
        let other = Pin(id: .init(uid: 7, name: "large"), query: Cast.query(sizeFrom: 2))
        pin(spec, set(other))
        spec.driver.take(.waitForPin(second, other.id))
        pin(spec, set())
        #expect(refusal(spec, second)?.code == .notFound)
    }

    private func refusal(_ spec: FirestoreSpec, _ id: RequestID) -> HearthError? {
        for case .refuse(id, let error) in spec.driver.actions.reversed() { return error }
        return nil
    }

    @Test func `the pins of subordinate users count together, for their owner`() throws {
        let other = Pin(id: .init(uid: 8, name: "same"), query: rooms)
        for isSubordinate in [false, true] {
            let spec = try FirestoreSpec()
            var limits = QueueLimits()
            if isSubordinate { limits.owners = SubordinateRanges("ada:7:2") { _ in 1_000 } }
            spec.driver.take(.setQueueLimits(limits))
            pin(spec, set(byteCountMax: Cast.hall.byteCount + Cast.hall.byteCount / 2, other))
            try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
            let states = try [id, other.id].map { try report(spec, $0).state }
            #expect(states.count(where: { $0 == .stopped }) == (isSubordinate ? 1 : 0))
        }
    }

    @Test func `a pin that takes its user above the limit is stopped and told, others stay`() throws
    {
        let spec = try FirestoreSpec()
        let other = Pin(id: .init(uid: 8, name: "large"), query: Cast.query(sizeFrom: 2))
        let byteCountMax = Cast.hall.byteCount + Cast.hall.byteCount / 2
        pin(spec, set(byteCountMax: byteCountMax, other))
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        #expect(try report(spec).state == .inStep)
        try spec.watchSends([Cast.attic], to: rooms)
        try spec.watchReachesSnapshot(at: 2_000)
        let stopped = try report(spec)
        #expect(stopped.state == .stopped)
        #expect(stopped.error?.code == .resourceExhausted)
        #expect(stopped.error?.message.contains("pins.uidByteCountMax = \(byteCountMax)") == true)
        #expect(spec.driver.engine.targetID(for: rooms) == nil)
        #expect(try report(spec, other.id).state == .waiting)
        // A larger limit lets it begin again, and a smaller one stops it at once.
        pin(spec, set(other))
        #expect(spec.driver.engine.targetID(for: rooms) != nil)
        pin(spec, set(byteCountMax: 10, other))
        #expect(try report(spec).state == .stopped)
    }

    @Test func `a pin that the backend refuses is told, and tried again later`() throws {
        let spec = try FirestoreSpec()
        pin(spec, set())
        try spec.watchRemoves(
            rooms, cause: HearthError(code: .permissionDenied, message: "Not yours."))
        #expect(try report(spec).state == .stopped)
        #expect(try report(spec).error?.code == .permissionDenied)
        spec.driver.fire(upTo: .pins)
        takeUp(spec)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        #expect(try report(spec).state == .inStep)
    }

    @Test func `a cache with pins can be cleared, and the pins begin anew`() throws {
        let spec = try FirestoreSpec()
        pin(spec, set())
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        let request = RequestID(session: 1, number: 1)
        spec.driver.take(.clearPersistence(request))
        #expect(spec.driver.actions.contains(.complete(request)))
        #expect(try cached(spec) == [])
        takeUp(spec)
        spec.driver.drain()
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r2", at: 2_000)
        #expect(try report(spec).state == .inStep)
    }

    @Test func `a listener and a pin share a target, and either may go first`() throws {
        let spec = try FirestoreSpec()
        pin(spec, set())
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.userUnlistens(from: rooms)
        #expect(spec.driver.engine.targetID(for: rooms) != nil)
        spec.userListens(to: rooms)
        pin(spec, PinSet())
        #expect(spec.driver.engine.targetID(for: rooms) != nil)
        try spec.userUnlistens(from: rooms)
        #expect(spec.driver.engine.targetID(for: rooms) == nil)
    }

    @Test func `a store that fails while a pin is taken up is tried again`() throws {
        let spec = try FirestoreSpec()
        spec.driver.store.failing = [.allocateTarget]
        spec.driver.take(.setPins(set(), for: nil))
        spec.driver.fire(upTo: .pins)
        #expect(spec.driver.engine.targetID(for: rooms) == nil)
        spec.driver.store.failing = []
        spec.driver.fire(upTo: .pins)
        takeUp(spec)
        #expect(spec.driver.engine.targetID(for: rooms) != nil)
    }
}
