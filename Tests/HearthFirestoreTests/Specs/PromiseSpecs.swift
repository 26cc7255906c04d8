import HearthEngine
import HearthModel
import Testing

@testable import HearthFirestore

/// Promised times of accepted writes, and what they become.
struct PromiseSpecs {
    private let hall = key("rooms/hall")
    private let admin = RequestID(session: 9, number: 1)

    private func write(
        _ number: UInt64, _ mutation: Mutation, _ conditions: WriteConditions = .judged
    ) -> FirestoreEngine.Input {
        .write(
            WriteRequest(
                id: RequestID(session: 1, number: number),
                writer: Writer(uid: 1_000, gid: 1_000, pid: 42), mutations: [mutation],
                conditions: conditions))
    }

    /// A change of the hall, with or without the condition that nobody has changed the hall since a
    /// time.
    private func change(_ n: Int64, ifUnchangedSince time: Timestamp? = nil) -> Mutation {
        Mutation(
            key: hall, kind: .set(["n": .integer(n)]),
            precondition: time.map { .updateTime(SnapshotVersion($0)) } ?? .none)
    }

    private func promise(_ actions: [FirestoreEngine.Action]) throws -> PromisedWrite {
        let promises = actions.compactMap { action -> PromisedWrite? in
            if case .result(_, .promised(let promise)) = action { promise } else { nil }
        }
        return try #require(promises.first)
    }

    private func sent(_ actions: [FirestoreEngine.Action]) -> [Precondition] {
        actions.flatMap { action -> [Precondition] in
            guard case .upstream(.write(_, _, let mutations, _)) = action else { return [] }
            return mutations.map(\.precondition)
        }
    }

    private func local(_ bench: EngineBench) throws -> Document {
        try bench.read { try bench.engine.local.localDocument(hall, $0) }
    }

    private func letter(_ bench: EngineBench, _ batch: Int64) throws -> DeadLetter? {
        try bench.read { try $0.deadLetter(BatchID(batch)) }
    }

    /// Reads, changes and writes the hall twice while nothing is answered.
    private func readChangeWriteTwice(_ bench: inout EngineBench) throws -> [Timestamp] {
        let first = try promise(bench.take(write(1, change(1)))).promisedAt
        #expect(try local(bench).promisedAt == first)
        let second = try promise(bench.take(write(2, change(2, ifUnchangedSince: first))))
        #expect(try local(bench).promisedAt == second.promisedAt)
        let time = second.promisedAt.flooredToMicroseconds  // As a client without nanoseconds.
        let third = try promise(bench.take(write(3, change(3, ifUnchangedSince: time))))
        #expect(try local(bench).fields["n"] == .integer(3))
        return [first, second.promisedAt, third.promisedAt]
    }

    // MARK: Read, change, write

    @Test func `a pending document is read, changed and written twice, and all lands in order`()
        throws
    {
        var bench = try EngineBench()
        let promises = try readChangeWriteTwice(&bench)
        #expect(promises == promises.sorted() && Set(promises).count == 3)
        try bench.openWriteStream(1)
        #expect(sent(bench.actions) == [.none])
        try bench.commit(1, at: 5_000)
        #expect(sent(bench.actions) == [.updateTime(version(5_000))])
        try bench.commit(1, at: 6_000)
        #expect(sent(bench.actions) == [.updateTime(version(6_000))])
        try bench.commit(1, at: 7_000)
        #expect(try local(bench).version == version(7_000))
        #expect(try local(bench).promisedAt == nil)
        #expect(try bench.read { try $0.highestBatchID(of: .unauthenticated) } == nil)
    }

    @Test func `a restart in between keeps the promises and what they have become`() throws {
        let store = MemoryStore()
        var before = try EngineBench(on: store)
        _ = try readChangeWriteTwice(&before)
        try before.openWriteStream(1)
        try before.commit(1, at: 5_000)
        var after = try EngineBench(on: store)
        let shown = try #require(try local(after).promisedAt)
        let fourth = try promise(after.take(write(4, change(4, ifUnchangedSince: shown))))
        #expect(fourth.promisedAt > shown)
        try after.openWriteStream(1)
        #expect(sent(after.actions) == [.updateTime(version(5_000))])
        try after.commit(1, at: 6_000)
        #expect(sent(after.actions) == [.updateTime(version(6_000))])
    }

    @Test func `a foreign change in between makes the later write a dead letter`() throws {
        var bench = try EngineBench()
        let first = try promise(bench.take(write(1, change(1)))).promisedAt
        try bench.take(write(2, change(2, ifUnchangedSince: first)))
        try bench.openWriteStream(1)
        try bench.commit(1, at: 5_000)
        let conflict = HearthError(code: .failedPrecondition, message: "Changed at 5,500.")
        try bench.refuse(1, conflict)
        #expect(try letter(bench, 2)?.error == conflict)
        #expect(try letter(bench, 1) == nil)
    }

