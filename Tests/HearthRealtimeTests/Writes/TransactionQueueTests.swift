import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthRealtime

/// Transactions of several programs, without an engine.
struct TransactionQueueTests {
    private typealias Bench = TransactionBench
    private let first = Bench.id(1)
    private let second = Bench.id(2)
    private let third = Bench.id(3)
    private let four = Node.empty.settingChild("n", to: Node(4))

    @Test func `a result is shown at once and committed when the server has it`() {
        var bench = Bench(server: four)
        bench.count(first)
        bench.computeAll()
        #expect(bench.shown.child("n") == Node(5))
        bench.send()
        #expect(bench.puts.first?.hash == NodeHash.hash(of: Node(4)))
        bench.answer()
        #expect(bench.steps[first] == .committed(Node(5)))
        #expect(bench.unwatched == ["n"] && bench.queue.isEmpty)
        #expect(bench.shown.child("n") == Node(5))
    }

    @Test func `a hidden result is seen by other transactions alone`() {
        var bench = Bench()
        bench.count(first, isShown: false)
        bench.computeAll()
        bench.count(second, isShown: false)
        bench.computeAll()
        #expect(bench.shown.isEmpty)
        bench.send()
        #expect(bench.puts.map(\.node) == [UnresolvedNode(Node(2))])
        #expect(bench.puts.map(\.hash) == [""])
        bench.answer()
        #expect(bench.steps[first] == .committed(Node(1)))
        #expect(bench.steps[second] == .committed(Node(2)))
        #expect(bench.shown.child("n") == Node(2))
    }

    @Test func `results at and below a place go together, and wait for what is on the way`() {
        var bench = Bench()
        bench.count(first, at: "a/b")
        bench.computeAll()
        bench.send()
        bench.begin(second, at: "a") { UnresolvedNode($0.settingChild("c", to: Node(7))) }
        bench.count(third, at: "a/b")
        bench.computeAll()
        bench.send()
        #expect(bench.sentCount == 1)
        bench.answer()
        bench.send()
        #expect(bench.puts.map(\.path) == ["a"])
        #expect(bench.puts.first?.node.node?.description == #"{"b":2,"c":7}"#)
        bench.answer()
        #expect(bench.steps.count == 3 && bench.queue.isEmpty)
    }

    @Test func `stale data makes a program compute again from the new data`() {
        var bench = Bench()
        bench.count(first)
        bench.computeAll()
        bench.send()
        bench.serverWrites("n", Node(10), isTold: false)
        bench.answer()
        #expect(bench.shown.child("n") == Node(1))
        bench.finish()
        #expect(bench.steps[first] == .committed(Node(11)))
        #expect(bench.runCounts[first] == 2)
    }

    @Test func `a transaction that is stale twenty-five times fails`() {
        var bench = Bench()
        bench.count(first)
        for number in 0..<40 {
            bench.computeAll()
            bench.send()
            bench.serverWrites("n", Node(.integer(Int64(number) * 100)), isTold: false)
            bench.answer()
        }
        let error = TransactionError.retriedTooOften.error
        #expect(bench.steps[first] == .failed(error, Node(2_400)))
        #expect(bench.sentCount == 25 && bench.runCounts[first] == 25)
    }

    @Test func `news below the place make what stands compute again, in its order`() {
        var bench = Bench()
        bench.count(first, at: "a/n")
        bench.begin(second, at: "a") { UnresolvedNode($0.settingChild("m", to: $0.child("n"))) }
        bench.computeAll()
        bench.serverWrites("a/x", Node(1))
        bench.computeAll()
        #expect(bench.runCounts[first] == 1 && bench.runCounts[second] == 3)
        bench.serverWrites("a/n", Node(5))
        bench.finish()
        #expect(bench.server.child("a").description == #"{"m":6,"n":6,"x":1}"#)
    }

    @Test func `a result for older data counts for nothing`() {
        var bench = Bench()
        bench.count(first)
        bench.serverWrites("n", Node(3))
        bench.compute(first)
        #expect(bench.computing[first]?.round == 2)
        bench.turn { $0.propose(first, UnresolvedNode(Node(9)), round: 1, on: &$1) }
        bench.finish()
        #expect(bench.steps[first] == .committed(Node(4)))
    }

    @Test func `a program gives up on what it was given`() {
        var bench = Bench(server: four)
        bench.begin(first, at: "n") { _ in nil }
        bench.computeAll()
        #expect(bench.steps[first] == .aborted(Node(4)))
        #expect(bench.queue.isEmpty && bench.unwatched == ["n"])
    }

    @Test(arguments: ["a", "a/b", "a/b/c"] as [RealtimePath])
    func `a write at, above or below a place ends its transactions`(path: RealtimePath) {
        var bench = Bench()
        bench.count(first, at: "a/b")
        bench.computeAll()
        bench.begin(second, at: "elsewhere") { _ in UnresolvedNode(Node(1)) }
        bench.write(path, Node("written"))
        guard case .failed(let error, _)? = bench.steps[first] else {
            Issue.record("The transaction goes on")
            return
        }
        #expect(error.message.hasPrefix("overriddenBySet"))
        #expect(bench.steps[second] == nil)
        #expect(bench.shown.node(at: path) == Node("written"))
    }

    @Test(arguments: [false, true])
    func `a write over a transaction on the way leaves it to the server`(isStale: Bool) {
        var bench = Bench()
        bench.count(first)
        bench.computeAll()
        bench.send()
        bench.write("n", Node(50))
        #expect(bench.steps.isEmpty)
        if isStale { bench.serverWrites("n", Node(7), isTold: false) }
        bench.answer()
        let failure = TransactionStep.failed(TransactionError.overridden.error, Node(50))
        #expect(bench.steps[first] == (isStale ? failure : .committed(Node(1))))
        #expect(bench.queue.isEmpty && bench.computing.isEmpty)
    }

