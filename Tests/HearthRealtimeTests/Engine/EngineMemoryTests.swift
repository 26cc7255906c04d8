import HearthEngine
import HearthModel
import HearthRealtime
import HearthTesting
import Synchronization
import Testing

/// The memory that waiting writes may take, and what no limit of memory stops.
struct EngineMemoryTests {
    /// Remembers what an engine says that it holds, and grants all.
    private final class Witness: WriteMemory {
        private let last = Mutex(0)

        var byteCount: Int { last.withLock { $0 } }

        func hold(_ held: HeldWrites) { last.withLock { $0 = held.byteCount } }

        func claim(
            _ byteCount: Int, for payer: UInt32, beside held: HeldWrites,
            within limits: QueueLimits
        ) -> MemoryClaim {
            last.withLock { $0 = held.byteCount + byteCount }
            return .granted(held.byteCount + byteCount)
        }
    }

    private let client = ClientID(high: 1, low: 2)

    private func identity(_ sequence: UInt64) -> WriteIdentity {
        WriteIdentity(uid: 1_000, client: client, sequence: sequence)
    }

    private func change(_ path: RealtimePath, _ node: Node) -> RealtimeChange {
        .set(WritePath(path), UnresolvedNode(node))
    }

    /// What the set of a number at a place of one key takes.
    private var one: Int { change("a", Node(1)).heldByteCount }

    @Test func `a write without room is refused by the key, and goes when the backend has others`()
        throws
    {
        let one = one
        var driver = RealtimeDriver.started { $0.queueLimits.memory.uidByteCountMax = 2 * one }
        driver.set("a", Node(1), identity: identity(1))
        driver.set("b", Node(1))
        let third = driver.set("c", Node(1))
        let error = try #require(driver.refusal(of: third))
        #expect(error.code == .resourceExhausted)
        #expect(error.message.contains("about \(one) bytes of the daemon's memory"))
        #expect(error.message.contains("uid 1000 have \(2 * one) bytes"))
        #expect(error.message.contains("realtime.uidQueueByteCountMax = \(2 * one) bytes"))
        #expect(error.message.contains("Write again when the backend has taken some"))
        #expect(driver.accepted(third) == nil)
        // A write that waits already needs no room.
        let resent = driver.set("a", Node(1), session: 2, identity: identity(1))
        #expect(driver.accepted(resent) == BatchID(1))
        driver.connect()
        let again = driver.set("c", Node(1))
        #expect(driver.accepted(again) != nil)
        driver.serve()
        #expect(driver.service.tree == .reading(#"{"a": 1, "b": 1, "c": 1}"#))
    }

    @Test func `a full memory is news once, and again after most of it was free`() {
        let one = one
        var driver = RealtimeDriver.started { $0.queueLimits.memory.byteCountMax = 2 * one }
        func newsCount() -> Int {
            driver.actions.count { if case .note(.queueFull) = $0 { true } else { false } }
        }
        for path: RealtimePath in ["a", "b", "c", "d"] { driver.set(path, Node(1)) }
        #expect(newsCount() == 1)
        driver.connect()
        driver.set("e", Node(1))
        driver.serve()
        driver.cut()
        for path: RealtimePath in ["f", "g", "h"] { driver.set(path, Node(1)) }
        #expect(newsCount() == 2)
    }

    @Test func `a start with more than the limit sends all, and then takes writes again`() {
        var before = RealtimeDriver.started()
        for number: Int64 in 0..<20 {
            let key = ChildKey(unchecked: "k\(number)")
            before.set(RealtimePath(["list", key]), Node(.integer(number)))
        }
        let one = one
        var driver = RealtimeDriver.started(store: before.store) {
            $0.queueLimits.memory.byteCountMax = 5 * one
        }
        let listener = driver.listen("list/k7")
        #expect(driver.engine.queuedWriteCount == 20)
        #expect(driver.engine.held.byteCount == before.engine.held.byteCount)
        #expect(driver.node(of: listener) == Node(7))
        let early = driver.set("late", Node(1))
        #expect(driver.refusal(of: early)?.code == .resourceExhausted)
        driver.connect()
        driver.serve()
        #expect(driver.service.tree.child("list").childCount == 20)
        #expect(driver.engine.held.byteCount == 0)
        let late = driver.set("late", Node(1))
        #expect(driver.accepted(late) != nil)
    }

