import HearthEngine
import HearthModel
import Testing

@testable import HearthFirestore

/// What administrators may do with batches that wait.
struct QueueSpecs {
    private let admin = RequestID(session: 9, number: 1)
    private let nobody = UserID.unauthenticated

    private func increment(_ number: UInt64, _ path: String = "rooms/hall") -> WriteRequest {
        WriteRequest(
            id: RequestID(session: 1, number: number), writer: Writer(uid: 7, gid: 7, pid: 7),
            mutations: [
                Mutation(
                    key: key(path), kind: .patch(.empty, .empty),
                    transforms: [
                        FieldTransform(
                            field: FieldPath(["n"]), operation: .increment(.integer(1)))
                    ])
            ])
    }

    private func steer(
        _ bench: inout EngineBench, _ order: QueueOrder<[Mutation]>
    ) throws -> [FirestoreEngine.Action] {
        try bench.take(.steerQueue(admin, order, by: 0))
    }

    private func refusal(_ actions: [FirestoreEngine.Action]) -> HearthError? {
        for case .refuse(admin, let error) in actions { return error }
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

    @Test func `a held batch holds all behind it, and a release lets them go in order`() throws {
        var bench = try EngineBench()
        for number in UInt64(1)...3 {
            try bench.take(.write(request(number, "rooms/\(number)")))
        }
        _ = try steer(&bench, .hold([BatchID(2)]))
        try bench.openWriteStream(1)
        #expect(sent(bench.actions) == [key("rooms/1")])
        try bench.commit(1, at: 5_000)
        #expect(sent(bench.actions) == [])
        let actions = try steer(&bench, .release([BatchID(2)]))
        #expect(sent(actions) == [key("rooms/2"), key("rooms/3")])
        #expect(actions.contains(.result(admin, .steered([SteeredBatch(BatchID(2))]))))
    }

    @Test func `a hold outlasts a restart`() throws {
        let store = MemoryStore()
        var before = try EngineBench(on: store)
        try before.take(.write(request(1)))
        _ = try steer(&before, .hold([BatchID(1)]))
        var after = try EngineBench(on: store)
        #expect(after.engine.outstandingWriteCount == 0)
        _ = try steer(&after, .release([BatchID(1)]))
        #expect(after.engine.outstandingWriteCount == 1)
    }

    @Test func `a cancelled batch is undone, told and kept`() throws {
        var bench = try EngineBench()
        try bench.take(.write(request(1, sequence: 5)))
        let actions = try steer(&bench, .cancel([BatchID(1)]))
        let letter = try #require(try bench.read { try $0.deadLetter(BatchID(1)) })
        #expect(letter.error.code == .cancelled)
        #expect(letter.batch.writer.pid == 42)
        let settled = FirestoreEngine.Action.settle(
            RequestID(session: 1, number: 1), BatchID(1),
            .rejected(letter.error, mayHaveBeenApplied: false))
        #expect(actions.contains(settled))
        #expect(try !local(bench, "rooms/hall").isFound)
        // A program that did not hear it is told when it asks again.
        let again = try bench.take(.write(request(2, sequence: 5)))
        #expect(
            again == [
                .accept(RequestID(session: 1, number: 2), BatchID(1)),
                .settle(
                    RequestID(session: 1, number: 2), BatchID(1),
                    .rejected(letter.error, mayHaveBeenApplied: false)),
            ])
    }

    @Test func `listeners see a cancelled write go at once`() throws {
        var bench = try EngineBench()
        let listener = ListenerID(session: 2, number: 1)
        try bench.take(
            .listen(listener, collection("rooms"), ListenOptions(isCacheOnly: true)))
        try bench.take(.write(request(1)))
        let actions = try steer(&bench, .cancel([BatchID(1)]))
        let shown = actions.compactMap { action -> ViewSnapshot? in
            if case .emit(let snapshot, [listener]) = action { snapshot } else { nil }
        }
        #expect(shown.map(\.documents.count) == [0])
    }

