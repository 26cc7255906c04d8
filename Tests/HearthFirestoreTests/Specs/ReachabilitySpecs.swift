import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// What ends the wait for the next attempt: a network, an answer on the other stream, a wish.
struct ReachabilitySpecs {
    private let rooms = Query(path: ResourcePath(["rooms"]))
    private let listener = ListenerID(session: 1, number: 1)
    private let read = RequestID(session: 2, number: 9)
    private let third = StreamNumber(3)
    private let gone = HearthError(code: .unavailable, message: "gone")

    /// An engine with a listener and a write on its way, both of whose streams failed twice and wait.
    private func waiting(because error: HearthError? = nil) throws -> EngineBench {
        var bench = try EngineBench()
        try bench.take(.listen(listener, rooms, ListenOptions()))
        try bench.take(.write(request(2)))
        let error = error ?? gone
        try bench.take(.upstream(.watchClosed(StreamNumber(1), error)))
        try bench.take(.timerFired(.watchBackoff))
        try bench.take(.upstream(.watchClosed(StreamNumber(2), error)))
        try bench.take(.upstream(.writeClosed(StreamNumber(1), gone)))
        try bench.take(.timerFired(.writeBackoff))
        try bench.take(.upstream(.writeClosed(StreamNumber(2), gone)))
        return bench
    }

    private func opensWatch(_ bench: EngineBench) -> Bool {
        bench.actions.contains(.upstream(.openWatch(third, as: .unauthenticated)))
    }

    private func opensWrite(_ bench: EngineBench) -> Bool {
        bench.actions.contains(.upstream(.openWrite(third, as: .unauthenticated)))
    }

    private func isRefused(_ bench: EngineBench) -> Bool {
        bench.actions.contains { if case .refuse(read, _) = $0 { true } else { false } }
    }

    @Test func `a network that returns lets both streams try at once`() throws {
        var bench = try waiting()
        try bench.take(.networkReturned)
        #expect(opensWatch(bench) && opensWrite(bench))
        try bench.take(.networkReturned)
        #expect(bench.actions.isEmpty)
    }

    @Test func `a network that returns is no matter while the administrator has it switched off`()
        throws
    {
        var bench = try waiting()
        try bench.take(.setNetwork(isEnabled: false))
        try bench.take(.networkReturned)
        #expect(bench.actions.isEmpty)
    }

    @Test func `a handshake of the write stream ends the wait of the watch stream`() throws {
        var bench = try waiting()
        try bench.take(.timerFired(.writeBackoff))
        try bench.take(.upstream(.writeOpened(third)))
        #expect(!opensWatch(bench))
        try bench.take(.upstream(.writeHandshaken(third, [7])))
        #expect(opensWatch(bench))
    }

    @Test func `whoever reads from the server after the handshake waits for its answer`() throws {
        var bench = try waiting()
        try bench.take(.get(read, rooms, .server))
        #expect(isRefused(bench))
        try bench.take(.timerFired(.writeBackoff))
        try bench.openWriteStream(third.rawValue)
        try bench.take(.get(read, rooms, .server))
        #expect(!isRefused(bench))
        // Not longer than for a first attempt, though.
        #expect(bench.actions.isEmpty)
        try bench.take(.timerFired(.onlineState))
        #expect(isRefused(bench))
    }

    @Test func `a message on the watch stream ends the wait of the write stream`() throws {
        var bench = try waiting()
        try bench.take(.timerFired(.watchBackoff))
        try bench.take(.upstream(.watchOpened(third)))
        #expect(!opensWrite(bench))
        let change = TargetWatchChange(kind: .noChange, targets: [], readAt: version(1_000))
        try bench.take(.upstream(.watched(third, .target(change))))
        #expect(opensWrite(bench))
    }

    @Test func `a read from the server makes an attempt, but not one after the other`() throws {
        var bench = try waiting()
        bench.now = start.advanced(by: .seconds(4))
        try bench.take(.get(read, rooms, .server))
        #expect(isRefused(bench) && !opensWatch(bench))
        bench.now = start.advanced(by: .seconds(5))
        try bench.take(.get(read, rooms, .server))
        #expect(isRefused(bench) && opensWatch(bench))
    }

    @Test func `a backend that is exhausted is left alone`() throws {
        var bench = try waiting(because: HearthError(code: .resourceExhausted, message: "enough"))
        bench.now = start.advanced(by: .seconds(30))
        try bench.take(.get(read, rooms, .server))
        #expect(!opensWatch(bench))
        try bench.take(.networkReturned)
        #expect(!opensWatch(bench) && opensWrite(bench))
    }

    @Test func `the first reader after a time without any does not wait for those before`() throws {
        var bench = try waiting()
        try bench.take(.unlisten(listener))
        try bench.take(.get(read, rooms, .default))
        #expect(opensWatch(bench))
        #expect(bench.actions.contains(.schedule(.onlineState, after: .seconds(10))))
    }
}
