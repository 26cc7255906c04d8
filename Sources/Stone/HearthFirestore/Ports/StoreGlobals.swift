package import HearthModel

/// The counters of a store.
package struct StoreGlobals: Hashable, Sendable {
    /// The highest target id given out; even.
    package var highestTargetID = TargetID(0)
    /// The last transaction's logical time.
    package var sequenceNumber: ListenSequenceNumber = 0
    /// The version of the last global snapshot.
    package var lastRemoteVersion = SnapshotVersion.zero
    /// The highest batch id ever given out, to any user.
    package var lastBatchID = BatchID.none
    /// Whether queries that cost much get an index by themselves.
    package var createsIndexes = false
    /// The last time that a batch has promised; the epoch if none has.
    package var lastPromisedAt = Timestamp(seconds: 0, nanoseconds: 0)
    /// The store's name among all daemons', given once and for ever; empty until it has one.
    package var daemon = ""

    /// An empty store's counters.
    package init() {}
}
