import HearthFirestore
import HearthTesting

extension StoryBacking {
    /// Every kind of store that stories are told with.
    static var all: [StoryBacking] { [.memory, .keptMemory()] }
}
