import HearthEngine
import HearthModel
import Testing

@testable import HearthFirestore

/// Preconditions that are judged when a write is accepted.
struct ConditionSpecs {
    private let hall = key("rooms/hall")
    private let name = "projects/p/databases/(default)/documents/rooms/hall"

    /// A bench whose cache has the given hall. The bench is offline unless the test says otherwise.
    private func bench(_ document: Document?, isOnline: Bool = false) throws -> EngineBench {
        let store = MemoryStore()
        if var document {
            document.readAt = document.version
            let stored = document
            try store.transaction { transaction throws(StoreError) in
                try transaction.setRemoteDocument(stored)
            }
        }
        var bench = try EngineBench(on: store)
        if !isOnline { try bench.take(.setNetwork(isEnabled: false)) }
        return bench
    }

    /// How a write with a precondition is taken; `nil` if it is accepted.
    private func refusal(
        _ bench: inout EngineBench, _ precondition: Precondition,
        _ kind: Mutation.Kind = .set([:]), _ conditions: WriteConditions = .judged
    ) throws -> HearthError? {
        let actions = try bench.take(
            .write(
                WriteRequest(
                    id: RequestID(session: 1, number: 1), writer: Writer(uid: 1, gid: 1, pid: 1),
                    mutations: [Mutation(key: hall, kind: kind, precondition: precondition)],
                    conditions: conditions)))
        for case .refuse(_, let error) in actions { return error }
        return nil
    }

    @Test func `a create of what exists is refused at once, in the backend's words`() throws {
        var bench = try bench(document("rooms/hall"))
        let error = HearthError(code: .alreadyExists, message: "Document already exists: \(name)")
        #expect(try refusal(&bench, .exists(false)) == error)
    }

    @Test func `an update of what is known to be missing is refused at once`() throws {
        var bench = try bench(.missing(hall, at: version(1_000)))
        let error = HearthError(code: .notFound, message: "No document to update: \(name)")
        #expect(try refusal(&bench, .exists(true)) == error)
        #expect(try refusal(&bench, .exists(false)) == nil)
    }

    @Test func `what waits counts as known`() throws {
        var bench = try bench(nil)
        #expect(try refusal(&bench, .exists(false)) == nil)
        #expect(try refusal(&bench, .exists(false))?.code == .alreadyExists)
        #expect(try refusal(&bench, .exists(true)) == nil)
        #expect(try refusal(&bench, .none, .delete) == nil)
        #expect(try refusal(&bench, .exists(true))?.code == .notFound)
    }

    @Test func `a write in front in the same request counts`() throws {
        var bench = try bench(nil)
        let create = Mutation(key: hall, kind: .set([:]), precondition: .exists(false))
        let actions = try bench.take(
            .write(
                WriteRequest(
                    id: RequestID(session: 1, number: 1), writer: Writer(uid: 1, gid: 1, pid: 1),
                    mutations: [create, create], conditions: .judged)))
        let error = HearthError(code: .alreadyExists, message: "Document already exists: \(name)")
        #expect(actions == [.refuse(RequestID(session: 1, number: 1), error)])
    }

    @Test func `of a document that nothing is known of the backend judges whether it exists`()
        throws
    {
        var bench = try bench(nil)
        #expect(try refusal(&bench, .exists(true), .patch([:], FieldMask([]))) == nil)
    }

    @Test func `a time must be the document's, at microseconds`() throws {
        var bench = try bench(document("rooms/hall", at: 1_000))
        let other = try refusal(&bench, .updateTime(version(999)))
        #expect(
            other
                == HearthError(
                    code: .failedPrecondition,
                    message: "the stored version (1000) does not match the required base version "
                        + "(999)"))
        #expect(try refusal(&bench, .updateTime(version(1_000))) == nil)
        // Now something waits, so that the time is not the document's any more.
        #expect(try refusal(&bench, .updateTime(version(1_000)))?.code == .failedPrecondition)
    }

    @Test func `a time of what only the backend knows is left to the backend, or refused offline`()
        throws
    {
        var offline = try bench(nil)
        let error = try refusal(&offline, .updateTime(version(1_000)))
        #expect(error?.code == .failedPrecondition)
        #expect(error?.message.contains("Only the backend knows") == true)
        var online = try bench(nil, isOnline: true)
        #expect(try refusal(&online, .updateTime(version(1_000))) == nil)
        var newer = try bench(document("rooms/hall", at: 1_000), isOnline: true)
        #expect(try refusal(&newer, .updateTime(version(2_000))) == nil)
    }

    @Test func `a write that the backend judges passes, whatever is cached`() throws {
        var bench = try bench(document("rooms/hall", at: 1_000), isOnline: true)
        #expect(try refusal(&bench, .exists(false), .set([:]), .translated) == nil)
        #expect(try refusal(&bench, .updateTime(version(9)), .set([:]), .translated) == nil)
    }
}
