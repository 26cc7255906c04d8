package import HearthEngine
package import HearthModel

/// Putting a queue back into a store that knows none of its documents.
extension LocalStore {
    /// How many documents are looked at together.
    ///
    /// All batches that write to these documents are in memory meanwhile.
    private static let restoredKeyCount = 500

    /// Recomputes the overlays of a user's queue in a new store that has only the batches.
    ///
    /// - Throws: Only the store's errors.
    /// - Complexity: O(queue).
    package static func restoreOverlays(of user: UserID, _ store: any FirestoreTransaction)
        throws(StoreError)
    {
        let local = LocalStore(user: user, policy: .eager)
        var rest = Array(try store.writtenKeys(of: user))[...]
        while !rest.isEmpty {
            let keys = rest.prefix(restoredKeyCount)
            rest = rest.dropFirst(restoredKeyCount)
            try local.recomputeOverlays(of: Set(keys), by: user, store)
        }
    }
}
