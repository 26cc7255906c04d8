import Synchronization

/// A count that somebody finds when somebody asks first, without a lock.
///
/// Two who ask at once both look, and find the same.
struct FoundCount: ~Copyable, Sendable {
    /// The count; negative before somebody has asked.
    private let known = Atomic(-1)

    /// The count, which `find` finds.
    func value(_ find: () -> Int) -> Int {
        let found = known.load(ordering: .relaxed)
        if found >= 0 { return found }
        let count = find()
        known.store(count, ordering: .relaxed)
        return count
    }
}
