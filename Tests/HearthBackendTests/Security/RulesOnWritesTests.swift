import HearthModel
import Testing

@testable import HearthBackend

/// Which rules a write has to pass. What is asked here was asked of Google's emulator too.
struct RulesOnWritesTests {
    private static let old = Mutation.set("w/a", ["n": .integer(2)])
    private static let new = Mutation.set("w/new", ["n": .integer(1)])
    private static let deletion = Mutation(key: key("w/a"), kind: .delete)

    private static func spec(_ body: String) throws -> BackendSpec {
        var spec = try BackendSpec(rules: body)
        try spec.put("w/a", ["n": .integer(1)])
        return spec
    }

    @Test func `without rules everybody may do everything`() throws {
        var spec = BackendSpec()
        #expect(spec.commit(Self.new, by: .nobody) == .ok)
        #expect(spec.get("w/new", by: .nobody) == .ok)
    }

    @Test func `rules do not hold the admin, and hold everybody else`() throws {
        var spec = try Self.spec("match /w/{x} { allow write: if false; }")
        #expect(spec.commit(Self.new, by: .admin) == .ok)
        #expect(spec.commit(Self.new, by: .alice) == .permissionDenied)
        #expect(spec.commit(Self.new, by: .nobody) == .permissionDenied)
    }

    @Test func `a set is a create or an update, by whether the document exists`() throws {
        var spec = try Self.spec("match /w/{x} { allow create; }")
        #expect(spec.commit(Self.old, by: .alice) == .permissionDenied)
        #expect(spec.commit(Self.new, by: .alice) == .ok)
        #expect(spec.commit(Self.deletion, by: .alice) == .permissionDenied)
        spec = try Self.spec("match /w/{x} { allow update; }")
        #expect(spec.commit(Self.old, by: .alice) == .ok)
        #expect(spec.commit(Self.new, by: .alice) == .permissionDenied)
        spec = try Self.spec("match /w/{x} { allow delete; }")
        #expect(spec.commit(Self.old, by: .alice) == .permissionDenied)
        #expect(spec.commit(Self.deletion, by: .alice) == .ok)
        #expect(spec.commit(Self.deletion, by: .alice) == .ok)
    }

    @Test func `a precondition says what is meant, and is looked at after the rules`() throws {
        let update = Mutation.set("w/none", [:], .exists(true))
        let create = Mutation.set("w/a", [:], .exists(false))
        var spec = try Self.spec("match /w/{x} { allow update; }")
        #expect(spec.commit(update, by: .alice) == .notFound)
        #expect(spec.commit(create, by: .alice) == .permissionDenied)
        spec = try Self.spec("match /w/{x} { allow create; }")
        #expect(spec.commit(update, by: .alice) == .permissionDenied)
        #expect(spec.commit(create, by: .alice) == .alreadyExists)
        spec = try Self.spec("match /w/{x} { allow delete: if false; }")
        let delete = Mutation(key: key("w/none"), kind: .delete, precondition: .exists(true))
        #expect(spec.commit(delete, by: .alice) == .permissionDenied)
    }

    @Test func `a verify needs the right to get`() throws {
        let verify = Mutation(key: key("w/a"), kind: .verify, precondition: .exists(true))
        var spec = try Self.spec("match /w/{x} { allow get; }")
        #expect(spec.commit(verify, by: .alice) == .ok)
        spec = try Self.spec("match /w/{x} { allow write, list; }")
        #expect(spec.commit(verify, by: .alice) == .permissionDenied)
        spec = try Self.spec(
            "match /w/{x} { allow get: if request.resource.data == resource.data; }")
        #expect(spec.commit(verify, by: .alice) == .ok)
    }

    @Test func `a document is judged once, as the whole commit leaves it`() throws {
        var spec = try Self.spec("match /w/{x} { allow write: if request.resource.data.n == 5; }")
        let four = Mutation.set("w/q", ["n": .integer(4)])
        let five = Mutation.set("w/q", ["n": .integer(5)])
        #expect(spec.commit(five, four, by: .alice) == .permissionDenied)
        #expect(spec.commit(four, five, by: .alice) == .ok)
        #expect(spec.commit(.patch("w/q", ["k": .integer(1)], "k"), by: .alice) == .ok)
        spec = try Self.spec(
            "match /w/{x} { allow create: if request.resource.data.n == 1; allow delete; }")
        let creation = Mutation.set("w/c", ["n": .integer(1)])
        #expect(
            spec.commit(creation, Mutation(key: key("w/c"), kind: .delete), by: .alice) == .ok)
    }

    @Test func `one refused write refuses all, and leaves nothing behind`() throws {
        var spec = try Self.spec("match /w/{x} { allow write: if x != 'bad'; }")
        #expect(
            spec.commit(Self.new, .set("w/bad", [:]), by: .alice) == .permissionDenied)
        #expect(try spec.get("w/new").isMissing)
    }

    @Test func `transforms are part of the document, and server time is the request's`() throws {
        var spec = try Self.spec(
            """
            match /w/{x} {
              allow create: if request.resource.data.t == request.time
                && request.resource.data.c == 3 && resource == null;
            }
            """)
        let write = Mutation.set(
            "w/t", [:], .none, FieldTransform(field: FieldPath(["t"]), operation: .serverTimestamp),
            FieldTransform(field: FieldPath(["c"]), operation: .increment(.integer(3))))
        #expect(spec.commit(write, by: .alice) == .ok)
    }

    @Test func `what a commit leaves is seen by getAfter, what was before by get`() throws {
        var spec = try Self.spec(
            """
            match /w/{x} {
              allow write: if getAfter(/databases/$(database)/documents/v/$(x)).data.ok == true
                && !exists(/databases/$(database)/documents/v/$(x));
            }
            match /v/{x} { allow write; }
            """)
        let mark = Mutation.set("v/g", ["ok": .boolean(true)])
        #expect(spec.commit(.set("w/g", [:]), by: .alice) == .permissionDenied)
        #expect(spec.commit(.set("w/g", [:]), mark, by: .alice) == .ok)
        #expect(spec.commit(.set("w/g", [:]), mark, by: .alice) == .permissionDenied)
    }

    @Test func `a commit that waits for a lock is judged when it is made`() throws {
        var spec = try Self.spec(
            "match /w/{x} { allow write: if get(/databases/$(database)/documents/w/a).data.n == 1; }"
        )
        let transaction = try spec.backend.begin(
            .pessimistic, in: BackendSpec.database, at: spec.now)
        _ = try spec.view(.transaction(transaction))
        _ = try spec.backend.read(
            .documents([key("w/a")]), in: BackendSpec.database, .transaction(transaction),
            at: spec.now)
        let reply = try spec.backend.commit(
            [Self.old], in: BackendSpec.database, by: .alice, at: spec.now)
        guard case .waits(let waiter) = reply else {
            Issue.record("The commit did not wait.")
            return
        }
        try spec.commit(.set("w/a", ["n": .integer(3)]), transaction: transaction)
        spec.act()
        guard case .failed(let error)? = spec.answers[waiter] else {
            Issue.record("The commit was not refused.")
            return
        }
        #expect(error.code == .permissionDenied)
    }

    @Test func `a refusal says what production says, and below it what failed where`() throws {
        var spec = try Self.spec("match /w/{x} { allow write: if resource.data.z == 1; }")
        let error = #expect(throws: HearthError.self) {
            try spec.backend.commit(
                [Self.old], in: BackendSpec.database, by: .alice, at: spec.now)
        }
        #expect(
            error?.message
                == "Missing or insufficient permissions.\n"
                + "Property z is undefined on object. for 'update' @ L4")
    }
}