    @Test func `what is left behind a cancelled batch counts as if it had never been`() throws {
        var bench = try EngineBench()
        try bench.take(.write(request(10)))
        for number in UInt64(1)...3 { try bench.take(.write(increment(number))) }
        #expect(try local(bench, "rooms/hall").fields["n"] == .integer(13))
        _ = try steer(&bench, .cancel([BatchID(3)]))
        #expect(try local(bench, "rooms/hall").fields["n"] == .integer(12))
        _ = try steer(&bench, .drop([BatchID(2)]))
        #expect(try local(bench, "rooms/hall").fields["n"] == .integer(11))
        #expect(try bench.read { try $0.deadLetter(BatchID(2)) } == nil)
    }

    @Test func `an edited batch keeps number and place, and shows at once`() throws {
        var bench = try EngineBench()
        try bench.take(.write(request(1)))
        try bench.take(.write(increment(2)))
        let writes = [
            Mutation(key: key("rooms/hall"), kind: .set(["n": .integer(40)])),
            Mutation(key: key("rooms/attic"), kind: .set(["n": .integer(5)])),
        ]
        _ = try steer(&bench, .edit(BatchID(1), writes))
        #expect(try local(bench, "rooms/hall").fields["n"] == .integer(41))
        #expect(try local(bench, "rooms/attic").fields["n"] == .integer(5))
        let edited = try #require(try bench.read { try $0.batch(BatchID(1), of: nobody) })
        #expect(edited.batch.mutations == writes)
        #expect(edited.writer.pid == 42)
        _ = try steer(&bench, .edit(BatchID(1), Array(writes.dropFirst())))
        #expect(try local(bench, "rooms/hall").fields["n"] == .integer(1))
        try bench.openWriteStream(1)
        #expect(sent(bench.actions) == [key("rooms/attic"), key("rooms/hall")])
    }

    @Test func `a batch that was sent is in doubt and cannot be steered`() throws {
        var bench = try EngineBench()
        try bench.take(.write(request(1)))
        try bench.openWriteStream(1)
        let orders: [QueueOrder<[Mutation]>] = [
            .hold([BatchID(1)]), .cancel([BatchID(1)]), .drop([BatchID(1)]),
            .edit(BatchID(1), request(1).mutations),
        ]
        for order in orders {
            let error = try #require(refusal(try steer(&bench, order)))
            #expect(error.code == .failedPrecondition)
            #expect(error.message.contains("in doubt"))
        }
        // Not even when the stream is gone: it may have been applied.
        try bench.refuse(1, HearthError(code: .unavailable, message: "Gone."))
        #expect(refusal(try steer(&bench, .cancel([BatchID(1)])))?.code == .failedPrecondition)
    }

    @Test func `an order is carried out for all of its batches or for none`() throws {
        var bench = try EngineBench()
        try bench.take(.write(request(1)))
        #expect(refusal(try steer(&bench, .cancel([BatchID(1), BatchID(7)])))?.code == .notFound)
        #expect(try bench.read { try $0.batch(BatchID(1), of: nobody) } != nil)
        #expect(refusal(try steer(&bench, .hold([])))?.code == .invalidArgument)
        #expect(refusal(try steer(&bench, .edit(BatchID(1), [])))?.code == .invalidArgument)
    }

    @Test func `who waits for a batch that is cancelled waits for what is in front of it`() throws {
        var bench = try EngineBench()
        try bench.take(.write(request(1, "rooms/1")))
        try bench.take(.write(request(2, "rooms/2")))
        let (all, own) = (RequestID(session: 1, number: 8), RequestID(session: 1, number: 9))
        try bench.take(.waitForPendingWrites(all, .all))
        #expect(try !steer(&bench, .cancel([BatchID(2)])).contains(.complete(all)))
        #expect(try bench.take(.waitForPendingWrites(own, .own(last: BatchID(2)))) == [])
        try bench.openWriteStream(1)
        try bench.commit(1, at: 5_000)
        #expect(bench.actions.contains(.complete(all)))
        #expect(bench.actions.contains(.complete(own)))
    }