    @Test func `another refusal ends the transaction, and those upon it compute again`() {
        var bench = Bench()
        bench.count(first)
        bench.computeAll()
        bench.send()
        bench.count(second)
        bench.computeAll()
        #expect(bench.shown.child("n") == Node(2))
        bench.answer(.permissionDenied)
        guard case .failed(let error, _)? = bench.steps[first] else {
            Issue.record("The transaction goes on")
            return
        }
        #expect(error.code == .permissionDenied)
        bench.finish()
        #expect(bench.steps[second] == .committed(Node(1)))
        #expect(bench.runCounts[second] == 2)
    }

    @Test func `what a dead program had not sent never was`() {
        var bench = Bench()
        bench.count(first)
        bench.computeAll()
        bench.count(second)
        bench.computeAll()
        bench.kill(1)
        bench.finish()
        #expect(bench.steps[first] == nil)
        #expect(bench.steps[second] == .committed(Node(1)))
        #expect(bench.server.child("n") == Node(1) && bench.queue.isEmpty)
    }

    @Test(arguments: [false, true])
    func `what a dead program had sent ends in silence`(isStale: Bool) {
        var bench = Bench()
        bench.count(first)
        bench.computeAll()
        bench.send()
        bench.kill(1)
        if isStale { bench.serverWrites("n", Node(7), isTold: false) }
        bench.answer()
        #expect(bench.steps.isEmpty && bench.computing.isEmpty && bench.queue.isEmpty)
        #expect(bench.server.child("n") == Node(isStale ? 7 : 1))
        #expect(bench.shown == bench.server)
    }

    @Test func `a cut link ends what is on the way, and the rest waits`() {
        var bench = Bench()
        bench.count(first)
        bench.computeAll()
        bench.send()
        bench.count(second)
        bench.computeAll()
        bench.cutLink()
        #expect(bench.steps[first] == .failed(TransactionError.disconnected.error, Node(2)))
        bench.finish()
        #expect(bench.steps[second] == .committed(Node(1)))
    }

    @Test func `a program that never computes holds nobody up`() {
        var bench = Bench()
        bench.count(first, at: .root)
        bench.begin(second, at: "n") { _ in UnresolvedNode(Node(1)) }
        bench.compute(second)
        bench.send()
        bench.answer()
        #expect(bench.steps[second] == .committed(Node(1)))
        #expect(bench.computing[first]?.round == 1)
    }

    @Test func `a program computes one transaction after the other`() {
        var bench = Bench()
        for number in 1...3 { bench.count(Bench.id(1, UInt64(number))) }
        #expect(bench.computing.count == 1)
        bench.computeAll()
        bench.send()
        #expect(bench.puts.map(\.node) == [UnresolvedNode(Node(3))])
        #expect(bench.runCounts.values.allSatisfy { $0 == 1 })
    }

    @Test func `results wait until the writes below them are sent`() {
        var bench = Bench()
        bench.write("n", Node(5))
        bench.count(first)
        bench.computeAll()
        bench.send { $0 == "n" }
        #expect(bench.puts.isEmpty)
        bench.send()
        #expect(bench.puts.map(\.hash) == [NodeHash.hash(of: Node(5))])
    }

    @Test func `sums left to the server are not joined into one`() {
        var bench = Bench(server: four)
        for id in [first, second] {
            bench.begin(id, at: "n") { _ in UnresolvedNode(.increment(.integer(1))) }
        }
        bench.finish()
        #expect(bench.server.child("n") == Node(6))
        #expect(bench.steps[first] == .committed(Node(5)))
        #expect(bench.steps[second] == .committed(Node(6)))
    }

    @Test func `everything ends when another user comes`() {
        var bench = Bench()
        bench.count(first)
        bench.computeAll()
        bench.send()
        bench.count(second)
        let error = HearthError(code: .cancelled, message: "Another user")
        bench.turn { $0.failAll(error, on: &$1) }
        #expect(bench.steps[second] == .failed(error, .empty))
        #expect(bench.steps.count == 2 && bench.queue.isEmpty && bench.shown.isEmpty)
        bench.answer()
        #expect(bench.steps.count == 2)
    }

    @Test(arguments: 0..<4)
    func `two programs count to a thousand each, and a third is killed between`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var bench = Bench()
        for number in 1...1_000 {
            for session in 1...3 { bench.count(Bench.id(UInt64(session), UInt64(number))) }
        }
        var isKilled = false
        for _ in 0..<400_000 where !bench.queue.isEmpty {
            switch Int.random(in: 0..<6, using: &random) {
            case 0..<3:
                if let id = bench.computing.keys.sorted().randomElement(using: &random) {
                    bench.compute(id)
                }
            case 3: bench.send()
            default: bench.answer()
            }
            if !isKilled, bench.steps.keys.count(where: { $0.session == 3 }) > 100 {
                isKilled = true
                bench.kill(3)
            }
        }
        for session in 1...2 {
            let steps = bench.steps.filter { $0.key.session == session }.values
            #expect(steps.count == 1_000)
            #expect(steps.allSatisfy { if case .committed = $0 { true } else { false } })
        }
        // The third session may have sent a result after the last result that it heard of.
        let heard = Int64(bench.steps.keys.count { $0.session == 3 })
        guard case .integer(let total)? = bench.server.child("n").leaf else {
            Issue.record("Nothing was counted")
            return
        }
        #expect(total >= 2_000 + heard && total < 3_000)
        #expect(bench.shown == bench.server)
    }
}