    @Test func `whatever becomes of writes, nothing is held for them in the end`() {
        let witness = Witness()
        var driver = RealtimeDriver.started(sharing: witness)
        driver.set("mine", Node("taken back"), session: 2, identity: identity(1))
        driver.take(.purge(driver.nextRequest(), client, uid: 1_000))
        #expect(witness.byteCount == 0)
        driver.set("cancelled", Node(1))
        let cancel = QueueOrder<RealtimeChange>.cancel([BatchID(2)])
        driver.take(.steerQueue(driver.nextRequest(), cancel, by: 0))
        #expect(witness.byteCount == 0)
        driver.set("edited", Node(1))
        let long = Node(.string(String(repeating: "x", count: 10_000)))
        let edit = QueueOrder<RealtimeChange>.edit(BatchID(3), change("edited", long))
        driver.take(.steerQueue(driver.nextRequest(), edit, by: 0))
        #expect(witness.byteCount == change("edited", long).heldByteCount)
        driver.increment("count")
        driver.service.refusals["refused"] = .permissionDenied
        driver.set("refused", Node(1))
        driver.connect()
        driver.serve()
        #expect(driver.engine.queuedWriteCount == 0)
        #expect(witness.byteCount == 0)
    }

    @Test func `another user's queue takes the memory of the queue before`() {
        let witness = Witness()
        var driver = RealtimeDriver.started(sharing: witness)
        driver.set("a", Node(1))
        #expect(witness.byteCount == one)
        driver.take(.changeUser(UserID("ada")))
        #expect(witness.byteCount == 0)
        driver.take(.changeUser(.unauthenticated))
        #expect(witness.byteCount == one)
    }

    @Test func `a turn that the store undoes gives its memory back`() {
        let witness = Witness()
        var driver = RealtimeDriver.started(sharing: witness)
        driver.listen("b")
        driver.connect()
        driver.store.failing = [.fillPipeline]
        let request = driver.set("a", Node(1))
        #expect(driver.refusal(of: request) != nil)
        #expect(witness.byteCount == 0)
    }

    @Test func `an order has room for its write, so a program's end is never refused`() throws {
        let one = one
        var driver = RealtimeDriver.started { $0.queueLimits.memory.uidByteCountMax = 3 * one }
        let ordered = driver.nextRequest(of: 2)
        driver.take(
            .onDisconnect(ordered, .write(change("a", Node(1))), .program, RealtimeDriver.writer))
        #expect(driver.refusal(of: ordered) == nil)
        #expect(driver.engine.held.byteCount == 2 * one)
        driver.set("b", Node(1))
        let second = driver.nextRequest(of: 2)
        driver.take(
            .onDisconnect(second, .write(change("c", Node(1))), .program, RealtimeDriver.writer))
        let error = try #require(driver.refusal(of: second))
        #expect(error.message.contains("realtime.uidQueueByteCountMax"))
        driver.take(.disconnected(session: 2))
        #expect(driver.engine.queuedWriteCount == 2)
        #expect(driver.engine.held.byteCount == 2 * one)
        driver.connect()
        driver.serve()
        #expect(driver.service.tree == .reading(#"{"a": 1, "b": 1}"#))
        #expect(driver.engine.held.byteCount == 0)
    }

    @Test func `an order that replaces an order, or is refused, claims nothing for good`() {
        let witness = Witness()
        var driver = RealtimeDriver.started(sharing: witness)
        for _ in 0..<3 {
            let id = driver.nextRequest()
            driver.take(
                .onDisconnect(
                    id, .write(change("a", Node(1))), .program,
                    RealtimeDriver.writer))
        }
        #expect(witness.byteCount == 2 * one)
        let id = driver.nextRequest()
        driver.take(
            .onDisconnect(id, .cancel("a"), .program, RealtimeDriver.writer))
        #expect(witness.byteCount == 0)
    }

    @Test func `a write's bound grows with its places, their ways and its nodes`() {
        let sets = [
            change("a", Node(1)), change("a/b", Node(1)),
            change("a", .reading(#"{"x": 1, "y": 2}"#)),
            change("a", Node(.string(String(repeating: "x", count: 1_000)))),
        ].map(\.heldByteCount)
        #expect(sets[0] >= 250, "Less than was measured")
        #expect(sets[1] > sets[0])
        #expect(sets[2] > sets[0] + 2 * 50)
        #expect(sets[3] > sets[0] + 1_000)
        let both = RealtimeChange.update(
            .root,
            [
                .init(WritePath("a"), UnresolvedNode(Node(1))),
                .init(WritePath("b"), UnresolvedNode(Node(1))),
            ])
        #expect(both.heldByteCount == 2 * sets[0])
    }
}
