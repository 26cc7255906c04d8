package import HearthEngine
package import HearthModel

/// Putting a queue back into a store that knows none of its documents.
extension LocalStore {
    /// How many documents are looked at together: all batches that write to them are held meanwhile.
    private static let restoredKeyCount = 500

    /// Computes what a user's queue does to its documents, of which a new store has only the batches.
    ///
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
