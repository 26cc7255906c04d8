import HearthModel
import Testing

@testable import HearthBackend

/// Several writes to one document in one commit; a write makes the condition of another write
/// impossible.
struct WriteOrderTests {
    /// One write to `c/a`, by a word that tests can print.
    enum Step: String, Sendable {
        case set, patch, create, update, delete, deleteExisting, verifyExists, verifyMissing

        var mutation: Mutation {
            let key = key("c/a")
            return switch self {
            case .set: .set("c/a", ["x": .integer(1)])
            case .patch: .patch("c/a", ["y": .integer(1)], "y")
            case .create: .set("c/a", ["x": .integer(2)], .exists(false))
            case .update:
                Mutation(
                    key: key, kind: .patch(["z": .integer(3)], FieldMask([FieldPath(["z"])])),
                    precondition: .exists(true),
                    transforms: [
                        FieldTransform(field: FieldPath(["n"]), operation: .increment(.integer(1)))
                    ])
            case .delete: Mutation(key: key, kind: .delete)
            case .deleteExisting: Mutation(key: key, kind: .delete, precondition: .exists(true))
            case .verifyExists: Mutation(key: key, kind: .verify, precondition: .exists(true))
            case .verifyMissing: Mutation(key: key, kind: .verify, precondition: .exists(false))
            }
        }
    }

    private static let impossible: [[Step]] = [
        [.delete, .update], [.delete, .deleteExisting], [.deleteExisting, .update],
        [.deleteExisting, .deleteExisting], [.set, .create], [.patch, .create],
        [.create, .create], [.update, .create], [.set, .delete, .update],
        [.delete, .set, .create],
    ]

    @Test(arguments: impossible, [false, true])
    func `a condition that an earlier write makes impossible is an invalid argument`(
        steps: [Step], isStored: Bool
    ) throws {
        var spec = BackendSpec()
        if isStored { try spec.put("c/a", ["x": .integer(0)]) }
        let before = try spec.get("c/a")
        let error = #expect(throws: HearthError.self) {
            _ = try spec.tryCommit(steps.map(\.mutation))
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("earlier write of the same commit") == true)
        #expect(try spec.get("c/a") == before)
    }

    @Test func `it comes before conditions of other documents, and before a transaction's`() throws
    {
        var spec = BackendSpec()
        let other = Mutation.set("c/b", [:], .exists(true))
        let steps = [Step.delete, .update].map(\.mutation)
        let error = #expect(throws: HearthError.self) { _ = try spec.tryCommit([other] + steps) }
        #expect(error?.code == .invalidArgument)

        try spec.put("c/a", ["x": .integer(0)])
        let transaction = try spec.backend.begin(
            .optimistic, in: BackendSpec.database, at: spec.now)
        _ = try spec.backend.read(
            .documents([key("c/a")]), in: BackendSpec.database, .transaction(transaction),
            at: spec.now)
        try spec.put("c/a", ["x": .integer(5)])
        let late = #expect(throws: HearthError.self) {
            _ = try spec.tryCommit(steps, transaction: transaction)
        }
        #expect(late?.code == .invalidArgument)
    }

    @Test(arguments: [
        [Step.delete, .create], [.delete, .set, .update], [.set, .update], [.create, .update],
        [.update, .delete, .create], [.set, .delete], [.delete, .delete],
    ])
    func `what the writes before allow is made in order`(steps: [Step]) throws {
        var spec = BackendSpec()
        if steps.first == .update || steps.first == .delete {
            try spec.put("c/a", ["x": .integer(0)])
        }
        guard case .done(let outcome) = try spec.tryCommit(steps.map(\.mutation)) else {
            Issue.record("\(steps) waits")
            return
        }
        #expect(outcome.results.count == steps.count)
        #expect(try spec.get("c/a").isFound == (steps.last != .delete))
    }

    @Test(arguments: [
        ([Step.verifyExists, .update], "verified and then written"),
        ([.set, .verifyExists], "written and then verified"),
        ([.delete, .verifyMissing, .create], "written and then verified"),
        ([.verifyExists, .verifyExists], "verified more than once"),
    ])
    func `a document is verified once, and not written`(
        steps: [Step], what: String
    ) throws {
        var spec = BackendSpec()
        try spec.put("c/a", ["x": .integer(0)])
        let message = "the same document cannot be \(what) in a single request"
        #expect(throws: HearthError(code: .invalidArgument, message: message)) {
            _ = try spec.tryCommit(steps.map(\.mutation))
        }
        let other = Mutation(key: key("c/b"), kind: .verify, precondition: .exists(false))
        #expect(throws: Never.self) { try spec.tryCommit([Step.verifyExists.mutation, other]) }
    }

    @Test func `a verify without a condition is refused`() {
        var spec = BackendSpec()
        let message = "a verify must contain a precondition"
        #expect(throws: HearthError(code: .invalidArgument, message: message)) {
            _ = try spec.tryCommit([Mutation(key: key("c/a"), kind: .verify)])
        }
    }

    @Test func `an update time that an earlier write moved on fails by what is stored`() throws {
        var spec = BackendSpec()
        let version = try spec.put("c/a", ["x": .integer(1)]).version
        let same = Mutation.set("c/a", ["x": .integer(1)], .updateTime(version))
        try spec.commit(same, same)  // The first changes nothing, so the update time stays.
        let other = Mutation.set("c/a", ["x": .integer(2)], .updateTime(version))
        let error = #expect(throws: HearthError.self) { try spec.commit(other, same) }
        #expect(error?.code == .failedPrecondition)
        #expect(try spec.get("c/a").fields == ["x": .integer(1)])
    }

    @Test func `a batch of writes each for itself may name no document twice`() throws {
        let spec = BackendSpec()
        let error = #expect(throws: HearthError.self) {
            try spec.backend.checkBatch(
                [Step.delete, .create].map(\.mutation), in: BackendSpec.database)
        }
        #expect(error?.code == .invalidArgument)
    }
}