    @Test func `a dead letter is queued anew at the end, under a new number`() throws {
        var bench = try EngineBench()
        try bench.take(.write(request(1, "rooms/1")))
        _ = try steer(&bench, .cancel([BatchID(1)]))
        try bench.take(.write(request(2, "rooms/2")))
        let actions = try steer(&bench, .retryDeadLetters([BatchID(1)], evenIfApplied: false))
        let steered = SteeredBatch(BatchID(1), newID: BatchID(3))
        #expect(actions.contains(.result(admin, .steered([steered]))))
        #expect(try bench.read { try $0.deadLetter(BatchID(1)) } == nil)
        #expect(try local(bench, "rooms/1").isFound)
        try bench.openWriteStream(1)
        #expect(sent(bench.actions) == [key("rooms/2"), key("rooms/1")])
    }

    @Test func `a dead letter is queued anew with other writes, and nobody sees the old ones`()
        throws
    {
        var bench = try EngineBench()
        try bench.take(.write(request(1, "rooms/1")))
        _ = try steer(&bench, .cancel([BatchID(1)]))
        let mended = request(7, "rooms/2").mutations
        let actions = try steer(
            &bench, .editDeadLetter(BatchID(1), mended, evenIfApplied: false))
        let steered = SteeredBatch(BatchID(1), newID: BatchID(2))
        #expect(actions.contains(.result(admin, .steered([steered]))))
        #expect(try bench.read { try $0.deadLetter(BatchID(1)) } == nil)
        #expect(try !local(bench, "rooms/1").isFound)
        #expect(try local(bench, "rooms/2").isFound)
        try bench.openWriteStream(1)
        #expect(sent(bench.actions) == [key("rooms/2")])
        let none = QueueOrder<[Mutation]>.editDeadLetter(BatchID(1), [], evenIfApplied: false)
        #expect(refusal(try steer(&bench, none))?.code == .invalidArgument)
        let gone = QueueOrder<[Mutation]>.editDeadLetter(BatchID(1), mended, evenIfApplied: false)
        #expect(refusal(try steer(&bench, gone))?.code == .notFound)
    }

    @Test func `a dead letter that may have been applied is queued anew only if told so`() throws {
        var bench = try EngineBench()
        try bench.take(.write(request(1)))
        try bench.openWriteStream(1)
        try bench.refuse(1, HearthError(code: .unavailable, message: "Gone."))
        try bench.take(.timerFired(.writeBackoff))
        try bench.openWriteStream(2)
        try bench.refuse(2, HearthError(code: .permissionDenied, message: "Not yours."))
        let retry = QueueOrder<[Mutation]>.retryDeadLetters([BatchID(1)], evenIfApplied: false)
        #expect(refusal(try steer(&bench, retry))?.code == .failedPrecondition)
        _ = try steer(&bench, .dropDeadLetters([BatchID(1)]))
        #expect(refusal(try steer(&bench, retry))?.code == .notFound)
    }

    @Test func `a queue of another user is steered too, and shows when that user signs in`() throws
    {
        var bench = try EngineBench()
        try bench.take(.write(request(1)))
        try bench.take(.changeUser(UserID("ann")))
        try bench.take(.write(request(2, "rooms/ann")))
        _ = try steer(&bench, .edit(BatchID(1), request(5, "rooms/cellar").mutations))
        _ = try steer(&bench, .hold([BatchID(1)]))
        try bench.take(.changeUser(nobody))
        #expect(try local(bench, "rooms/cellar").isFound)
        #expect(try !local(bench, "rooms/hall").isFound)
        #expect(bench.engine.outstandingWriteCount == 0)
    }

