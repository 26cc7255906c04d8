import HearthEngine
import HearthModel
import HearthTesting
import Testing

@testable import HearthFirestore

/// A backend whose count its own documents do not fit: it is asked anew at once, then less and less
/// often, and in the end no more.
struct MismatchSpecs {
    private let stream = StreamNumber(1)
    private let listener = ListenerID(session: 1, number: 1)
    private let other = ListenerID(session: 2, number: 1)
    private var bench: EngineBench
    private var lastVersion: Int64 = 0

    init() throws {
        bench = try EngineBench()
        try bench.take(.listen(listener, Cast.rooms, ListenOptions()))
        try bench.take(.upstream(.watchOpened(stream)))
    }

    private var wire: WireTargetID? {
        bench.engine.targetID(for: Cast.rooms).flatMap { bench.engine.wireTargetIDs()[$0] }
    }

    private mutating func tell(_ changes: WatchChange...) throws {
        for change in changes { try bench.take(.upstream(.watched(stream, change))) }
    }

    private mutating func reachSnapshot() throws {
        lastVersion += 1
        try tell(.target(.init(kind: .noChange, targets: [], readAt: version(lastVersion))))
    }

    /// The backend sends one document, and perhaps a snapshot, before it counts seven.
    private mutating func contradict(afterSnapshot isWholeBefore: Bool = false) throws {
        let wire = try #require(wire)
        try tell(
            .target(.init(kind: .added, targets: [wire])),
            .document(
                .init(updated: [wire], removed: [], key: Cast.hall.key, document: Cast.hall)),
            .target(.init(kind: .current, targets: [wire], resumeToken: token("r"))))
        if isWholeBefore { try reachSnapshot() }
        try tell(.existenceFilter(.init(target: wire, count: 7, unchangedNames: nil)))
        try reachSnapshot()
    }

    /// How long the engine waits before it asks anew; `nil` if it has asked.
    private var wait: Duration? {
        bench.actions.compactMap { action in
            if case .schedule(.mismatches, let delay) = action { delay } else { nil }
        }.last
    }

    private mutating func waitOut(_ pause: Duration) throws {
        bench.now = bench.now.advanced(by: pause)
        try bench.take(.timerFired(.mismatches))
    }

    @Test mutating func `the target is asked for at once, then later and later, then given up`()
        throws
    {
        try bench.take(.listen(other, Cast.first(1), ListenOptions()))
        var waits: [Duration] = []
        for _ in 1...MismatchedTargets.vainCountMax {
            try contradict()
            guard let pause = wait else { continue }
            #expect(wire == nil, "Nothing is asked before the wait is over")
            waits.append(pause)
            try waitOut(pause)
        }
        #expect(
            waits.count == MismatchedTargets.vainCountMax - MismatchedTargets.promptCountMax - 1)
        #expect(try #require(waits.last) > .seconds(3))
        let last = try #require(wire)
        try contradict()
        let failures = bench.actions.compactMap { action -> HearthError? in
            if case .fail(listener, let error) = action { error } else { nil }
        }
        #expect(failures.map(\.code) == [.dataLoss])
        #expect(bench.actions.contains(.upstream(.unlisten(stream, last))))
        #expect(wire == nil)
        #expect(bench.engine.wireTargetIDs().count == 1, "The other target stays watched")
    }

    @Test mutating func `a whole answer between keeps the target, and the waits grow all the same`()
        throws
    {
        var waits: [Duration] = []
        for _ in 1...4 * MismatchedTargets.vainCountMax {
            try contradict(afterSnapshot: true)
            guard let pause = wait else { continue }
            waits.append(pause)
            try waitOut(pause)
        }
        #expect(wire != nil)
        #expect(try #require(waits.max()) > .seconds(30))
        bench.now = bench.now.advanced(by: .seconds(120))
        try contradict(afterSnapshot: true)
        #expect(wire != nil, "What has not happened for long is asked for at once")
    }

    @Test mutating func `a clock that is set back makes nobody wait longer`() throws {
        while wait == nil { try contradict() }
        bench.now = bench.now.advanced(by: .seconds(-3_600))
        try bench.take(.timerFired(.mismatches))
        #expect(wire != nil)
    }

    @Test mutating func `a new stream ends the wait`() throws {
        while wait == nil { try contradict() }
        #expect(wire == nil)
        let pause = try #require(wait)
        try bench.take(.upstream(.watchClosed(stream, nil)))
        try bench.take(.timerFired(.watchBackoff))
        try bench.take(.upstream(.watchOpened(StreamNumber(2))))
        let asked = try #require(wire)
        try waitOut(pause)
        #expect(wire == asked)
        #expect(bench.actions.isEmpty)
    }

    @Test mutating func `nobody waits for a target that nobody wants`() throws {
        while wait == nil { try contradict() }
        let pause = try #require(wait)
        try bench.take(.unlisten(listener))
        try waitOut(pause)
        #expect(bench.actions.isEmpty)
    }

    @Test mutating func `a store that fails while the wait ends keeps nothing from being asked`()
        throws
    {
        while wait == nil { try contradict() }
        bench.now = bench.now.advanced(by: try #require(wait))
        let actions = bench.fail(.timerFired(.mismatches), .io("disk"))
        #expect(wire != nil)
        #expect(actions.contains { if case .upstream(.listen) = $0 { true } else { false } })
    }
}
