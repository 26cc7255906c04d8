import HearthEngine
import HearthModel
import Testing

@testable import HearthRealtime

/// Transactions that are refused, with others or by rules, and that are on the way meanwhile.
struct TransactionRefusalTests {
    private typealias Bench = TransactionBench
    private let first = Bench.id(1)
    private let second = Bench.id(2)
    private let four = Node.empty.settingChild("n", to: Node(4))

    @Test func `a transaction refused together with another goes alone and is not blamed`() {
        var bench = Bench(server: four)
        bench.count(first)
        bench.computeAll()
        bench.count(second)
        bench.computeAll()
        bench.send()
        #expect(bench.puts.map(\.node) == [UnresolvedNode(Node(6))])
        bench.answer(RealtimeStatus("permission_denied"))
        #expect(bench.steps.isEmpty && bench.shown.child("n") == Node(6))
        bench.send()
        #expect(bench.puts.map(\.node) == [UnresolvedNode(Node(5))])
        bench.answer()
        #expect(bench.steps[first] == .committed(Node(5)))
        bench.send()
        bench.answer(RealtimeStatus("permission_denied"))
        guard case .failed(let error, Node(5))? = bench.steps[second] else {
            Issue.record("The second is \(bench.steps[second] as Any)")
            return
        }
        #expect(error.code == .permissionDenied && bench.queue.isEmpty)
    }

    @Test func `one that goes alone below another needs no right to the place above`() {
        var bench = Bench()
        bench.begin(first, at: "a") { UnresolvedNode($0.settingChild("c", to: Node(7))) }
        bench.computeAll()
        bench.count(second, at: "a/b")
        bench.computeAll()
        bench.send()
        #expect(bench.puts.map(\.path) == ["a"])
        bench.answer(RealtimeStatus("permission_denied"))
        bench.send()
        bench.answer(RealtimeStatus("permission_denied"))
        // What had built on the first computes again.
        bench.computeAll()
        bench.send()
        #expect(bench.puts.map(\.path) == ["a/b"])
        bench.answer()
        #expect(bench.steps[second] == .committed(Node(1)))
    }

    @Test(arguments: [true, false])
    func `a transaction on the way that is allowed no more ends as the server says`(isOk: Bool) {
        var bench = Bench(server: four)
        bench.count(first)
        bench.computeAll()
        bench.send()
        let error = HearthError(code: .permissionDenied, message: "rules of this machine")
        bench.turn { $0.deny(first, because: error, on: &$1) }
        #expect(bench.steps.isEmpty)
        bench.answer(isOk ? .ok : .dataStale)
        // A refused one is not shown what is there.
        #expect(bench.steps[first] == (isOk ? .committed(Node(5)) : .failed(error, .empty)))
    }

    @Test func `a transaction that is allowed no more ends at once if it was not sent`() {
        var bench = Bench(server: four)
        bench.count(first)
        bench.computeAll()
        let error = HearthError(code: .permissionDenied, message: "rules of this machine")
        bench.turn { $0.deny(first, because: error, on: &$1) }
        #expect(bench.steps[first] == .failed(error, .empty))
        #expect(bench.shown.child("n") == Node(4) && bench.queue.isEmpty)
    }

    @Test func `a link that ends leaves a doomed transaction in doubt`() {
        var bench = Bench(server: four)
        bench.count(first)
        bench.computeAll()
        bench.send()
        bench.write("n", Node(9))
        bench.cutLink()
        guard case .failed(let error, _)? = bench.steps[first] else {
            Issue.record("The transaction is not over")
            return
        }
        #expect(error.code == .unavailable)
    }

    @Test func `an update of many places over a transaction on the way looks at it once`() {
        var bench = Bench(server: four)
        bench.count(first, at: "a")
        bench.computeAll()
        bench.send()
        let before = bench.queue.reviewCount
        let places = (0..<1_000).map { RealtimePath(["a", ChildKey(unchecked: "k\($0)")]) }
        bench.turn { $0.overridden(at: places, on: &$1) }
        #expect(bench.queue.reviewCount == before + 1)
        bench.answer(.dataStale)
        guard case .failed(let error, _)? = bench.steps[first] else {
            Issue.record("The transaction is not over")
            return
        }
        #expect(error.code == .aborted)
    }

    @Test func `one that goes alone and has answered lets those go that a dead program held`() {
        var bench = Bench()
        let third = Bench.id(3)
        bench.count(first, at: "a/x")
        bench.begin(second, at: "a") { UnresolvedNode($0.settingChild("m", to: Node(7))) }
        bench.computeAll()
        bench.count(third, at: "a/y")
        bench.computeAll()
        bench.send()
        #expect(bench.puts.map(\.path) == ["a"])
        bench.answer(RealtimeStatus("permission_denied"))
        bench.send()
        #expect(bench.puts.map(\.path) == ["a/x"])
        bench.kill(2)
        bench.computeAll()
        bench.send()
        bench.finish()
        #expect(bench.steps[first] == .committed(Node(1)))
        #expect(bench.steps[third] == .committed(Node(1)))
        #expect(bench.queue.isEmpty)
    }

    @Test func `transactions that never go leave no places behind`() {
        var bench = Bench()
        for session in UInt64(1)...20 {
            bench.count(Bench.id(session), at: RealtimePath([ChildKey(unchecked: "k\(session)")]))
            bench.computeAll()
            bench.kill(session)
        }
        #expect(bench.queue.isEmpty && bench.queue.candidates.sorted() == [])
    }

    @Test func `one that is allowed no more is not told what the server made of its result`() {
        var bench = Bench(server: four)
        bench.begin(first, at: "n") { _ in UnresolvedNode(.timestamp) }
        bench.computeAll()
        bench.send()
        let error = HearthError(code: .permissionDenied, message: "rules of this machine")
        bench.turn { $0.deny(first, because: error, on: &$1) }
        bench.answer()
        #expect(bench.server.child("n") == Node(2_000))
        #expect(bench.steps[first] == .committed(Node(1_000)))
    }
}