    @Test func `a rejected batch takes those along that named its promise, and no other`() throws {
        var bench = try EngineBench()
        let first = try promise(bench.take(write(1, change(1)))).promisedAt
        let second = try promise(bench.take(write(2, change(2, ifUnchangedSince: first))))
        try bench.take(write(3, change(3, ifUnchangedSince: second.promisedAt)))
        try bench.take(write(4, change(4)))
        try bench.openWriteStream(1)
        try bench.refuse(1, HearthError(code: .permissionDenied, message: "No."))
        try bench.openWriteStream(2)
        #expect(try letter(bench, 2)?.error.code == .failedPrecondition)
        #expect(try letter(bench, 2)?.error.message.contains("batch 1") == true)
        #expect(try letter(bench, 3)?.error.message.contains("batch 2") == true)
        #expect(try letter(bench, 2)?.mayHaveBeenApplied == false)
        #expect(sent(bench.actions) == [.none])
        #expect(try letter(bench, 4) == nil)
    }

    @Test func `a write whose condition fails is given up behind the answers in front`() throws {
        var bench = try EngineBench()
        let first = try promise(bench.take(write(1, change(1)))).promisedAt
        try bench.openWriteStream(1)
        try bench.refuse(1, HearthError(code: .permissionDenied, message: "No."))
        try bench.take(.write(request(2, "rooms/attic")))
        let late = change(2, ifUnchangedSince: first)
        let named = WriteRequest(
            id: RequestID(session: 1, number: 3), writer: Writer(uid: 1, gid: 1, pid: 1),
            mutations: [late])
        try bench.take(.write(named))
        let wait = RequestID(session: 1, number: 4)
        try bench.take(.waitForPendingWrites(wait, .all))
        try bench.openWriteStream(2)
        #expect(try letter(bench, 3) == nil)
        try bench.commit(2, at: 5_000)
        #expect(try letter(bench, 3)?.error.message.contains("batch 1") == true)
        #expect(bench.actions.contains(.complete(wait)))
    }

    @Test func `a resend bears the same version, whatever was lost`() throws {
        var bench = try EngineBench()
        let first = try promise(bench.take(write(1, change(1)))).promisedAt
        try bench.take(write(2, change(2, ifUnchangedSince: first)))
        try bench.openWriteStream(1)
        try bench.commit(1, at: 5_000)
        try bench.refuse(1, HearthError(code: .unavailable, message: "Gone."))
        try bench.take(.timerFired(.writeBackoff))
        try bench.openWriteStream(2)
        #expect(sent(bench.actions) == [.updateTime(version(5_000))])
    }

    // MARK: Settled and forgotten

    @Test func `a promise given back after its batch landed stands for the real version`() throws {
        var bench = try EngineBench()
        let first = try promise(bench.take(write(1, change(1)))).promisedAt
        try bench.openWriteStream(1)
        try bench.commit(1, at: 5_000)
        try bench.take(write(2, change(2, ifUnchangedSince: first)))
        #expect(sent(bench.actions) == [.updateTime(version(5_000))])
        try bench.commit(1, at: 6_000)
        let late = try bench.take(write(30, change(3, ifUnchangedSince: first)))
        #expect(refusal(late)?.code == .failedPrecondition)
    }

    @Test func `a promise without its nanoseconds is known after its batch landed`() throws {
        var bench = try EngineBench()
        let first = try promise(bench.take(write(1, change(1)))).promisedAt
        try bench.openWriteStream(1)
        try bench.commit(1, at: 5_000)
        let time = first.flooredToMicroseconds
        try bench.take(write(2, change(2, ifUnchangedSince: time), .translated))
        #expect(sent(bench.actions) == [.updateTime(version(5_000))])
    }

    @Test func `a document that a batch left as it was keeps the version that it had`() throws {
        var bench = try EngineBench()
        let two = WriteRequest(
            id: RequestID(session: 1, number: 1), writer: Writer(uid: 1, gid: 1, pid: 1),
            mutations: [change(1), Mutation(key: key("rooms/attic"), kind: .set([:]))],
            conditions: .judged)
        let first = try promise(bench.take(.write(two))).promisedAt
        try bench.openWriteStream(1)
        let answer = WriteAnswer(
            token: [8], committedAt: version(5_000),
            results: [.init(version: version(3_000)), .init(version: version(5_000))])
        try bench.take(.upstream(.writeAnswered(StreamNumber(1), answer)))
        try bench.take(write(2, change(2, ifUnchangedSince: first)))
        #expect(sent(bench.actions) == [.updateTime(version(3_000))])
    }

    @Test func `a write past the queue bears the real version, and none that still waits`() throws {
        var bench = try EngineBench()
        let first = try promise(bench.take(write(1, change(1)))).promisedAt
        let id = RequestID(session: 1, number: 9)
        let past = change(2, ifUnchangedSince: first)
        let early = try bench.take(.translate(id, [past]))
        #expect(refusal(early)?.code == .failedPrecondition)
        try bench.openWriteStream(1)
        try bench.commit(1, at: 5_000)
        let real = change(2, ifUnchangedSince: version(5_000).timestamp)
        #expect(try bench.take(.translate(id, [past])) == [.result(id, .translated([real]))])
    }

