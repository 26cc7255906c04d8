import HearthModel
import Testing

@testable import HearthBackend

/// Resuming commits is work for the commits whose time has come, however many others wait.
struct WaitingWorkTests {
    private func lock(_ spec: inout BackendSpec, _ path: String) throws -> TransactionID {
        let id = try spec.backend.begin(.pessimistic, in: BackendSpec.database, at: spec.now)
        _ = try spec.backend.read(
            .documents([key(path)]), in: BackendSpec.database, .transaction(id), at: spec.now)
        return id
    }

    private func wait(
        _ spec: inout BackendSpec, _ paths: String..., by id: TransactionID? = nil
    ) throws -> WaiterID {
        let writes = paths.map { Mutation.set($0, ["n": .integer(1)]) }
        guard case .waits(let waiter) = try spec.tryCommit(writes, transaction: id) else {
            throw HearthError(code: .internalError, message: "The commit did not wait.")
        }
        return waiter
    }

    private func dueCount(_ spec: BackendSpec) -> Int { spec.backend.transactions.waiting.dueCount }

    private func isCommitted(_ spec: inout BackendSpec, _ waiter: WaiterID) -> Bool {
        spec.act()
        if case .committed? = spec.answers[waiter] { return true }
        return false
    }

    @Test func `an end looks only at those who waited for it`() throws {
        var spec = BackendSpec()
        let holders = try (0..<500).map { try lock(&spec, "c/\($0)") }
        let waiters = try (0..<500).map { try wait(&spec, "c/\($0)") }
        try spec.backend.rollback(holders[77], in: BackendSpec.database, at: spec.now)
        #expect(dueCount(spec) == 1)
        #expect(isCommitted(&spec, waiters[77]))
        #expect(spec.answers.count == 1)
        #expect(spec.backend.transactions.waiting.count == 499)
    }

    @Test func `a commit in the way of which two stand goes on when both are gone`() throws {
        for firstToEnd in 0..<2 {
            var spec = BackendSpec()
            let holders = [try lock(&spec, "c/a"), try lock(&spec, "c/b")]
            let waiter = try wait(&spec, "c/a", "c/b")
            let rest = [holders[firstToEnd], holders[1 - firstToEnd]]
            try spec.backend.rollback(rest[0], in: BackendSpec.database, at: spec.now)
            #expect(!isCommitted(&spec, waiter))
            try spec.backend.rollback(rest[1], in: BackendSpec.database, at: spec.now)
            #expect(isCommitted(&spec, waiter))
        }
    }

    @Test func `who began to lock while a commit waited stands in its way too`() throws {
        var spec = BackendSpec()
        let first = try lock(&spec, "c/a")
        let waiter = try wait(&spec, "c/a")
        let second = try lock(&spec, "c/a")
        try spec.backend.rollback(first, in: BackendSpec.database, at: spec.now)
        #expect(!isCommitted(&spec, waiter))
        try spec.backend.rollback(second, in: BackendSpec.database, at: spec.now)
        #expect(isCommitted(&spec, waiter))
    }

    @Test func `of those whose time has come older transactions go first`() throws {
        var spec = BackendSpec()
        let holder = try lock(&spec, "c/a")
        let older = try lock(&spec, "c/x")
        let younger = try lock(&spec, "c/y")
        let last = try wait(&spec, "c/a")
        let second = try wait(&spec, "c/a", by: younger)
        let first = try wait(&spec, "c/a", by: older)
        try spec.backend.rollback(holder, in: BackendSpec.database, at: spec.now)
        spec.act()
        let times = try [first, second, last].map { waiter in
            guard case .committed(let outcome)? = spec.answers[waiter] else {
                throw HearthError(code: .internalError, message: "\(waiter) was not made.")
            }
            return outcome.version
        }
        #expect(times == times.sorted())
        #expect(Set(times).count == 3)
    }

    @Test func `a commit that waits is given up in its time, and leaves nothing behind`() throws {
        var spec = BackendSpec()
        let holder = try lock(&spec, "c/a")
        let waiter = try wait(&spec, "c/a")
        #expect(
            spec.backend.nextDeadline == spec.now.advanced(by: spec.backend.settings.lockWaitMax))
        spec.wait(spec.backend.settings.lockWaitMax)
        spec.expire()
        guard case .failed(let error)? = spec.answers[waiter] else {
            Issue.record("\(String(describing: spec.answers[waiter]))")
            return
        }
        #expect(error.code == .aborted)
        #expect(spec.backend.transactions.waiting.count == 0)
        let before = dueCount(spec)
        try spec.backend.rollback(holder, in: BackendSpec.database, at: spec.now)
        #expect(dueCount(spec) == before)
    }
}
