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
        var place: WrittenPlace?
        WrittenPlace.add(part(1), at: [], to: &place, isCovered: false)
        let one = place
        WrittenPlace.add(part(2), at: [], to: &place, isCovered: false)
        guard case .single? = one, case .several? = place else {
            Issue.record("\(one as Any) and \(place as Any)")
            return
        }
        var removal = WrittenPlace.Removal(WriteID(1), isPriority: false)
        WrittenPlace.remove(&removal, at: [], from: &place)
        guard case .single(let left)? = place else {
            Issue.record("\(place as Any)")
            return
        }
        #expect(left.id == WriteID(2))
    }

    private func part(_ id: Int64) -> WrittenPlace.Part {
        WrittenPlace.Part(
            id: WriteID(id), node: Node(.integer(id)), isVisible: true, isPriority: false)
    }
}
