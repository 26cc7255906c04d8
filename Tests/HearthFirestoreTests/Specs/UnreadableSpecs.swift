import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// What the backend sends and nobody here can read: it is asked less and less often, operators are
/// told, and whoever watches something else hears nothing of it.
struct UnreadableSpecs {
    private let rooms = Query(path: ResourcePath(["rooms"]))
    private let large = Cast.query(sizeFrom: 1)
    private let listener = ListenerID(session: 1, number: 1)
    private let unreadable = HearthError(code: .internalError, message: "It cannot be read.")
    private let lost = HearthError(code: .dataLoss, message: "rooms/hall cannot be read.")

    /// How long the engine waits before it opens a stream again.
    private func wait(_ timer: TimerID, in bench: EngineBench) -> Duration? {
        bench.actions.compactMap { action in
            if case .schedule(timer, let delay) = action { delay } else { nil }
        }.last
    }

    @Test func `a watch stream that ends unreadably each time waits longer each time`() throws {
        var bench = try EngineBench()
        try bench.take(.listen(listener, rooms, ListenOptions()))
        var waits: [Duration] = []
        for number in UInt64(1)...12 {
            let stream = StreamNumber(number)
            try bench.take(.upstream(.watchOpened(stream)))
            let news = TargetWatchChange(
                kind: .noChange, targets: [], readAt: version(Int64(number)))
            try bench.take(.upstream(.watched(stream, .target(news))))
            try bench.take(.upstream(.watchBroken(stream, unreadable)))
            #expect(bench.actions.contains(.note(.messageUnreadable(unreadable))))
            waits.append(try #require(wait(.watchBackoff, in: bench)))
            try bench.take(.networkReturned)
            #expect(bench.actions.isEmpty, "The wait is not for a network")
            try bench.take(.timerFired(.watchBackoff))
        }
        #expect(waits.first == .zero)
        #expect(waits.suffix(2).allSatisfy { $0 >= .seconds(15) })
    }

    @Test func `words on the watch stream do not hurry a write whose answer cannot be read`() throws
    {
        var bench = try EngineBench()
        try bench.take(.listen(listener, rooms, ListenOptions()))
        try bench.take(.upstream(.watchOpened(StreamNumber(1))))
        try bench.take(.write(request(2)))
        try bench.openWriteStream(1)
        try bench.take(.upstream(.writeBroken(StreamNumber(1), unreadable)))
        #expect(bench.actions.contains(.note(.messageUnreadable(unreadable))))
        try bench.take(.timerFired(.writeBackoff))
        try bench.openWriteStream(2)
        try bench.take(.upstream(.writeBroken(StreamNumber(2), unreadable)))
        #expect(try #require(wait(.writeBackoff, in: bench)) > .zero)
        let news = TargetWatchChange(kind: .noChange, targets: [], readAt: version(1))
        try bench.take(.upstream(.watched(StreamNumber(1), .target(news))))
        let third = StreamNumber(3)
        #expect(!bench.actions.contains(.upstream(.openWrite(third, as: .unauthenticated))))
    }

    @Test func `a document that cannot be read ends its targets, and no other`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: Cast.rooms)
        spec.userListens(to: large)
        let stream = try #require(spec.driver.upstream.watch)
        let id = try #require(spec.driver.engine.targetID(for: Cast.rooms))
        let wire = try #require(spec.driver.engine.wireTargetIDs()[id])
        try spec.watchAcknowledges(Cast.rooms)
        spec.driver.receive(.watchUnreadable(stream, [wire], lost))
        try spec.expectError(of: Cast.rooms, .dataLoss)
        try spec.expectNoListen(to: Cast.rooms)
        // It was on the way before the backend heard that nobody wants the target.
        spec.driver.receive(.watchUnreadable(stream, [wire], lost))
        try spec.expectSilence()
        try spec.watchAnswers(large, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: large, added: [Cast.hall], isFromCache: false)
        #expect(spec.driver.upstream.watch == stream)
    }

    @Test func `a store that fails meanwhile keeps no listener from the end`() throws {
        var bench = try EngineBench()
        try bench.take(.listen(listener, rooms, ListenOptions()))
        try bench.take(.upstream(.watchOpened(StreamNumber(1))))
        let wire = try #require(bench.engine.wireTargetIDs().values.first)
        let event = UpstreamEvent.watchUnreadable(StreamNumber(1), [wire], lost)
        let actions = bench.fail(.upstream(event), .io("disk"))
        #expect(actions.contains(.fail(listener, lost)))
        #expect(actions.contains(.upstream(.unlisten(StreamNumber(1), wire))))
    }
}