    @Test func `a full queue refuses, names the limit, and takes again when there is room`() throws
    {
        var bench = try EngineBench()
        var limits = QueueLimits()
        limits.uidBatchCountMax = 2
        try bench.take(.setQueueLimits(limits))
        for number in UInt64(1)...2 { try bench.take(.write(request(number, sequence: number))) }
        let refused = try bench.take(.write(request(3, sequence: 3)))
        guard case .refuse(_, let error)? = refused.last else {
            Issue.record("\(refused)")
            return
        }
        #expect(error.code == .resourceExhausted)
        #expect(error.message.contains("queue.uidBatchCountMax = 2 batches"))
        #expect(refused.contains(.note(.queueFull(error))))
        // It is told once, and a resend of what is queued already is no new write.
        #expect(try bench.take(.write(request(4, sequence: 4))).count == 1)
        let known = RequestID(session: 1, number: 5)
        #expect(
            try bench.take(.write(request(5, sequence: 2))) == [.accept(known, BatchID(2))])
        _ = try steer(&bench, .drop([BatchID(1)]))
        let taken = try bench.take(.write(request(6, sequence: 3)))
        #expect(taken.contains(.accept(RequestID(session: 1, number: 6), BatchID(3))))
    }

    /// A rescue and a reload may leave more than the limits allow.
    @Test func `what waits above the limits stays and goes, and nothing more comes in`() throws {
        var before = try EngineBench()
        for number in UInt64(1)...3 { try before.take(.write(request(number, "rooms/\(number)"))) }
        var bench = try EngineBench(on: before.store)
        var limits = QueueLimits()
        limits.batchCountMax = 1
        try bench.take(.setQueueLimits(limits))
        let refused = try bench.take(.write(request(4)))
        #expect(refused.contains { if case .refuse = $0 { true } else { false } })
        try bench.openWriteStream(1)
        #expect(sent(bench.actions) == (1...3).map { key("rooms/\($0)") })
        for number in Int64(1)...3 { try bench.commit(1, at: number * 1_000) }
        #expect(try bench.read { try $0.highestBatchID(of: nobody) } == nil)
        let taken = try bench.take(.write(request(5)))
        #expect(taken.contains { if case .accept = $0 { true } else { false } })
    }

    @Test func `a user pays for the batches of the user's subordinate users`() throws {
        var bench = try EngineBench()
        var limits = QueueLimits()
        limits.uidBatchCountMax = 2
        limits.owners = SubordinateRanges("999:1000:2") { _ in nil }
        try bench.take(.setQueueLimits(limits))
        func write(_ number: UInt64, by uid: UInt32) throws -> [FirestoreEngine.Action] {
            try bench.take(
                .write(
                    WriteRequest(
                        id: RequestID(session: 1, number: number),
                        writer: Writer(uid: uid, gid: 7, pid: 7),
                        mutations: [Mutation(key: key("rooms/hall"), kind: .set(.empty))])))
        }
        for number in UInt64(0)...1 { _ = try write(number, by: 1_000 + UInt32(number)) }
        let refused = try write(2, by: 999)
        guard case .refuse(_, let error)? = refused.last else {
            Issue.record("\(refused)")
            return
        }
        #expect(error.message.contains("uid 999 has 2 batches"))
        let stranger = try write(3, by: 1_002)
        #expect(stranger.contains(.accept(RequestID(session: 1, number: 3), BatchID(3))))
    }

    @Test func `limits of bytes and of everybody together count too`() {
        var limits = QueueLimits()
        limits.byteCountMax = 100
        limits.batchCountMax = 10
        limits.uidByteCountMax = 50
        func message(_ own: QueueLoad, _ all: QueueLoad) -> String {
            limits.refusal(of: 7, own: own, all: all)?.message ?? ""
        }
        #expect(message(QueueLoad(), QueueLoad(batchCount: 9, byteCount: 99)).isEmpty)
        #expect(message(QueueLoad(), QueueLoad(batchCount: 10)).contains("10 batches"))
        #expect(message(QueueLoad(), QueueLoad(byteCount: 100)).contains("100 bytes"))
        #expect(message(QueueLoad(byteCount: 50), QueueLoad()).contains("uidByteCountMax"))
    }

    @Test func `a retry opens the stream that waits to be tried again`() throws {
        var bench = try EngineBench()
        try bench.take(.write(request(1)))
        let gone = HearthError(code: .unavailable, message: "Gone.")
        for number in UInt64(1)...2 {
            try bench.refuse(number, gone)
            try bench.take(.timerFired(.writeBackoff))
        }
        try bench.refuse(3, gone)
        let actions = try steer(&bench, .retry)
        #expect(actions.contains(.upstream(.openWrite(StreamNumber(4), as: nobody))))
        try bench.take(.setNetwork(isEnabled: false))
        #expect(refusal(try steer(&bench, .retry))?.code == .failedPrecondition)
    }
}
