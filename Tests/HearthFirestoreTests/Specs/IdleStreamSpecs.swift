import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// Streams that nobody needs are closed after a minute, and opened again at once when needed.
struct IdleStreamSpecs {
    private let rooms = Cast.rooms

    private func delay(of timer: TimerID, _ spec: FirestoreSpec) -> Duration? {
        for case .schedule(timer, let delay) in spec.driver.actions { return delay }
        return nil
    }

    @Test func `a watch stream without targets is closed after a minute`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        let first = try #require(spec.driver.upstream.watch)
        #expect(!spec.driver.timers.contains(.watchIdle))
        spec.driver.forgetHeard()
        try spec.userUnlistens(from: rooms)
        #expect(delay(of: .watchIdle, spec) == .seconds(60))
        #expect(spec.driver.upstream.watch == first)
        spec.driver.fire(upTo: .watchIdle)
        #expect(spec.driver.upstream.watch == nil)
        spec.userListens(to: rooms)
        let second = try #require(spec.driver.upstream.watch)
        #expect(second != first)
        try spec.expectListen(to: rooms)
        #expect(!spec.driver.timers.contains(.watchBackoff))
    }

    @Test func `a listen before the minute is over keeps the stream`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        let stream = spec.driver.upstream.watch
        try spec.userUnlistens(from: rooms)
        spec.userListens(to: rooms)
        #expect(!spec.driver.timers.contains(.watchIdle))
        #expect(spec.driver.upstream.watch == stream)
    }

    @Test func `whoever comes after an idle close does not take the backend for away`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [], resumeToken: "r1", at: 1_000)
        try spec.userUnlistens(from: rooms)
        spec.driver.fire(upTo: .watchIdle)
        spec.driver.forgetHeard()
        spec.userListens(to: Cast.query(sizeFrom: 1))
        try spec.expectSilence()
    }

    @Test func `a write stream without writes is closed with a goodbye after a minute`() throws {
        let spec = try FirestoreSpec()
        spec.userWrites(Cast.set("hall"))
        let first = try #require(spec.driver.upstream.write)
        #expect(!spec.driver.timers.contains(.writeIdle))
        try spec.writeIsCommitted(at: 1_000)
        #expect(spec.driver.timers.contains(.writeIdle))
        #expect(spec.driver.upstream.writeRequestCount == 2)
        spec.driver.fire(upTo: .writeIdle)
        #expect(spec.driver.upstream.write == nil)
        #expect(spec.driver.upstream.writeRequestCount == 3)
        spec.userWrites(Cast.set("attic"))
        let second = try #require(spec.driver.upstream.write)
        #expect(second != first)
        #expect(spec.driver.upstream.sent == [[Cast.set("attic")]])
    }

    @Test func `a write before the minute is over goes over the same stream`() throws {
        let spec = try FirestoreSpec()
        spec.userWrites(Cast.set("hall"))
        let stream = spec.driver.upstream.write
        try spec.writeIsCommitted(at: 1_000)
        spec.userWrites(Cast.set("attic"))
        #expect(!spec.driver.timers.contains(.writeIdle))
        #expect(spec.driver.upstream.write == stream)
        #expect(spec.driver.upstream.writeRequestCount == 3)
    }

    @Test func `a stream that stands for ten seconds is healthy, one that ends is not asked`()
        throws
    {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        #expect(delay(of: .watchHealth, spec) == .seconds(10))
        spec.driver.fire(upTo: .watchHealth)
        #expect(spec.driver.upstream.watch != nil)
        spec.driver.setNetwork(isEnabled: false)
        #expect(!spec.driver.timers.contains(.watchHealth))
        spec.userWrites(Cast.set("hall"))
        spec.driver.forgetHeard()
        spec.driver.setNetwork(isEnabled: true)
        #expect(delay(of: .writeHealth, spec) == .seconds(10))
        try spec.writeFails(.unavailable)
        #expect(spec.driver.upstream.sent == [[Cast.set("hall")]])
    }

    @Test func `an idle timer that runs out too late closes nothing`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        spec.driver.take(.timerFired(.watchIdle))
        #expect(spec.driver.upstream.watch != nil)
        spec.userWrites(Cast.set("hall"))
        spec.driver.take(.timerFired(.writeIdle))
        #expect(spec.driver.upstream.sent == [[Cast.set("hall")]])
    }
}
