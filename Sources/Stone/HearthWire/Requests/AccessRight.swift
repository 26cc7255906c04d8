/// A right that access rules allow or deny.
package enum AccessRight: String, Hashable, Sendable, CaseIterable {
    /// To read documents, to listen to documents, and to see the batches that wait.
    case read
    /// To write documents, and to change the cache as a whole (bundles, indexes).
    case write
    /// To steer queue and network, and to clear the cache.
    case administer
}
