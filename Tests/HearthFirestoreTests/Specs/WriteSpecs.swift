import HearthEngine
import HearthFirestore
import HearthModel
import Testing

struct WriteSpecs {
    private let denied = HearthError(code: .permissionDenied, message: "Not yours.")
    private let gone = HearthError(code: .unavailable, message: "Gone.")

    @Test func `a write sent again gets the batch it had, and no second one`() throws {
        var bench = try EngineBench()
        try bench.take(.write(request(1, sequence: 5)))
        let again = try bench.take(.write(request(9, sequence: 5, session: 2)))
        #expect(again == [.accept(RequestID(session: 2, number: 9), BatchID(1))])
        #expect(try bench.read { try $0.highestBatchID(of: .unauthenticated) } == BatchID(1))
        try bench.openWriteStream(1)
        try bench.commit(1, at: 5_000)
        let settled = FirestoreEngine.Action.settle(
            RequestID(session: 2, number: 9), BatchID(1),
            .committed(at: version(5_000), updatedAt: [version(5_000)]))
        #expect(bench.actions.contains(settled))
    }

    @Test func `a write sent again after its commit gets its outcome at once`() throws {
        var bench = try EngineBench()
        try bench.take(.write(request(1, sequence: 5)))
        try bench.openWriteStream(1)
        try bench.commit(1, at: 5_000)
        let id = RequestID(session: 1, number: 2)
        #expect(
            try bench.take(.write(request(2, sequence: 5))) == [
                .accept(id, BatchID(1)),
                .settle(
                    id, BatchID(1), .committed(at: version(5_000), updatedAt: [version(5_000)])),
            ])
    }

    @Test func `a resend is known after a restart`() throws {
        let store = MemoryStore()
        var before = try EngineBench(on: store)
        try before.take(.write(request(1, sequence: 5)))
        var after = try EngineBench(on: store)
        let actions = try after.take(.write(request(1, sequence: 5)))
        #expect(actions == [.accept(RequestID(session: 1, number: 1), BatchID(1))])
        let next = try after.take(.write(request(2, sequence: 6)))
        #expect(next.contains(.accept(RequestID(session: 1, number: 2), BatchID(2))))
    }

    /// Each write alone is one that the backend takes, or refuses; together they must still fit a frame.
    @Test func `writes that pile up into a document too large to be told are refused`() throws {
        var bench = try EngineBench()
        func grow(_ number: UInt64) -> WriteRequest {
            let field = FieldPath(["f\(number)"])
            let text = Value.string(String(repeating: "x", count: 1 << 20))
            var fields = MapValue.empty
            fields.set(field, to: text)
            return WriteRequest(
                id: RequestID(session: 1, number: number), writer: Writer(uid: 7, gid: 7, pid: 7),
                mutations: [
                    Mutation(key: key("rooms/hall"), kind: .patch(fields, FieldMask([field])))
                ])
        }
        for number in Int64(1)...15 {
            let actions = try bench.take(.write(grow(UInt64(number))))
            #expect(
                actions.contains(
                    .accept(RequestID(session: 1, number: UInt64(number)), BatchID(number))))
        }
        let last = RequestID(session: 1, number: 16)
        let refused = try bench.take(.write(grow(16)))
        guard case .refuse(last, let error)? = refused.first, refused.count == 1 else {
            Issue.record("\(refused.count) actions, not one refusal")
            return
        }
        #expect(error.code == .invalidArgument)
        #expect(try bench.read { try $0.highestBatchID(of: .unauthenticated) } == BatchID(15))
        let other = try bench.take(.write(request(17, "rooms/attic")))
        #expect(other.contains { if case .accept = $0 { true } else { false } })
    }

    /// While a server timestamp is pending, what was there before lies in a map of its own.
    @Test func `a write that puts what is there too deep is refused`() throws {
        var bench = try EngineBench()
        func write(_ number: UInt64, _ mutation: Mutation) throws -> [FirestoreEngine.Action] {
            try bench.take(
                .write(
                    WriteRequest(
                        id: RequestID(session: 1, number: number),
                        writer: Writer(uid: 7, gid: 7, pid: 7), mutations: [mutation])))
        }
        let deep = (0..<Value.nestingMax).reduce(Value.null) { inner, _ in .map(["m": inner]) }
        let hall = key("rooms/hall")
        let first = try write(1, Mutation(key: hall, kind: .set(["m": deep, "n": .null])))
        #expect(first.contains(.accept(RequestID(session: 1, number: 1), BatchID(1))))
        func stamp(_ field: String) -> Mutation {
            Mutation(
                key: hall, kind: .patch(.empty, .empty),
                transforms: [
                    FieldTransform(field: FieldPath([field]), operation: .serverTimestamp)
                ])
        }
        let refused = try write(2, stamp("m"))
        guard case .refuse(_, let error)? = refused.first, refused.count == 1 else {
            Issue.record("\(refused)")
            return
        }
        #expect(error.code == .invalidArgument)
        let other = try write(3, stamp("n"))
        #expect(other.contains { if case .accept = $0 { true } else { false } })
    }

    @Test func `a refused write goes to the dead letters, with who wrote it and why`() throws {
        var bench = try EngineBench()
        try bench.take(.write(request(1)))
        try bench.openWriteStream(1)
        try bench.refuse(1, denied)
        let id = RequestID(session: 1, number: 1)
        #expect(
            bench.actions.contains(
                .settle(id, BatchID(1), .rejected(denied, mayHaveBeenApplied: false))))
        let letter = try bench.read { try $0.deadLetter(BatchID(1)) }
        #expect(letter?.error == denied)
        #expect(letter?.batch.writer.pid == 42)
        #expect(letter?.mayHaveBeenApplied == false)
        #expect(try bench.read { try $0.highestBatchID(of: .unauthenticated) } == nil)
    }

    @Test func `a refusal after a lost answer says that the write may have been applied`() throws {
        var bench = try EngineBench()
        try bench.take(.write(request(1)))
        try bench.openWriteStream(1)
        try bench.refuse(1, gone)  // Sent, and never answered.
        try bench.take(.timerFired(.writeBackoff))
        try bench.openWriteStream(2)
        try bench.refuse(2, denied)
        let letter = try bench.read { try $0.deadLetter(BatchID(1)) }
        #expect(letter?.mayHaveBeenApplied == true)
    }

    @Test func `what was sent before a restart may have been applied too`() throws {
        let store = MemoryStore()
        var before = try EngineBench(on: store)
        try before.take(.write(request(1)))
        try before.openWriteStream(1)
        var after = try EngineBench(on: store)
        try after.openWriteStream(1)
        try after.refuse(1, denied)
        let letter = try after.read { try $0.deadLetter(BatchID(1)) }
        #expect(letter?.mayHaveBeenApplied == true)
    }

    @Test func `waiting ends with the last write so far, whoever wrote it`() throws {
        var bench = try EngineBench()
        let waiter = RequestID(session: 7, number: 1)
        #expect(try bench.take(.waitForPendingWrites(waiter, .all)) == [.complete(waiter)])
        try bench.take(.write(request(1)))
        try bench.take(.write(request(2, "rooms/den")))
        #expect(try bench.take(.waitForPendingWrites(waiter, .all)).isEmpty)
        try bench.take(.write(request(3, "rooms/attic")))
        try bench.openWriteStream(1)
        try bench.commit(1, at: 1_000)
        #expect(!bench.actions.contains(.complete(waiter)))
        try bench.commit(1, at: 2_000)
        #expect(bench.actions.contains(.complete(waiter)))
    }

    @Test func `a session that goes takes its listeners along and leaves its writes`() throws {
        var bench = try EngineBench()
        let id = ListenerID(session: 1, number: 1)
        try bench.take(.listen(id, collection("rooms"), ListenOptions()))
        try bench.take(.write(request(2)))
        try bench.take(.disconnected(session: 1))
        #expect(bench.engine.targetID(for: collection("rooms")) == nil)
        try bench.openWriteStream(1)
        try bench.commit(1, at: 1_000)
        #expect(!bench.actions.contains { if case .settle = $0 { true } else { false } })
        #expect(try bench.read { try $0.highestBatchID(of: .unauthenticated) } == nil)
    }
}
