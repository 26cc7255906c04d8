package import HearthEngine
import HearthModel
package import HearthSQLite

/// What keeps a store of documents small and quick. Call between groups, when nobody waits.
extension SQLiteStore {
    /// Forgets the names of collections without documents and pending writes.
    ///
    /// Works in slices, which end after some milliseconds.
    ///
    /// A slice is committed at its end, and not synced.
    ///
    /// - Parameters:
    ///   - period: How long the store rests after looking at all collections.
    ///   - sliceDuration: How long one call works at most, about.
    /// - Returns: Whether there are more to look at.
    /// - Throws: `StoreError` if the disk fails; the slice is then undone.
    /// - Complexity: O(collections), once in a period.
    @discardableResult
    package func pruneCollections(
        period: Duration = MaintenanceLimits.collectionPeriod,
        sliceDuration: Duration = MaintenanceLimits.sliceDuration
    ) throws(StoreError) -> Bool {
        try maintain { open throws(StoreError) in
            try open.pruneCollections(
                period: period, until: ContinuousClock.now + sliceDuration)
        }
    }
}

/// What maintenance of a store of documents leaves.
extension MaintenanceLimits {
    /// Documents of no target that a slice looks at before it looks at the clock.
    static let orphanCount = 32
    /// Collections that a slice looks at before it looks at the clock.
    static let collectionCount = 32
    /// How long between looks at all collections. A million of them are some seconds of slices.
    package static let collectionPeriod = Duration.seconds(3_600)
}
