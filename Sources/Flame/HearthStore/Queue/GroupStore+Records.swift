package import HearthEngine
package import HearthModel
package import HearthSQLite

/// What keeps the records of answered writes few. Call between groups, when nobody waits.
extension GroupStore where Content.Transaction: QueueTransaction {
    /// Forgets answered writes, the oldest first, beyond a count or noted before a time.
    ///
    /// Works in slices, which end after some milliseconds.
    ///
    /// For each client the store keeps the number below which the client's writes were forgotten.
    /// So the store does not take the resend of a forgotten write for a new write. A slice is
    /// committed at its end, and not synced.
    ///
    /// - Parameters:
    ///   - countMax: How many answered writes stay. A sixteenth more may stay, which spares a count
    ///     each time.
    ///   - time: Answered writes that were noted before this time go, however few there are.
    ///   - toldBefore: Batches rejected before this time go, if their writers were told.
    ///   - clientCountMax: For how many clients the store keeps the number below which writes were
    ///     forgotten.
    ///   - sliceDuration: How long one call works at most, about.
    /// - Returns: Whether there are more.
    /// - Throws: `StoreError` if the disk fails; the slice is then undone.
    /// - Complexity: O(r + log n), r rows that go, n that are there; counting n now and then.
    @discardableResult
    package func pruneRecords(
        keeping countMax: Int, notedBefore time: Timestamp,
        toldBefore: Timestamp = Timestamp(seconds: 0, nanoseconds: 0),
        clientCountMax: Int = MaintenanceLimits.forgottenClientCountMax,
        sliceDuration: Duration = MaintenanceLimits.sliceDuration
    ) throws(StoreError) -> Bool {
        let bounds = RecordBounds(
            countMax: countMax, notedBefore: time, toldBefore: toldBefore,
            clientCountMax: clientCountMax)
        return try maintain { open throws(StoreError) in
            try open.forget(bounds, until: ContinuousClock.now + sliceDuration)
        }
    }
}

/// What maintenance of records leaves.
extension MaintenanceLimits {
    /// Answered writes that a slice forgets before it looks at the clock.
    static let recordCount = 32
    /// Rows that a slice counts before it looks at the clock.
    static let countedCount = 1_024
    /// Clients whose forgotten writes the store remembers. About 10 MB.
    package static let forgottenClientCountMax = 100_000
}
