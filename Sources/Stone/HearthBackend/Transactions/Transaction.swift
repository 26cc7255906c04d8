import HashTreeCollections
import HearthModel

/// An open transaction.
struct Transaction: Sendable {
    let id: TransactionID
    let database: DatabaseID
    let mode: TransactionOptions.Mode
    let begunAt: Timestamp
    var usedAt: Timestamp
    /// The moment of all its reads; pessimistic transactions read the newest versions instead.
    var snapshot: SnapshotVersion?
    var readKeys: TreeSet<DocumentKey> = []
    var readQueries: [QueryPlan] = []
    /// Whether the transaction had to give its locks to an older one.
    ///
    /// The transaction's client is told at the next request.
    var isAborted = false

    /// Whether writes in it are refused.
    var isReadOnly: Bool {
        if case .readOnly = mode { return true }
        return false
    }

    /// Whether the transaction has read a document, or a query that matches one of the versions.
    func hasRead(_ key: DocumentKey, _ versions: [Document]) -> Bool {
        if readKeys.contains(key) { return true }
        return readQueries.contains { plan in versions.contains { plan.matches($0) } }
    }
}
