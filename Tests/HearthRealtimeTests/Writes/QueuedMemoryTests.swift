import HearthModel
import Testing

@testable import HearthRealtime

/// What a write takes in memory while it waits. Programs queue very many of them offline.
struct QueuedMemoryTests {
    @Test func `a write of one place has no room for what only writes of many places need`() {
        #expect(MemoryLayout<CompoundWrite>.stride <= 24)
        #expect(MemoryLayout<PendingWrite>.stride <= 40)
    }
}
