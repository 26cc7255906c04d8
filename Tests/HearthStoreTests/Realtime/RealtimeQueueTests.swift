import HearthEngine
import HearthModel
import HearthRealtime
import Testing

@testable import HearthSQLite
@testable import HearthStore

struct RealtimeQueueTests {
    private let bench: RealtimeBench
    private static let ann = UserID("ann")
    private static let bob = UserID("bob")

    init() throws {
        bench = try RealtimeBench()
    }

    @Test func `writes come in the order of their numbers, each from its user's queue`() throws {
        let writes = [
            queuedWrite(1, user: Self.ann), queuedWrite(3, user: Self.bob),
            queuedWrite(4, user: Self.ann), queuedWrite(7, user: Self.ann, state: .held),
        ]
        try bench.write { transaction in
            for write in writes { try transaction.append(write) }
        }
        try bench.write { transaction in
            let first = try transaction.nextWrite(after: .none, of: Self.ann)
            #expect(first == writes[0])
            let second = try transaction.nextWrite(after: BatchID(1), of: Self.ann)
            #expect(second == writes[2])
            let held = try transaction.write(BatchID(7), of: Self.ann)
            #expect(held == writes[3])
            let others = try transaction.write(BatchID(3), of: Self.ann)
            #expect(others == nil)
            let (highest, owner, nobody) = (
                try transaction.highestWriteID(of: Self.bob),
                try transaction.user(of: BatchID(4)), try transaction.user(of: BatchID(5))
            )
            #expect(highest == BatchID(3))
            #expect(owner == Self.ann)
            #expect(nobody == nil)
        }
    }

    @Test func `a held write and what is behind it is not to be sent`() throws {
        try bench.write { transaction in
            try transaction.append(queuedWrite(1, user: Self.ann))
            try transaction.append(queuedWrite(2, user: Self.ann, state: .held))
            try transaction.append(queuedWrite(3, user: Self.ann))
        }
        let found = try bench.write { transaction in
            try (Int64(0)...3).map { number in
                (
                    try transaction.nextWriteToSend(after: BatchID(number), of: Self.ann)?.id,
                    try transaction.nextMayBeSent(after: BatchID(number), of: Self.ann)
                )
            }
        }
        #expect(found.map(\.0) == [BatchID(1), nil, BatchID(3), nil])
        #expect(found.map(\.1) == [true, false, true, false])
    }

    @Test func `what was sent is what is in front of the last one sent, but for held writes`()
        throws
    {
        try bench.write { transaction in
            for number in Int64(1)...4 {
                try transaction.append(queuedWrite(number, user: Self.ann))
            }
            try transaction.setHeld(true, BatchID(2), of: Self.ann)
            try transaction.noteSent(through: BatchID(3), of: Self.ann)
        }
        let states = try bench.write { transaction in
            try (Int64(1)...4).map { try transaction.write(BatchID($0), of: Self.ann)?.state }
        }
        #expect(states == [.sentUnanswered, .held, .sentUnanswered, .queued])
    }

    @Test func `the load counts what waits, of everybody and of each Unix user`() throws {
        let change = RealtimeChange.set(at("a"), UnresolvedNode(Node(.string("12345678"))))
        let size = ChangeBytes.bytes(of: change).count
        func load(_ uid: UInt32?) throws -> QueueLoad {
            try bench.write { try $0.queueLoad(of: uid) }
        }
        try bench.write { transaction in
            for number in Int64(1)...3 {
                try transaction.append(queuedWrite(number, change, user: Self.ann))
            }
        }
        #expect(try load(nil) == QueueLoad(batchCount: 3, byteCount: 3 * size))
        #expect(try load(author.uid) == QueueLoad(batchCount: 3, byteCount: 3 * size))
        try bench.write { transaction in
            try transaction.removeWrite(BatchID(2), of: Self.ann)
            try transaction.removeWrite(BatchID(2), of: Self.ann)  // It left before.
            try transaction.replaceWrite(
                queuedWrite(3, .set(at("b"), UnresolvedNode(.empty)), user: Self.ann))
        }
        let rest = size + ChangeBytes.bytes(of: .set(at("b"), UnresolvedNode(.empty))).count
        #expect(try load(nil) == QueueLoad(batchCount: 2, byteCount: rest))
        #expect(try load(author.uid) == QueueLoad(batchCount: 2, byteCount: rest))
        #expect(try load(5) == QueueLoad())
        let replaced = try bench.write { try $0.nextWrite(after: BatchID(1), of: Self.ann) }
        #expect(replaced?.change == .set(at("b"), UnresolvedNode(.empty)))
    }

