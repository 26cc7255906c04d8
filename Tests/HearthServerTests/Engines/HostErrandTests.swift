import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import Synchronization
import Testing

/// What an engine has done beside its turns.
struct HostErrandTests {
    /// Keeps errands undone, with the way back of each.
    private final class Errands: Sendable {
        typealias Done = @Sendable (FirestoreEngine.Input, MailboxSource) -> Void

        private let ordered = Mutex<[(errand: SurveyErrand, done: Done)]>([])

        var count: Int { ordered.withLock { $0.count } }

        func keep(_ errand: SurveyErrand, _ done: @escaping Done) {
            ordered.withLock { $0.append((errand, done)) }
        }

        /// Hands over what came of an errand.
        func finish(_ place: Int) {
            let (errand, done) = ordered.withLock { $0[place] }
            if case .begin(let order) = errand { done(.surveyed(order.id, .failed), .timers) }
        }
    }

    private let errands = Errands()
    private let question = FirestoreEngine.Input.explain(
        RequestID(session: 1, number: 1), Query(path: ResourcePath(["rooms"])))

    private func surveyed(_ bench: HostBench) -> [String] {
        bench.outlet.notes.filter { $0.hasPrefix("surveyed") }
    }

    @Test func `turns go on while an errand is run, and what comes of it is an input`() async {
        let bench = HostBench { [errands] in $0.runErrand = { errands.keep($0, $1) } }
        await bench.start()
        await bench.submitTogether([(1, question)])
        #expect(errands.count == 1)
        await bench.submitTogether([(2, write(2, 1))])
        #expect(bench.outlet.answers == ["1: 3"])
        #expect(surveyed(bench).isEmpty)
        errands.finish(0)
        await bench.settle()
        #expect(surveyed(bench) == ["surveyed 2"])
    }

    @Test func `an errand is run only when its turn is durable`() async {
        let bench = HostBench { [errands] in $0.runErrand = { errands.keep($0, $1) } }
        await bench.start()
        bench.script.arrange { $0.commitFailures = [.io("no sync")] }
        await bench.submitTogether([(1, question)])
        #expect(errands.count == 0)
    }

    @Test func `what comes of an errand is not for the engine of another opening`() async {
        let bench = HostBench { [errands] parts in
            parts.runErrand = { errands.keep($0, $1) }
            parts.condemn = { (_) throws(StoreError) in true }
        }
        await bench.start()
        await bench.submitTogether([(1, question)])
        bench.script.arrange { $0.turnFailures[3] = (.damaged("page 7"), endsGroup: false) }
        await bench.submitTogether([(1, write(1, 1))])
        await bench.settle()
        #expect(bench.outlet.endCount == 1)
        errands.finish(0)
        await bench.settle()
        #expect(surveyed(bench).isEmpty)
        await bench.submitTogether([(1, question)])
        errands.finish(1)
        await bench.settle()
        #expect(surveyed(bench).count == 1)
    }
}
