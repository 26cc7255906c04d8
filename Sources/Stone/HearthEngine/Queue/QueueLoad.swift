package import HearthModel

/// How much of the queues there is.
package struct QueueLoad: Hashable, Sendable {
    /// Batches.
    package var batchCount: Int
    /// The size of their writes as stored, in bytes; in memory an estimate.
    package var byteCount: Int

    /// Counts.
    package init(batchCount: Int = 0, byteCount: Int = 0) {
        self.batchCount = batchCount
        self.byteCount = byteCount
    }

    /// What a person pays for, of the loads of all Unix users. O(users * ranges).
    ///
    /// - Parameter owners: Who pays for which subordinate users.
    package init(
        of payer: UInt32, in loads: some Sequence<(key: UInt32, value: QueueLoad)>,
        by owners: SubordinateRanges
    ) {
        self.init()
        for (uid, load) in loads where owners.owner(of: uid) == payer {
            batchCount += load.batchCount
            byteCount += load.byteCount
        }
    }
}
