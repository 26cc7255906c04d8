package import HearthModel

/// The counters of a store.
package struct RealtimeGlobals: Hashable, Sendable {
    /// The highest number ever given to a write.
    package var lastWriteID = BatchID.none
    /// The highest number ever given to a tracked query.
    package var lastQueryID = TrackedQueryID(0)
    /// The store's name among all daemons', given once and for ever; empty until it has one.
    package var daemon = ""

    /// An empty store's counters.
    package init() {}
}
