import HearthEngine
import HearthFirestore
import HearthModel

/// Whole steps, where a test does not care for their parts.
extension FirestoreTransaction {
    /// Takes a batch out of the queue, whatever it writes to.
    func removeBatch(_ id: BatchID, of user: UserID) throws(StoreError) {
        guard let batch = try batch(id, of: user) else { return }
        try removeBatch(batch)
    }

    /// Forgets targets and lets go of all their documents.
    func removeTargets(usedUpTo bound: ListenSequenceNumber, except live: Set<TargetID>)
        throws(StoreError) -> Int
    {
        let count = try removeTargets(usedUpTo: bound, except: live, limit: .max)
        while try releaseDroppedKeys(limit: 100) == 100 {}
        return count
    }

    /// Forgets documents of no target until `limit` are gone or none is left.
    func removeOrphans(
        usedUpTo bound: ListenSequenceNumber, limit: Int, isPinned: (DocumentKey) -> Bool
    ) throws(StoreError) -> Int {
        var place = CollectionPlace()
        var count = 0
        while count < limit, !place.isAtEnd {
            count += try removeOrphans(
                usedUpTo: bound, from: &place, limit: limit - count, isPinned: isPinned)
        }
        return count
    }
}
