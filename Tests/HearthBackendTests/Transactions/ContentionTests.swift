import HearthModel
import Testing

@testable import HearthBackend

/// Who wins where transactions stand in each other's way.
struct ContentionTests {
    private static let timeout = HearthError(code: .aborted, message: "Transaction lock timeout.")

    private func begin(
        _ spec: inout BackendSpec, reading paths: String..., retrying old: TransactionID? = nil
    ) throws -> TransactionID {
        var options = TransactionOptions.pessimistic
        options.retried = old
        let id = try spec.backend.begin(options, in: BackendSpec.database, at: spec.now)
        for path in paths {
            _ = try spec.backend.read(
                .documents([key(path)]), in: BackendSpec.database, .transaction(id), at: spec.now)
        }
        return id
    }

    private func wait(
        _ spec: inout BackendSpec, _ id: TransactionID?, writing path: String
    ) throws -> WaiterID {
        let reply = try spec.tryCommit(
            [.set(path, ["by": .integer(Int64(id?.number ?? 0))])], transaction: id)
        guard case .waits(let waiter) = reply else {
            throw HearthError(code: .internalError, message: "The commit did not wait.")
        }
        return waiter
    }

    @Test func `a retry is older than who began before it and so wins`() throws {
        var spec = BackendSpec()
        let first = try begin(&spec, reading: "c/a")
        let second = try begin(&spec, reading: "c/a")
        let lost = try wait(&spec, first, writing: "c/a")
        try spec.commit(.set("c/a", ["by": .integer(2)]), transaction: second)
        #expect(spec.answers[lost] == .failed(Self.timeout))
        // The loser tries again, and now somebody newer stands in its way.
        let newer = try begin(&spec, reading: "c/a")
        let retry = try begin(&spec, reading: "c/a", retrying: first)
        #expect(retry.priority == first.number)
        let waiter = try wait(&spec, retry, writing: "c/a")
        #expect(throws: Self.timeout) {
            try spec.commit(.set("c/a", ["by": .integer(3)]), transaction: newer)
        }
        spec.act()
        guard case .committed? = spec.answers[waiter] else {
            Issue.record("\(String(describing: spec.answers[waiter]))")
            return
        }
    }

    @Test func `a retry that has waited its time takes the locks of younger ones`() throws {
        var spec = BackendSpec()
        let first = try begin(&spec, reading: "c/a")
        let younger = try begin(&spec, reading: "c/a")
        let retry = try begin(&spec, reading: "c/a", retrying: first)
        let waiter = try wait(&spec, retry, writing: "c/a")
        spec.wait(.seconds(2))
        spec.expire()
        guard case .committed? = spec.answers[waiter] else {
            Issue.record("\(String(describing: spec.answers[waiter]))")
            return
        }
        // The client hears of the end with a code that makes the client try again.
        #expect(throws: Self.timeout) {
            try spec.commit(.set("c/b", [:]), transaction: younger)
        }
        #expect(
            throws: HearthError(
                code: .invalidArgument, message: "Transaction is invalid or closed.")
        ) { try spec.commit(.set("c/b", [:]), transaction: younger) }
    }

    @Test func `a circle of three who wait for each other is broken at once`() throws {
        var spec = BackendSpec()
        let ids = try (0..<3).map { try begin(&spec, reading: "c/\($0)") }
        let first = try wait(&spec, ids[0], writing: "c/1")
        let second = try wait(&spec, ids[1], writing: "c/2")
        let third = try spec.tryCommit([.set("c/0", [:])], transaction: ids[2])
        spec.act()
        #expect(spec.answers[first] == .failed(Self.timeout))
        guard case .done = third, case .committed? = spec.answers[second] else {
            Issue.record("\(third) \(String(describing: spec.answers[second]))")
            return
        }
        #expect(spec.backend.nextDeadline == nil)
    }

    @Test func `many who wait are each answered once`() throws {
        var spec = BackendSpec()
        let holder = try begin(&spec, reading: "c/a")
        let readers = try (0..<5).map { _ in try begin(&spec, reading: "c/b") }
        let waiters =
            try readers.map { try wait(&spec, $0, writing: "c/a") }
            + [try wait(&spec, nil, writing: "c/a"), try wait(&spec, nil, writing: "c/a")]
        var answers: [WaiterID] = []
        try spec.backend.rollback(holder, in: BackendSpec.database, at: spec.now)
        for action in spec.backend.takeActions() {
            if case .answer(let waiter, _) = action { answers.append(waiter) }
        }
        #expect(answers == waiters)
        #expect(spec.backend.nextDeadline == nil)
    }

    @Test func `a lock on a range holds up what would enter or leave it, and nothing else`() throws
    {
        var spec = BackendSpec()
        try spec.put("c/in", ["n": .integer(5)])
        let id = try begin(&spec)
        let query = StructuredQuery.all("c").filtered(
            .field(FieldPath(["n"]), .greaterThan, .integer(3)))
        _ = try spec.backend.read(
            .query(QueryPlan(query, in: BackendSpec.database)), in: BackendSpec.database,
            .transaction(id), at: spec.now)
        try spec.put("c/below", ["n": .integer(1)])
        try spec.put("d/other", ["n": .integer(9)])
        _ = try wait(&spec, nil, writing: "c/in")
        let reply = try spec.tryCommit([.set("c/new", ["n": .integer(4)])])
        guard case .waits = reply else {
            Issue.record("A document entered a locked range")
            return
        }
    }

    @Test func `an optimistic transaction sees a changed range`() throws {
        var spec = BackendSpec()
        let id = try spec.backend.begin(.optimistic, in: BackendSpec.database, at: spec.now)
        let query = StructuredQuery.all("c").filtered(
            .field(FieldPath(["n"]), .equal, .integer(1)))
        _ = try spec.backend.read(
            .query(QueryPlan(query, in: BackendSpec.database)), in: BackendSpec.database,
            .transaction(id), at: spec.now)
        try spec.put("c/new", ["n": .double(1)])
        let error = #expect(throws: HearthError.self) {
            try spec.commit(.set("c/sum", [:]), transaction: id)
        }
        #expect(error?.code == .aborted)
    }

    @Test func `a transaction in use lives 270 seconds, one left alone 60`() throws {
        var spec = BackendSpec()
        let id = try begin(&spec, reading: "c/a")
        for _ in 0..<5 {
            spec.wait(.seconds(50))
            _ = try spec.backend.read(
                .documents([key("c/a")]), in: BackendSpec.database, .transaction(id), at: spec.now)
        }
        let deadline = try #require(spec.backend.nextDeadline)
        #expect(deadline.since(spec.now) == .seconds(20))
        let waiter = try wait(&spec, nil, writing: "c/a")
        spec.wait(.seconds(1))
        spec.expire()
        #expect(spec.answers[waiter] == nil)
        spec.wait(.seconds(1))
        spec.expire()
        #expect(spec.answers[waiter] == .failed(Self.timeout))
        spec.wait(.seconds(18))
        try spec.put("c/a", [:])
    }

    @Test(arguments: 0..<40) func `whatever the order, nobody waits for ever`(seed: UInt64) throws {
        var random = Lottery(seed: seed)
        var spec = BackendSpec()
        var open: [TransactionID] = []
        var waiting: Set<WaiterID> = []
        var aborted: [TransactionID] = []
        for _ in 0..<200 {
            let path = "c/\(random.number(below: 3))"
            switch random.number(below: 4) {
            case 0:
                let old = random.number(below: 2) == 0 ? aborted.popLast() : nil
                open.append(try begin(&spec, reading: path, retrying: old))
            case 1 where !open.isEmpty:
                let id = open[random.number(below: open.count)]
                _ = try? spec.backend.read(
                    .documents([key(path)]), in: BackendSpec.database, .transaction(id),
                    at: spec.now)
            case 2 where !open.isEmpty:
                let id = open.remove(at: random.number(below: open.count))
                do {
                    let reply = try spec.tryCommit(
                        [.set(path, ["n": .integer(Int64(seed))])], transaction: id)
                    if case .waits(let waiter) = reply { waiting.insert(waiter) }
                } catch {
                    aborted.append(id)
                }
            default:
                spec.wait(.milliseconds(random.number(below: 900)))
                spec.expire()
            }
            spec.act()
        }
        spec.wait(.seconds(2))
        spec.expire()
        #expect(waiting.allSatisfy { spec.answers[$0] != nil })
        spec.wait(.seconds(270))
        spec.expire()
        #expect(spec.backend.nextDeadline == nil)
        try spec.put("c/0", [:])
    }
}