    @Test func `a queued write costs its bytes and about fifty more`() throws {
        let count: Int64 = 4_000
        let change = RealtimeChange.set(
            at("bench/k000001"), UnresolvedNode(Node(.string("hello"))))
        let writer = Writer(uid: 1_000, gid: 1_000, pid: 4_242, program: "app")
        func fileByteCount() throws -> Int {
            try bench.store.readers.read { reader throws(StoreError) in
                try reader.counts().byteCount
            }.value
        }
        try bench.write { try $0.append(queuedWrite(1, change)) }
        let before = try fileByteCount()
        try bench.write { transaction in
            for number in 2...count {
                try transaction.append(
                    QueuedWrite(
                        id: BatchID(number), change: change,
                        writtenAt: Timestamp(seconds: 1_764_000_000 + number, nanoseconds: 7),
                        user: .unauthenticated, writer: writer))
            }
        }
        let cost = (try fileByteCount() - before) / Int(count - 1)
        #expect(cost <= ChangeBytes.bytes(of: change).count + 55)
    }

    @Test func `a resend is recognised until its client has the answer, and after clearing`() throws
    {
        let write = RealtimeActs.identity(5)
        func note(_ outcome: RealtimeOutcome) throws {
            try bench.write {
                try $0.setRecord(WriteRecord(batch: BatchID(9), outcome: outcome), of: write)
            }
        }
        func known() throws -> RealtimeOutcome? {
            try bench.write { try $0.record(of: write)?.outcome }
        }
        let refusal = RealtimeOutcome.rejected(
            HearthError(code: .permissionDenied, message: "No."), mayHaveBeenApplied: true)
        for outcome in [RealtimeOutcome.pending, .committed, refusal] {
            try note(outcome)
            #expect(try known() == outcome)
        }
        try bench.write { transaction in
            let identity = try transaction.identity(of: BatchID(9))
            #expect(identity == write)
            try transaction.removeAll()
            let below = try transaction.forgottenBelow(
                of: RealtimeActs.client, uid: author.uid)
            #expect(below == 6)
        }
        #expect(try known() == nil)
    }

    @Test func `what is cleared is gone, but no number is given out twice`() throws {
        var globals = try bench.write { try $0.globals() }
        let name = globals.daemon
        globals.lastWriteID = BatchID(8)
        globals.lastQueryID = TrackedQueryID(3)
        globals.daemon = "another"
        let told = globals
        try bench.write { transaction in
            try transaction.setGlobals(told)
            try transaction.append(queuedWrite(8, user: Self.ann))
            try transaction.setServerNode(Node(.integer(1)), at: at("a"))
            try transaction.removeAll()
        }
        let again = try bench.write { try $0.globals() }
        #expect(again.lastWriteID == BatchID(8))
        #expect(again.lastQueryID == TrackedQueryID(3))
        #expect(again.daemon == name)
        #expect(name.utf8.count == 16)
        #expect(try bench.store.node().isEmpty)
        let (load, size) = try bench.write {
            (try $0.queueLoad(of: nil), try $0.serverByteCount())
        }
        #expect(load == QueueLoad())
        #expect(size == 0)
    }
}
