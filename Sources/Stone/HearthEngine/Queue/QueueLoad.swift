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
}
