import HearthEngine
import HearthModel
import HearthTesting
import Testing

@testable import HearthFirestore

/// A writer's own terms: conditions, an end, only online, and taking back.
struct TermSpecs {
    private let hall = key("rooms/hall")

    private func write(
        _ number: UInt64, _ path: String = "rooms/hall", sequence: UInt64? = nil,
        kind: Mutation.Kind = .set(["n": .integer(1)]), precondition: Precondition = .none,
        isJudged: Bool = false, terms: SendingTerms = SendingTerms()
    ) -> FirestoreEngine.Input {
        .write(
            WriteRequest(
                id: RequestID(session: 1, number: number), identity: sequence.map(identity),
                writer: Writer(uid: 1000, gid: 1000, pid: 42),
                mutations: [Mutation(key: key(path), kind: kind, precondition: precondition)],
                conditions: isJudged ? .judged : .asSDK, tellsPromise: false, terms: terms))
    }

    private func identity(_ sequence: UInt64) -> WriteIdentity {
        WriteIdentity(uid: 1000, client: ClientID(high: 1, low: 2), sequence: sequence)
    }

    private func expiring(_ bench: EngineBench, in seconds: Int64) -> SendingTerms {
        SendingTerms(expiresAt: bench.now.advanced(by: .seconds(seconds)))
    }

    private func settled(_ actions: [FirestoreEngine.Action], _ number: UInt64) -> HearthError? {
        for case .settle(RequestID(session: 1, number: number), _, .rejected(let error, false))
            in actions
        { return error }
        return nil
    }

    private func refused(_ actions: [FirestoreEngine.Action], _ number: UInt64) -> HearthError? {
        for case .refuse(RequestID(session: 1, number: number), let error) in actions {
            return error
        }
        return nil
    }

    private func sent(_ actions: [FirestoreEngine.Action]) -> [DocumentKey] {
        actions.compactMap {
            if case .upstream(.write(_, _, let mutations, _)) = $0 {
                mutations.first?.key
            } else {
                nil
            }
        }
    }

    private func local(_ bench: EngineBench, _ path: String) throws -> Document {
        try bench.read { try bench.engine.local.localDocument(key(path), $0) }
    }

    private func code(_ bench: EngineBench, _ batch: Int64) throws -> StatusCode? {
        try bench.read { try $0.deadLetter(BatchID(batch)) }?.error.code
    }

    // MARK: Expiry

    @Test func `a write that was not sent in its time becomes a dead letter, and is undone`() throws
    {
        var bench = try EngineBench()
        let actions = try bench.take(write(1, terms: expiring(bench, in: 60)))
        #expect(actions.contains(.schedule(.terms, after: .seconds(60))))
        try bench.take(.listen(ListenerID(session: 2, number: 1), Query(document: hall), .init()))
        try bench.take(write(2, "rooms/attic"))
        bench.now = bench.now.advanced(by: .seconds(60))
        let ended = try bench.take(.timerFired(.terms))
        #expect(settled(ended, 1)?.code == .deadlineExceeded)
        #expect(try code(bench, 1) == .deadlineExceeded)
        #expect(try local(bench, "rooms/hall").isFound == false)
        #expect(try local(bench, "rooms/attic").isFound)
        let told = ended.compactMap { action -> [RejectedWrite]? in
            if case .emit(let snapshot, _) = action { snapshot.rejectedWrites } else { nil }
        }
        #expect(told.first?.first?.error.code == .deadlineExceeded)
        try bench.openWriteStream(1)
        #expect(sent(bench.actions) == [key("rooms/attic")])
    }

    @Test func `a stream that opens too late finds the expired write gone, before its timer`()
        throws
    {
        var bench = try EngineBench()
        try bench.take(write(1, terms: expiring(bench, in: 60)))
        try bench.take(write(2, "rooms/attic"))
        bench.now = bench.now.advanced(by: .seconds(61))
        try bench.openWriteStream(1)
        #expect(sent(bench.actions) == [key("rooms/attic")])
        #expect(try code(bench, 1) == .deadlineExceeded)
    }

    @Test func `a write that was sent never expires, answered or in doubt`() throws {
        let store = MemoryStore()
        var bench = try EngineBench(on: store)
        try bench.take(write(1, terms: expiring(bench, in: 60)))
        try bench.openWriteStream(1)
        bench.now = bench.now.advanced(by: .seconds(100))
        try bench.take(.timerFired(.terms))
        #expect(try code(bench, 1) == nil)
        #expect(bench.engine.outstandingWriteCount == 1)
        var after = try EngineBench(on: store)
        after.now = bench.now
        try after.take(.timerFired(.terms))
        try after.openWriteStream(1)
        #expect(sent(after.actions) == [hall])
    }

    @Test func `terms outlast a restart, and what expired meanwhile is given up at the start`()
        throws
    {
        let store = MemoryStore()
        var before = try EngineBench(on: store)
        try before.take(write(1, terms: expiring(before, in: 60)))
        try before.take(write(2, "rooms/attic", terms: expiring(before, in: 600)))
        var after = try EngineBench(on: store)
        after.now = before.now.advanced(by: .seconds(61))
        try after.openWriteStream(1)
        #expect(sent(after.actions) == [key("rooms/attic")])
        #expect(try code(after, 1) == .deadlineExceeded)
        #expect(try code(after, 2) == nil)
    }

