import HashTreeCollections
import HearthModel

/// The locks of one database's pessimistic transactions: of documents, and of all that a query
/// could ever find. Any number of transactions may share a lock; a change of anything locked must
/// wait for all locks but its own transaction's.
struct LockTable: Sendable {
    /// The lock that a transaction's query holds.
    struct Range: Hashable, Comparable, Sendable {
        let holder: TransactionID
        /// The place of the query among the transaction's.
        let place: Int

        static func < (lhs: Self, rhs: Self) -> Bool {
            lhs.holder != rhs.holder ? lhs.holder < rhs.holder : lhs.place < rhs.place
        }
    }

    private var documents: TreeDictionary<DocumentKey, TreeSet<TransactionID>> = [:]
    private var ranges = PlanIndex<Range>()

    /// Whether nothing is locked.
    var isEmpty: Bool { documents.isEmpty && ranges.count == 0 }

    /// Locks a document, whether it exists or not.
    mutating func lock(_ key: DocumentKey, by holder: TransactionID) {
        documents[key, default: []].insert(holder)
    }

    /// Locks what a query could find.
    mutating func lock(_ plan: QueryPlan, _ range: Range) {
        ranges.insert(range, plan)
    }

    /// Opens all locks of a transaction.
    mutating func release(_ transaction: Transaction) {
        for key in transaction.readKeys {
            documents[key]?.remove(transaction.id)
            if documents[key]?.isEmpty ?? false { documents[key] = nil }
        }
        for place in transaction.readQueries.indices {
            ranges.remove(Range(holder: transaction.id, place: place))
        }
    }

    /// Who has locked a document by its name.
    func holders(of key: DocumentKey) -> TreeSet<TransactionID> { documents[key] ?? [] }

    /// The queries' locks that may stand against a change.
    func ranges(concernedBy change: DocumentChange) -> [Range] {
        ranges.queries(concernedBy: change)
    }
}
