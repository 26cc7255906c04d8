/// How a listener wants to be told.
package struct ListenOptions: Hashable, Sendable {
    /// Whether to tell of changes that only concern `isFromCache` and `hasPendingWrites`.
    package var includeMetadataChanges: Bool
    /// Whether to hold back the first snapshot until the backend has spoken or is offline.
    package var waitForSyncWhenOnline: Bool
    /// Whether to listen to the cache alone, without the backend.
    package var isCacheOnly: Bool
    /// Whether to tell the listener, too, when the backend has confirmed a write that had taken
    /// documents out of the results. The results themselves do not change then.
    package var tellsDepartures: Bool

    /// The options of a plain listener, unless told otherwise.
    ///
    /// - Parameters:
    ///   - includeMetadataChanges: Whether to tell of changes that only concern `isFromCache` and
    ///     `hasPendingWrites`.
    ///   - waitForSyncWhenOnline: Whether to hold back the first snapshot until the backend has
    ///     spoken or is offline.
    ///   - isCacheOnly: Whether to listen to the cache alone, without the backend.
    ///   - tellsDepartures: Whether to tell the listener, too, when the backend has confirmed a
    ///     write that had taken documents out of the results. The results themselves do not change
    ///     then.
    package init(
        includeMetadataChanges: Bool = false, waitForSyncWhenOnline: Bool = false,
        isCacheOnly: Bool = false, tellsDepartures: Bool = false
    ) {
        self.includeMetadataChanges = includeMetadataChanges
        self.waitForSyncWhenOnline = waitForSyncWhenOnline
        self.isCacheOnly = isCacheOnly
        self.tellsDepartures = tellsDepartures
    }
}
