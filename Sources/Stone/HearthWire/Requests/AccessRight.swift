/// What access rules allow or deny.
package enum AccessRight: String, Hashable, Sendable, CaseIterable {
    /// To read documents, listen to them, and see what waits.
    case read
    /// To write documents, and what belongs to the cache as a whole.
    case write
    /// To steer queue and network, and to clear the cache.
    case administer
}
