import HearthEngine
import HearthFirestore
import HearthModel
@testable import HearthServer
import Testing

/// What is given up before its turn has no turn.
struct RevocationsTests {
    private let request = Revocable.request(RequestID(session: 1, number: 1))
    private let listener = Revocable.listener(ListenerID(session: 1, number: 1))

    /// Whether inputs have no turn, one behind the other.
    private func dropped(
        _ revocations: inout Revocations, _ inputs: (asks: Revocable?, givesUp: Revocation?)...
    ) -> [Bool] {
        inputs.map { revocations.drop($0.asks, $0.givesUp) }
    }

    @Test func `what is given up while it waits is dropped, and so is the giving up`() {
        for asked in [request, listener] {
            var revocations = Revocations()
            revocations.note(.one(asked))
            #expect(dropped(&revocations, (asked, nil), (nil, .one(asked))) == [true, true])
            #expect(revocations.isEmpty)
        }
    }

    @Test func `what had its turn is given up in a turn`() {
        var revocations = Revocations()
        #expect(dropped(&revocations, (listener, nil)) == [false])
        revocations.note(.one(listener))
        #expect(dropped(&revocations, (nil, .one(listener))) == [false])
        #expect(revocations.isEmpty)
    }

    /// Programs choose the numbers of their listeners, and may choose one again.
    @Test func `a number that comes again is another listener`() {
        var revocations = Revocations()
        #expect(dropped(&revocations, (listener, nil)) == [false])
        // The listener ends, begins anew and ends again before any turn.
        revocations.note(.one(listener))
        revocations.note(.one(listener))
        let ends = dropped(
            &revocations, (nil, .one(listener)), (listener, nil), (nil, .one(listener)))
        #expect(ends == [false, true, true])
        #expect(dropped(&revocations, (listener, nil)) == [false])
        #expect(revocations.isEmpty)
    }

    @Test func `a session that is gone wants nothing, and others go on`() {
        var revocations = Revocations()
        revocations.note(.all(ofSession: 1))
        let other = Revocable.request(RequestID(session: 2, number: 1))
        let outcomes = dropped(&revocations, (request, nil), (listener, nil), (other, nil))
        #expect(outcomes == [true, true, false])
        // The engine must hear of the end.
        #expect(dropped(&revocations, (nil, .all(ofSession: 1))) == [false])
        #expect(revocations.isEmpty)
    }

    private static func wait(_ number: UInt64, _ session: UInt64 = 1) -> FirestoreEngine.Input {
        .waitForPendingWrites(RequestID(session: session, number: number), .own(last: .none))
    }

    private static func abandon(_ number: UInt64) -> FirestoreEngine.Input {
        .abandon(RequestID(session: 1, number: number))
    }

    @Test func `the host runs no turn for calls that were given up before it`() async {
        let bench = HostBench()
        await bench.start()
        let before = bench.host.status.turnCount
        var inputs = (1...100).map { (session: UInt64(1), input: Self.wait($0)) }
        inputs.append((1, Self.wait(101)))
        inputs += (1...100).map { (session: UInt64(1), input: Self.abandon($0)) }
        await bench.submitTogether(inputs)
        #expect(bench.outlet.actions == [.complete(RequestID(session: 1, number: 101))])
        #expect(bench.host.status.turnCount == before + 1)
    }

    @Test func `the host runs the writes of a session that is gone, and nothing else of it`() async
    {
        let bench = HostBench()
        await bench.start()
        let before = bench.host.status.turnCount
        await bench.submitTogether([
            (1, Self.wait(1)), (1, write(1, 2)), (1, .disconnected(session: 1)),
            (2, Self.wait(1, 2)),
        ])
        #expect(!bench.outlet.actions.contains(.complete(RequestID(session: 1, number: 1))))
        #expect(bench.outlet.actions.contains(.complete(RequestID(session: 2, number: 1))))
        #expect(bench.outlet.actions.count == 2)
        // The write, the end, and the other session's wait.
        #expect(bench.host.status.turnCount == before + 3)
    }
}