    @Test func `a write that has expired already is refused`() throws {
        var bench = try EngineBench()
        #expect(
            refused(try bench.take(write(1, terms: expiring(bench, in: 0))), 1)?.code
                == .deadlineExceeded)
        #expect(bench.engine.outstandingWriteCount == 0)
    }

    @Test func `a batch that leaves the queue otherwise leaves no terms`() throws {
        var bench = try EngineBench()
        for number in UInt64(1)...3 {
            try bench.take(write(number, "rooms/\(number)", terms: expiring(bench, in: 60)))
        }
        let admin = RequestID(session: 9, number: 1)
        try bench.take(.steerQueue(admin, .drop([BatchID(3)]), by: 0))
        try bench.openWriteStream(1)
        try bench.commit(1, at: 5_000)
        try bench.commit(1, at: 6_000)
        #expect(try bench.read { try $0.terms() } == [:])
        #expect(bench.engine.terms.firstExpiry == nil)
    }

    @Test func `hundreds that expire at once go in several turns, and none is sent`() throws {
        var bench = try EngineBench()
        for number in UInt64(1)...250 {
            try bench.take(write(number, "rooms/\(number)", terms: expiring(bench, in: 60)))
        }
        bench.now = bench.now.advanced(by: .seconds(60))
        try bench.openWriteStream(1)
        #expect(sent(bench.actions) == [])
        for _ in 0..<3 {
            try bench.take(.timerFired(.filling))
            #expect(sent(bench.actions) == [])
        }
        for batch in Int64(1)...250 { #expect(try code(bench, batch) == .deadlineExceeded) }
    }

    // MARK: Only online

    @Test func `a write for now is refused while the engine knows that it is offline`() throws {
        var bench = try EngineBench()
        try bench.take(.setNetwork(isEnabled: false))
        let now = SendingTerms(isOnlineOnly: true)
        #expect(refused(try bench.take(write(1, terms: now)), 1)?.code == .unavailable)
        try bench.take(.setNetwork(isEnabled: true))
        #expect(refused(try bench.take(write(2, terms: now)), 2) == nil)
    }

    @Test func `a write for now is given up if the backend goes before it was sent, others wait`()
        throws
    {
        var bench = try EngineBench()
        try bench.take(write(1, "rooms/attic"))
        try bench.take(write(2, terms: SendingTerms(isOnlineOnly: true)))
        let gone = try bench.take(.setNetwork(isEnabled: false))
        #expect(gone.contains(.schedule(.terms, after: .zero)))
        #expect(settled(try bench.take(.timerFired(.terms)), 2)?.code == .unavailable)
        #expect(try code(bench, 2) == .unavailable)
        #expect(try code(bench, 1) == nil)
        #expect(try local(bench, "rooms/attic").isFound)
    }

    @Test func `a write for now that was sent is not given up`() throws {
        var bench = try EngineBench()
        try bench.take(write(1, terms: SendingTerms(isOnlineOnly: true)))
        try bench.openWriteStream(1)
        try bench.take(.setNetwork(isEnabled: false))
        try bench.take(.timerFired(.terms))
        #expect(try code(bench, 1) == nil)
        #expect(try local(bench, "rooms/hall").isFound)
    }

    // MARK: Taking back

    private func cancel(_ batch: Int64, _ sequence: UInt64) -> FirestoreEngine.Input {
        .cancelWrite(RequestID(session: 1, number: 99), BatchID(batch), identity(sequence))
    }

    @Test func `a client takes back its own write, and nothing stays of it`() throws {
        var bench = try EngineBench()
        try bench.take(write(1, sequence: 5))
        try bench.take(write(2, "rooms/attic", sequence: 6))
        let actions = try bench.take(cancel(1, 5))
        #expect(settled(actions, 1)?.code == .cancelled)
        #expect(actions.contains(.complete(RequestID(session: 1, number: 99))))
        #expect(try code(bench, 1) == nil)
        #expect(try local(bench, "rooms/hall").isFound == false)
        try bench.openWriteStream(1)
        #expect(sent(bench.actions) == [key("rooms/attic")])
    }

    @Test func `another client's write, and one that was sent, cannot be taken back`() throws {
        var bench = try EngineBench()
        try bench.take(write(1, sequence: 5))
        #expect(refused(try bench.take(cancel(1, 6)), 99)?.code == .permissionDenied)
        try bench.take(write(2, "rooms/attic"))
        #expect(refused(try bench.take(cancel(2, 5)), 99)?.code == .permissionDenied)
        try bench.openWriteStream(1)
        #expect(refused(try bench.take(cancel(1, 5)), 99)?.code == .failedPrecondition)
        #expect(try local(bench, "rooms/hall").isFound)
    }

    // MARK: Conditions

    @Test func `a writer's conditions are judged at once as far as the cache knows`() throws {
        let store = MemoryStore()
        var known = document("rooms/hall", ["n": .integer(1)])
        known.readAt = version(1_000)
        let present = known
        try store.transaction { transaction throws(StoreError) in
            try transaction.setRemoteDocument(present)
        }
        var bench = try EngineBench(on: store)
        let cases: [(Precondition, String, StatusCode?)] = [
            (.exists(false), "rooms/hall", .alreadyExists), (.exists(true), "rooms/hall", nil),
            (.updateTime(version(1)), "rooms/hall", .failedPrecondition),
            (.exists(false), "rooms/new", nil), (.exists(false), "rooms/new", .alreadyExists),
        ]
        for (index, (precondition, path, code)) in cases.enumerated() {
            let actions = try bench.take(
                write(UInt64(index + 1), path, precondition: precondition, isJudged: true))
            #expect(refused(actions, UInt64(index + 1))?.code == code, "\(precondition) \(path)")
        }
        var unchanged = try EngineBench(on: store)
        let actions = try unchanged.take(
            write(
                9, "rooms/hall", precondition: .updateTime(present.version), isJudged: true))
        // A write of the engine before waits, so the document is not what it was.
        #expect(refused(actions, 9)?.code == .failedPrecondition)
        #expect(!actions.contains { if case .result = $0 { true } else { false } })
    }
}
