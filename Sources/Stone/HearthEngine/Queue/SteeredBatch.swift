package import HearthModel

/// A batch that an order concerned.
package struct SteeredBatch: Hashable, Sendable {
    /// Its number.
    package let id: BatchID
    /// The number under which a rejected batch is queued anew; `nil` for other orders.
    package let newID: BatchID?

    /// Names a batch.
    package init(_ id: BatchID, newID: BatchID? = nil) {
        self.id = id
        self.newID = newID
    }
}
