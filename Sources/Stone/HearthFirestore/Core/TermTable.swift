import HashTreeCollections
import HearthModel

/// The terms of waiting batches, by their times. Only batches whose writers said something are here.
struct TermTable: Sendable {
    private struct Due: Hashable, Sendable {
        let at: Timestamp
        let batch: BatchID

        static func order(_ left: Due, _ right: Due) -> Int {
            (left.at, left.batch) < (right.at, right.batch) ? -1 : left == right ? 0 : 1
        }
    }

    private var terms: TreeDictionary<BatchID, SendingTerms> = [:]
    private var dues = OrderedTree<Due>()
    /// The batches that are given up without the backend.
    private(set) var onlineOnly: TreeSet<BatchID> = []

    /// The terms of a batch; `nil` if there are none.
    subscript(_ batch: BatchID) -> SendingTerms? { terms[batch] }

    /// When the first batch expires; `nil` for never.
    var firstExpiry: Timestamp? { dues.count > 0 ? dues[0].at : nil }

    /// The batch that has expired the longest; `nil` if none has.
    func firstExpired(by now: Timestamp) -> BatchID? {
        guard dues.count > 0, dues[0].at <= now else { return nil }
        return dues[0].batch
    }

    /// Notes the terms of a batch.
    mutating func set(_ terms: SendingTerms, of batch: BatchID) {
        remove(batch)
        self.terms[batch] = terms
        if let at = terms.expiresAt { dues.insert(Due(at: at, batch: batch), by: Due.order) }
        if terms.isOnlineOnly { onlineOnly.insert(batch) }
    }

    /// Forgets the terms of a batch.
    mutating func remove(_ batch: BatchID) {
        guard let old = terms.removeValue(forKey: batch) else { return }
        if let at = old.expiresAt { dues.remove(Due(at: at, batch: batch), by: Due.order) }
        onlineOnly.remove(batch)
    }
}
