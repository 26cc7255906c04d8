import HearthModel
import Testing

@testable import HearthRealtime

/// What a write takes in memory while it waits. Programs queue very many of them offline.
struct QueuedMemoryTests {
    @Test func `a write of one place has no room for what only writes of many places need`() {
        #expect(MemoryLayout<CompoundWrite>.stride <= 24)
        #expect(MemoryLayout<PendingWrite>.stride <= 40)
    }

    @Test func `a place with one write lies in its page, without an object of its own`() {
        #expect(MemoryLayout<WrittenPlace>.stride <= 32)
        let one = WrittenPlace.adding(part(1), at: [], to: nil, isCovered: false)
        let two = WrittenPlace.adding(part(2), at: [], to: one, isCovered: false)
        guard case .single = one, case .several = two else {
            Issue.record("\(one) and \(two)")
            return
        }
        var removal = WrittenPlace.Removal(WriteID(1), isPriority: false)
        guard case .single(let left)? = two.removing(&removal, at: []) else {
            Issue.record("\(two)")
            return
        }
        #expect(left.id == WriteID(2))
    }

    private func part(_ id: Int64) -> WrittenPlace.Part {
        WrittenPlace.Part(
            id: WriteID(id), node: Node(.integer(id)), isVisible: true, isPriority: false)
    }
}
