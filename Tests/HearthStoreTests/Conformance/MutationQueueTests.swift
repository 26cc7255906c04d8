import HearthEngine
import HearthFirestore
import HearthModel
import Testing

struct MutationQueueTests {
    private let nobody = UserID.unauthenticated
    private let alice = UserID("alice")

    @Test(arguments: StoreKind.allCases)
    func `a batch comes back with its writes, its state and its writer`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let mutations = [
            Mutation(
                key: key("a/b"), kind: .patch(everyValue, FieldMask([FieldPath(["null"])])),
                precondition: .exists(true),
                transforms: [
                    FieldTransform(field: FieldPath(["t"]), operation: .serverTimestamp),
                    FieldTransform(field: FieldPath(["i"]), operation: .increment(.integer(2))),
                ]),
            Mutation(key: key("a/c"), kind: .delete, precondition: .updateTime(version(4))),
            Mutation(key: key("a/d"), kind: .verify, precondition: .exists(false)),
        ]
        let base = Mutation(
            key: key("a/b"), kind: .patch(["i": .integer(0)], FieldMask([FieldPath(["i"])])),
            precondition: .exists(true))
        let written = QueuedBatch(
            batch: MutationBatch(
                id: BatchID(3), writtenAt: Timestamp(seconds: 9, nanoseconds: 123_456_789),
                baseMutations: [base], mutations: mutations),
            user: alice, state: .held,
            writer: Writer(uid: .max, gid: .max, pid: 7, unit: nil, program: "caf\u{e9}"))
        try bench.write { try $0.append(written) }
        #expect(try bench.write { try $0.batch(BatchID(3), of: alice) } == written)
        #expect(try bench.write { try $0.batch(BatchID(3), of: nobody) } == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `the next batch is the first behind, held or not, of the same user`(kind: StoreKind)
        throws
    {
        let bench = try StoreBench(kind)
        try bench.write {
            try $0.append(batch(1, set("a/1")))
            try $0.append(batch(2, set("a/2"), user: alice))
            try $0.append(batch(3, set("a/3"), state: .held))
            try $0.append(batch(4, set("a/4")))
        }
        func next(_ id: Int64, _ user: UserID) throws -> Int64? {
            try bench.write { try $0.nextBatch(after: BatchID(id), of: user) }?.batch.id.rawValue
        }
        #expect(try next(0, nobody) == 1)
        #expect(try next(1, nobody) == 3)
        #expect(try next(3, nobody) == 4)
        #expect(try next(4, nobody) == nil)
        #expect(try next(0, alice) == 2)
        #expect(try next(0, UserID("bob")) == nil)
        func nextToSend(_ id: Int64) throws -> Int64? {
            try bench.write { try $0.nextBatchToSend(after: BatchID(id), of: nobody) }?
                .batch.id.rawValue
        }
        #expect(try nextToSend(0) == 1)
        #expect(try nextToSend(1) == nil, "batch 4 must wait behind the held batch 3")
        #expect(try nextToSend(3) == 4)
        #expect(try nextToSend(4) == nil)
        try bench.write { transaction in
            #expect(try transaction.batch(BatchID(3), of: nobody)?.state == .held)
            try transaction.setHeld(false, BatchID(3), of: nobody)
            #expect(try transaction.batch(BatchID(3), of: nobody)?.state == .queued)
            #expect(try transaction.previousBatchID(before: BatchID(4), of: nobody) == BatchID(3))
            #expect(try transaction.previousBatchID(before: BatchID(3), of: nobody) == BatchID(1))
            #expect(try transaction.previousBatchID(before: BatchID(1), of: nobody) == nil)
            #expect(try transaction.user(of: BatchID(2)) == alice)
            #expect(try transaction.user(of: BatchID(9)) == nil)
        }
        #expect(try bench.write { try $0.highestBatchID(of: nobody) } == BatchID(4))
        #expect(try bench.write { try $0.highestBatchID(of: alice) } == BatchID(2))
        #expect(try bench.write { try $0.highestBatchID(of: UserID("bob")) } == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `the batches that write to some documents come once each, in queue order`(
        kind: StoreKind
    ) throws {
        let bench = try StoreBench(kind)
        try bench.write {
            try $0.append(batch(1, set("a/1"), set("a/2"), set("a/1")))
            try $0.append(batch(2, set("a/1"), user: alice))
            try $0.append(batch(3, set("a/2")))
            try $0.append(batch(4, set("b/1")))
        }
        let found = try bench.write {
            try $0.batches(writingTo: [key("a/2"), key("a/1"), key("z/z")], of: nobody)
        }
        #expect(found.map(\.batch.id) == [BatchID(1), BatchID(3)])
    }

