import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import Testing

/// What a host counts and tells of its connection.
@Suite(.timeLimit(.minutes(1)))
struct HostFiguresTests {
    private let stream = StreamNumber(1)
    private let commitTime = Timestamp(seconds: 1, nanoseconds: 0)

    private func answer() -> FirestoreEngine.Input {
        .upstream(
            .writeAnswered(
                stream,
                WriteAnswer(token: [1], committedAt: SnapshotVersion(commitTime), results: [])))
    }

    @Test func `answers that come with the end of their stream are counted, all of them`()
        async throws
    {
        let bench = HostBench()
        await bench.start()
        await bench.submitTogether([(1, .upstream(.writeHandshaken(stream, [0])))])
        bench.clock.advance(by: .milliseconds(20))
        let error = HearthError(code: .unavailable, message: "The link is cut.")
        await bench.submitTogether([
            (1, answer()), (1, answer()), (1, answer()),
            (1, .upstream(.writeClosed(stream, error))),
        ])
        let figures = bench.host.status.figures
        #expect(figures.committedCount == 3)
        #expect(figures.upstreamCommits.count == 3)
        // A commit that no stream has told, as after a failure of the store, counts without a time.
        await bench.submitTogether([(1, answer())])
        #expect(bench.host.status.figures.committedCount == 4)
        #expect(bench.host.status.figures.upstreamCommits.count == 3)
    }

    @Test func `documents that were read are added up, billed and alone`() async {
        let bench = HostBench()
        await bench.start()
        #expect(bench.host.status.figures.documentReads == LedgerSums())
        for number: UInt64 in 1...3 {
            let id = RequestID(session: 1, number: number)
            await bench.submitTogether([(1, .checkBudget(id))])
        }
        let sums = bench.host.status.figures.documentReads
        #expect(sums == LedgerSums(reads: 6, aloneReads: 15))
    }

    @Test func `every turn is measured`() async {
        let bench = HostBench()
        await bench.start()
        // The start's own turn is told with this one.
        await bench.submitTogether([(1, write(1, 0))])
        let before = bench.host.status.figures.turns.count
        await bench.submitTogether([(1, write(1, 1)), (1, write(1, 2)), (2, write(2, 1))])
        #expect(bench.host.status.figures.turns.count == before + 3)
    }

    @Test func `a failed connection is told with its next attempt, until the backend answers`()
        async throws
    {
        let bench = HostBench()
        await bench.start()
        let error = HearthError(code: .unavailable, message: "Nobody is there.")
        await bench.submitTogether([(1, .upstream(.writeClosed(stream, error)))])
        #expect(bench.host.status.connectionFailure?.error == error)
        #expect(bench.host.status.nextAttemptDelay == .seconds(4))
        bench.clock.advance(by: .seconds(3))
        #expect(bench.host.status.nextAttemptDelay == .seconds(1))
        await bench.submitTogether([(1, .upstream(.writeOpened(stream)))])
        #expect(bench.host.status.connectionFailure == nil)
    }
}
