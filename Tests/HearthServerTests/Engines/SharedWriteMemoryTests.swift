import HearthEngine
import HearthModel
import HearthRealtime
import HearthServer
import HearthTesting
import Testing

/// The memory of the waiting writes of several instances and several users.
struct SharedWriteMemoryTests {
    private let all = SharedWriteMemory()
    private let first: any WriteMemory
    private let second: any WriteMemory

    init() {
        first = all.part()
        second = all.part()
    }

    private func limits(_ byteCountMax: Int, ofUser uidByteCountMax: Int) -> QueueLimits {
        var limits = QueueLimits()
        limits.memory.byteCountMax = byteCountMax
        limits.memory.uidByteCountMax = uidByteCountMax
        return limits
    }

    private func held(_ byteCounts: [UInt32: Int]) -> HeldWrites {
        var held = HeldWrites()
        for (uid, byteCount) in byteCounts { held.queue.add(byteCount, of: uid) }
        return held
    }

    @Test func `two instances share one limit, and each user has a share of it`() {
        let limits = limits(100, ofUser: 60)
        first.hold(held([1: 40]))
        #expect(second.claim(21, for: 1, beside: held([:]), within: limits) == .tooMuchOfUser(40))
        #expect(second.claim(20, for: 1, beside: held([:]), within: limits) == .granted(60))
        second.hold(held([1: 20]))
        // The first user is full, and the other one is not.
        #expect(first.claim(1, for: 1, beside: held([1: 40]), within: limits) == .tooMuchOfUser(60))
        #expect(first.claim(40, for: 2, beside: held([1: 40]), within: limits) == .granted(100))
        first.hold(held([1: 40, 2: 40]))
        #expect(
            second.claim(1, for: 2, beside: held([1: 20]), within: limits) == .tooMuchOfAll(100))
        #expect(all.byteCount == 100)
    }

    @Test func `a claim counts for others before its turn is over, and a refused claim does not`() {
        let limits = limits(100, ofUser: 100)
        #expect(first.claim(60, for: 1, beside: held([:]), within: limits) == .granted(60))
        #expect(second.claim(60, for: 1, beside: held([:]), within: limits) == .tooMuchOfUser(60))
        #expect(all.byteCount == 60)
        first.hold(held([:]))  // The turn was undone.
        #expect(second.claim(60, for: 1, beside: held([:]), within: limits) == .granted(60))
    }

    @Test func `more than the limit can be held, and keeps new writes out`() {
        let limits = limits(100, ofUser: 50)
        first.hold(held([1: 1_000]))
        #expect(second.claim(1, for: 2, beside: held([:]), within: limits) == .tooMuchOfAll(1_000))
        first.hold(held([1: 10]))
        #expect(second.claim(1, for: 2, beside: held([:]), within: limits) == .granted(11))
    }

    @Test func `subordinate users count for their owner, in all instances together`() {
        var limits = limits(100, ofUser: 50)
        limits.owners = SubordinateRanges("ada:100000:65536") { _ in 1_000 }
        first.hold(held([100_000: 20, 100_001: 20, 7: 20]))
        #expect(
            second.claim(11, for: 1_000, beside: held([:]), within: limits) == .tooMuchOfUser(40))
        #expect(second.claim(10, for: 1_000, beside: held([:]), within: limits) == .granted(70))
    }

    @Test func `an engine that is no more holds nothing`() {
        var part: (any WriteMemory)? = all.part()
        part?.hold(held([1: 10]))
        #expect(all.byteCount == 10)
        part = nil
        #expect(all.byteCount == 0)
    }

    @Test func `two engines refuse by what both hold`() {
        let change = RealtimeChange.set(WritePath("a"), UnresolvedNode(Node(1)))
        let one = change.heldByteCount
        let limits = limits(3 * one, ofUser: 2 * one)
        let users = [7, 8].map { Writer(uid: $0, gid: $0, pid: 1) }
        var first = RealtimeDriver.started(sharing: all.part()) { $0.queueLimits = limits }
        var second = RealtimeDriver.started(sharing: all.part()) { $0.queueLimits = limits }
        first.write(change, by: users[0])
        second.write(change, by: users[0])
        let third = second.write(change, by: users[0])
        let ofUser = second.refusal(of: third)?.message
        #expect(ofUser?.contains("realtime.uidQueueByteCountMax = \(2 * one) bytes") == true)
        first.write(change, by: users[1])
        let fifth = second.write(change, by: users[1])
        let ofAll = second.refusal(of: fifth)?.message
        #expect(ofAll?.contains("realtime.queueByteCountMax = \(3 * one) bytes") == true)
        #expect(ofAll?.contains("all programs have \(3 * one) bytes") == true)
        #expect(all.byteCount == 3 * one)
        first.connect()
        #expect(all.byteCount == one)
        let sixth = second.write(change, by: users[1])
        #expect(second.accepted(sixth) != nil)
    }
}