    @Test(arguments: StoreKind.allCases)
    func `a removed batch writes to nothing any more`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.write {
            try $0.append(batch(1, set("a/1"), set("a/2")))
            try $0.append(batch(2, set("a/1"), user: alice))
        }
        try bench.write {
            try $0.removeBatch(BatchID(1), of: alice)
            try $0.removeBatch(BatchID(9), of: nobody)
        }
        #expect(try bench.write { try $0.batch(BatchID(1), of: nobody) } != nil)
        try bench.write { try $0.removeBatch(BatchID(1), of: nobody) }
        #expect(try bench.write { try $0.batch(BatchID(1), of: nobody) } == nil)
        #expect(try bench.write { try $0.highestBatchID(of: nobody) } == nil)
        #expect(try bench.write { try $0.isWritten(key("a/1")) })
        #expect(try bench.write { try !$0.isWritten(key("a/2")) })
        try bench.write { try $0.removeBatch(BatchID(2), of: alice) }
        #expect(try bench.write { try !$0.isWritten(key("a/1")) })
    }

    @Test(arguments: StoreKind.allCases)
    func `a replaced batch keeps its place and writes only to its new documents`(
        kind: StoreKind
    ) throws {
        let bench = try StoreBench(kind)
        try bench.write {
            try $0.append(batch(1, set("a/1"), set("a/2"), state: .held))
            try $0.append(batch(2, set("a/2")))
        }
        let edited = batch(1, set("a/2"), set("b/1"), state: .held)
        try bench.write { try $0.replaceBatch(edited, writingTo: [key("a/1"), key("a/2")]) }
        #expect(try bench.write { try $0.batch(BatchID(1), of: nobody) } == edited)
        #expect(try bench.write { try $0.nextBatch(after: .none, of: nobody) } == edited)
        #expect(try bench.write { try !$0.isWritten(key("a/1")) })
        let found = try bench.write { try $0.batches(writingTo: [key("b/1")], of: nobody) }
        #expect(found == [edited])
        #expect(try bench.write { try $0.highestBatchID(of: nobody) } == BatchID(2))
    }

    @Test(arguments: StoreKind.allCases)
    func `the load of each writer is kept, of all users' queues`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        #expect(try bench.write { try $0.queueLoad(of: author.uid) } == QueueLoad())
        try bench.write {
            try $0.append(batch(1, set("a/1")))
            try $0.append(batch(2, set("a/2"), user: alice))
        }
        let full = try bench.write { try $0.queueLoad(of: author.uid) }
        #expect(full.batchCount == 2)
        #expect(full.byteCount > 0)
        #expect(try bench.write { try $0.queueLoad(of: nil) } == full)
        #expect(try bench.write { try $0.queueLoad(of: 7) } == QueueLoad())
        try bench.write { try $0.removeBatch(BatchID(1), of: nobody) }
        let half = try bench.write { try $0.queueLoad(of: author.uid) }
        #expect(half.batchCount == 1)
        #expect(half.byteCount < full.byteCount)
        #expect(try bench.write { try $0.queueLoad(of: nil) } == half)
    }

    @Test(arguments: StoreKind.allCases)
    func `the load of a user counts the writers whom the user pays for`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let payer = author.uid + 1
        let owners = SubordinateRanges("\(payer):\(author.uid):1") { _ in nil }
        func load(_ uid: UInt32) throws -> QueueLoad {
            try bench.write { try $0.queueLoad(of: uid, by: owners) }
        }
        try bench.write { try $0.append(batch(1, set("a/1"))) }
        #expect(try load(payer).batchCount == 1)
        #expect(try load(author.uid) == QueueLoad())
        try bench.write { try $0.append(batch(2, set("a/2"))) }
        #expect(try load(payer).batchCount == 2)
        // Other owners count from the moment on when somebody asks by them.
        #expect(try bench.write { try $0.queueLoad(of: author.uid) }.batchCount == 2)
        try bench.write { try $0.removeBatch(BatchID(1), of: nobody) }
        #expect(try load(payer).batchCount == 1)
    }
}