    @Test func `a forgotten promise is refused with the reason and never sent`() throws {
        var bench = try EngineBench()
        let old = Timestamp(promising: 946_000_000_000_000)
        let actions = try bench.take(write(1, change(1, ifUnchangedSince: old)))
        #expect(refusal(actions)?.code == .failedPrecondition)
        #expect(refusal(actions)?.message.contains("forgotten") == true)
        let also = try bench.take(write(2, change(1, ifUnchangedSince: old), .translated))
        #expect(refusal(also)?.message.contains("forgotten") == true)
        #expect(try bench.read { try $0.highestBatchID(of: .unauthenticated) } == nil)
    }

    private func refusal(_ actions: [FirestoreEngine.Action]) -> HearthError? {
        for case .refuse(_, let error) in actions { return error }
        return nil
    }

    // MARK: Administrators

    @Test func `a held batch holds what names its promise, and an edited one keeps the promise`()
        throws
    {
        var bench = try EngineBench()
        let first = try promise(bench.take(write(1, change(1)))).promisedAt
        try bench.take(write(2, change(2, ifUnchangedSince: first)))
        try bench.take(.steerQueue(admin, .hold([BatchID(1)]), by: 0))
        try bench.take(.steerQueue(admin, .edit(BatchID(1), [change(7)]), by: 0))
        try bench.take(.steerQueue(admin, .release([BatchID(1)]), by: 0))
        try bench.openWriteStream(1)
        #expect(sent(bench.actions) == [.none])
        try bench.commit(1, at: 5_000)
        #expect(sent(bench.actions) == [.updateTime(version(5_000))])
    }

    @Test(arguments: [true, false])
    func `a batch taken out fails what named its promise`(isKept: Bool) throws {
        var bench = try EngineBench()
        let first = try promise(bench.take(write(1, change(1)))).promisedAt
        try bench.take(write(2, change(2, ifUnchangedSince: first)))
        let order = isKept ? QueueOrder<[Mutation]>.cancel([BatchID(1)]) : .drop([BatchID(1)])
        try bench.take(.steerQueue(admin, order, by: 0))
        try bench.openWriteStream(1)
        #expect(try letter(bench, 2)?.error.message.contains("batch 1") == true)
        #expect(try bench.read { try $0.highestBatchID(of: .unauthenticated) } == nil)
    }

    // MARK: What writers are told

    @Test func `a writer is told its promise and the transforms, as the backend would`() throws {
        var bench = try EngineBench()
        func transform(_ field: String, _ operation: FieldTransform.Operation) -> FieldTransform {
            FieldTransform(field: FieldPath([field]), operation: operation)
        }
        let mutation = Mutation(
            key: hall, kind: .set(["n": .integer(4)]),
            transforms: [
                transform("n", .increment(.integer(3))), transform("at", .serverTimestamp),
                transform("list", .arrayUnion([.integer(1)])),
            ])
        let actions = try bench.take(write(1, mutation))
        let promised = try promise(actions)
        let at = promised.promisedAt.flooredToMicroseconds
        #expect(promised.transformResults == [[.integer(3), .timestamp(at), .null]])
        try bench.openWriteStream(1)
        let results: [Value] = [.integer(3), .timestamp(start), .null]
        let answer = WriteAnswer(
            token: [8], committedAt: version(5_000),
            results: [.init(version: version(5_000), transformResults: results)])
        let settled = try bench.take(.upstream(.writeAnswered(StreamNumber(1), answer)))
        let told = FirestoreEngine.Action.result(
            RequestID(session: 1, number: 1), .transformed([results]))
        #expect(settled.contains(told))
    }

    @Test func `a rejection is told to a caller who waits, and kept apart`() throws {
        var bench = try EngineBench()
        for number in UInt64(1)...2 { try bench.take(write(number, change(Int64(number)))) }
        // The second caller has its answer: accepted.
        let second = RequestID(session: 1, number: 2)
        try bench.take(.disclaim(second, BatchID(2)))
        let no = HearthError(code: .permissionDenied, message: "No.")
        // Both batches were on the first stream, so nobody knows which batch is at fault.
        for stream in UInt64(1)...3 {
            try bench.openWriteStream(stream)
            try bench.refuse(stream, no)
        }
        #expect(try letter(bench, 1)?.wasTold == true)
        #expect(try letter(bench, 2)?.wasTold == false)
        let isSettled = bench.actions.contains {
            if case .settle = $0 { true } else { false }
        }
        #expect(!isSettled)
    }

    @Test func `a write as the SDKs make it is told no more than before`() throws {
        var bench = try EngineBench()
        let actions = try bench.take(.write(request(1)))
        #expect(actions.first == .accept(RequestID(session: 1, number: 1), BatchID(1)))
    }
}
