import HearthModel
import Testing

@testable import HearthBackend

struct TransactionTests {
    private let subject = ReadSubject.documents([key("c/a")])

    private func begin(
        _ spec: inout BackendSpec, _ options: TransactionOptions = .pessimistic
    ) throws -> TransactionID {
        try spec.backend.begin(options, in: BackendSpec.database, at: spec.now)
    }

    @discardableResult
    private func read(
        _ spec: inout BackendSpec, _ id: TransactionID, _ subject: ReadSubject? = nil
    ) throws -> Document {
        try spec.backend.read(
            subject ?? self.subject, in: BackendSpec.database, .transaction(id), at: spec.now
        ).document(key("c/a"))
    }

    private func write(_ number: Int64) -> Mutation { .set("c/a", ["n": .integer(number)]) }

    @Test func `an outside write waits for the reader's commit`() throws {
        var spec = BackendSpec()
        try spec.commit(write(1))
        let id = try begin(&spec)
        try read(&spec, id)
        guard case .waits(let waiter) = try spec.tryCommit([write(2)]) else {
            Issue.record("The write did not wait")
            return
        }
        try spec.commit(write(3), transaction: id)
        guard case .committed? = spec.answers[waiter] else {
            Issue.record("\(String(describing: spec.answers))")
            return
        }
        #expect(try spec.get("c/a").fields == ["n": .integer(2)])
    }

    @Test func `a write that waits too long is aborted`() throws {
        var spec = BackendSpec()
        let id = try begin(&spec)
        try read(&spec, id)
        guard case .waits(let waiter) = try spec.tryCommit([write(2)]) else {
            Issue.record("The write did not wait")
            return
        }
        let deadline = try #require(spec.backend.nextDeadline)
        #expect(deadline.since(spec.now) <= .seconds(2))
        spec.wait(.seconds(2))
        spec.expire()
        #expect(
            spec.answers[waiter]
                == .failed(HearthError(code: .aborted, message: "Transaction lock timeout.")))
        try spec.commit(write(3), transaction: id)
    }

    @Test func `of two who read the same the second to commit wins`() throws {
        var spec = BackendSpec()
        let first = try begin(&spec)
        let second = try begin(&spec)
        try read(&spec, first)
        try read(&spec, second)
        guard case .waits(let waiter) = try spec.tryCommit([write(1)], transaction: first) else {
            Issue.record("The first did not wait")
            return
        }
        try spec.commit(write(2), transaction: second)
        guard case .failed(let error)? = spec.answers[waiter] else {
            Issue.record("The first was not aborted")
            return
        }
        #expect(error.code == .aborted)
        #expect(try spec.get("c/a").fields == ["n": .integer(2)])
    }

    @Test func `a query locks what would enter it`() throws {
        var spec = BackendSpec()
        let id = try begin(&spec)
        let query = StructuredQuery.all("c").filtered(
            .field(FieldPath(["n"]), .equal, .integer(1)))
        try read(&spec, id, .query(QueryPlan(query, in: BackendSpec.database)))
        try spec.commit(write(2))
        guard case .waits = try spec.tryCommit([write(1)]) else {
            Issue.record("The write did not wait")
            return
        }
    }

    @Test func `an optimistic commit fails if what it read has changed`() throws {
        var spec = BackendSpec()
        let id = try begin(&spec, .optimistic)
        try read(&spec, id)
        try spec.commit(write(1))
        let error = #expect(throws: HearthError.self) {
            try spec.commit(write(2), transaction: id)
        }
        #expect(error?.code == .aborted)
        let other = try begin(&spec, .optimistic)
        try read(&spec, other)
        try spec.commit(.set("c/b", [:]))
        try spec.commit(write(2), transaction: other)
    }

    @Test func `a read-only transaction sees one picture and refuses writes`() throws {
        var spec = BackendSpec()
        try spec.commit(write(1))
        let id = try begin(&spec, .readOnly(at: nil))
        try read(&spec, id)
        try spec.commit(write(2))
        #expect(try read(&spec, id).fields == ["n": .integer(1)])
        #expect(
            throws: HearthError(
                code: .invalidArgument,
                message: "Cannot modify entities in a read-only transaction.")
        ) { try spec.commit(write(3), transaction: id) }
    }

    @Test func `an ended transaction is told from one that never was`() throws {
        var spec = BackendSpec()
        let id = try begin(&spec)
        try spec.commit(write(1), transaction: id)
        #expect(
            throws: HearthError(
                code: .invalidArgument, message: "Transaction is invalid or closed.")
        ) { try spec.commit(write(1), transaction: id) }
        let bogus = try #require(TransactionID(Array(repeating: 9, count: 24)))
        #expect(
            throws: HearthError(
                code: .invalidArgument, message: "Invalid transaction.")
        ) { try spec.commit(write(1), transaction: bogus) }
        #expect(throws: Never.self) {
            try spec.backend.rollback(id, in: BackendSpec.database, at: spec.now)
        }
    }

    @Test func `an idle transaction ends by itself`() throws {
        var spec = BackendSpec()
        let id = try begin(&spec)
        try read(&spec, id)
        spec.wait(.seconds(61))
        try spec.commit(write(1))
        spec.expire()
        #expect(throws: HearthError.self) { try read(&spec, id) }
    }
}
