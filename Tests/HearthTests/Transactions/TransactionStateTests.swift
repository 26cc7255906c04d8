import HearthModel
import HearthTestSupport
import Testing

@testable import Hearth

struct TransactionStateTests {
    private func key(_ path: String) throws -> DocumentKey { try DocumentKey(parsing: path) }

    private func version(_ seconds: Int64) -> SnapshotVersion {
        SnapshotVersion(Timestamp(seconds: seconds, nanoseconds: 0))
    }

    private func found(_ path: String, at seconds: Int64) throws -> Document {
        .found(try key(path), at: version(seconds), .empty)
    }

    private func set(_ path: String) throws -> Mutation {
        Mutation(key: try key(path), kind: .set(.empty))
    }

    private func update(_ path: String) throws -> Mutation {
        Mutation(
            key: try key(path), kind: .patch(.empty, FieldMask([])), precondition: .exists(true))
    }

    private func code(_ body: () throws -> Void) -> FirestoreErrorCode? {
        do {
            try body()
            return nil
        } catch {
            return (error as? FirestoreError)?.code
        }
    }

    @Test func `options are an object whose attempts can be set`() {
        let options = TransactionOptions()
        #expect(options.maxAttempts == 5)
        options.maxAttempts = 2
        #expect(options == TransactionOptions(maxAttempts: 2))
        #expect(options.hashValue == TransactionOptions(maxAttempts: 2).hashValue)
        #expect(options != TransactionOptions())
    }

    @Test func `the first write of a document that was read holds only if it is as it was`() throws
    {
        var state = TransactionState()
        try state.noteRead(try found("a/b", at: 3))
        try state.noteRead(.missing(try key("a/c"), at: .zero))
        for mutation in [try set("a/b"), try update("a/b"), try set("a/c"), try update("a/c")] {
            state.write(.success(mutation))
        }
        #expect(
            try state.finish().map(\.precondition) == [
                .updateTime(version(3)), .exists(true), .exists(false), .exists(true),
            ])
    }

    @Test func `what was not read is written as it is`() throws {
        var state = TransactionState()
        let mutations = [
            try set("a/b"), try update("a/c"), Mutation(key: try key("a/d"), kind: .delete),
        ]
        for mutation in mutations { state.write(.success(mutation)) }
        #expect(try state.finish() == mutations)
    }

    @Test func `what was only read is verified`() throws {
        var state = TransactionState()
        try state.noteRead(try found("a/b", at: 3))
        try state.noteRead(.missing(try key("a/c"), at: .zero))
        try state.noteRead(try found("a/d", at: 4))
        let write = try set("a/d")
        state.write(.success(write))
        let mutations = try state.finish()
        #expect(mutations.map(\.key) == [try key("a/d"), try key("a/b"), try key("a/c")])
        #expect(
            mutations.map(\.precondition) == [
                .updateTime(version(4)), .updateTime(version(3)), .exists(false),
            ])
        #expect(mutations.dropFirst().allSatisfy { $0.kind == .verify })
    }

    @Test func `an update of what was read as missing is the program's mistake`() throws {
        var state = TransactionState()
        try state.noteRead(.missing(try key("a/b"), at: .zero))
        let write = try update("a/b")
        state.write(.success(write))
        #expect(code { _ = try state.finish() } == .invalidArgument)
    }

    @Test func `a read after a write is refused`() throws {
        var state = TransactionState()
        let write = try set("a/b")
        state.write(.success(write))
        #expect(code { try state.checkRead() } == .invalidArgument)
    }

    @Test func `two reads that differ abort the transaction`() throws {
        var state = TransactionState()
        try state.noteRead(try found("a/b", at: 3))
        try state.noteRead(try found("a/b", at: 3))
        #expect(code { try state.noteRead(try found("a/b", at: 4)) } == .aborted)
    }

    @Test func `a transaction that is over takes nothing`() throws {
        var state = TransactionState()
        _ = try state.finish()
        #expect(code { try state.checkRead() } == .failedPrecondition)
        #expect(code { _ = try state.finish() } == .failedPrecondition)
    }

    @Test func `what may pass is tried again, and what stays is not`() {
        let passing: Set<FirestoreErrorCode> = [
            .aborted, .failedPrecondition, .alreadyExists, .unknown, .deadlineExceeded, .internal,
        ]
        #expect(Set(FirestoreErrorCode.allCases.filter(\.isWorthAnotherAttempt)) == passing)
    }

    @Test func `the first retry comes at once, the others later and later`() {
        var pauses = TransactionPauses()
        var even = EvenChance()
        let spans = (0..<12).map { _ in pauses.next(using: &even) }
        #expect(spans.prefix(4) == [.zero, .seconds(1), .seconds(1.5), .seconds(2.25)])
        #expect(spans.allSatisfy { $0 <= .seconds(60) })
    }
}
