import HearthEngine
import HearthFirestore

extension StoryBacking {
    /// A store in memory; a restart finds it empty.
    package static let memory = StoryBacking(
        name: "memory", isDurable: false,
        open: { () throws(StoreError) in MemoryStore() }, erase: {})

    /// A store in memory that outlives its engine, as a disk does.
    package static func keptMemory() -> StoryBacking {
        let kept = Kept()
        return StoryBacking(
            name: "kept memory", isDurable: true,
            open: { () throws(StoreError) in kept.store }, erase: { kept.store = MemoryStore() })
    }

    private final class Kept: @unchecked Sendable {  // Only ever used by the test that made it.
        var store = MemoryStore()
    }
}
