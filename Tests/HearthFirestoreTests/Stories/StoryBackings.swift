import HearthFirestore
import HearthTesting

extension StoryBacking {
    /// Every kind of store that stories are told with.
    static var all: [StoryBacking] { [.memory, .durableMemory()] }

    /// A store in memory; a restart finds it empty.
    static let memory = StoryBacking(
        name: "memory", isDurable: false,
        open: { () throws(StoreError) in MemoryStore() }, erase: {})

    /// A store in memory that outlives its engine, as a disk does.
    static func durableMemory() -> StoryBacking {
        let kept = Kept()
        return StoryBacking(
            name: "kept memory", isDurable: true,
            open: { () throws(StoreError) in kept.store }, erase: { kept.store = MemoryStore() })
    }
}

/// One test's store; a test is one thread.
private final class Kept: @unchecked Sendable {  // Only ever used by the test that made it.
    var store = MemoryStore()
}
