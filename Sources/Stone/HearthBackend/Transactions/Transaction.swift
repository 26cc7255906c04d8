import HashTreeCollections
package import HearthModel

/// A transaction's name.
///
/// Shape on the wire: run u64 BE | number u64 BE | priority u64 BE.
package struct TransactionID: Hashable, Comparable, Sendable {
    /// The run of the backend that began the transaction.
    package let run: UInt64
    /// Rising within the run, from 1.
    package let number: UInt64
    /// The number of the first try that the transaction repeats; the transaction's own number for a
    /// first try. Of two transactions in each other's way, the lesser goes first.
    package let priority: UInt64

    init(run: UInt64, number: UInt64, priority: UInt64) {
        self.run = run
        self.number = number
        self.priority = priority
    }

    /// Reads what `bytes` gave; `nil` for anything else.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 24 else { return nil }
        func word(_ index: Int) -> UInt64 {
            bytes[(index * 8)..<(index * 8 + 8)].reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.init(run: word(0), number: word(1), priority: word(2))
    }

    /// The name as clients hold it.
    package var bytes: [UInt8] {
        [run, number, priority].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    /// Whether the transaction repeats an aborted transaction.
    var isRetry: Bool { priority < number }

    /// The older try first.
    package static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.priority, lhs.number) < (rhs.priority, rhs.number)
    }
}

/// What a transaction is to be.
package struct TransactionOptions: Hashable, Sendable {
    enum Mode: Hashable, Sendable {
        case readOnly(at: Timestamp?)
        case pessimistic
        case optimistic
    }

    let mode: Mode
    /// The aborted transaction to try again: the new transaction takes its age.
    package var retried: TransactionID?

    /// Reads one unchanging picture: at a moment, or as of the first read.
    package static func readOnly(at moment: Timestamp?) -> TransactionOptions {
        TransactionOptions(mode: .readOnly(at: moment))
    }

    /// Reads lock: writes to the locked documents have to wait.
    package static let pessimistic = TransactionOptions(mode: .pessimistic)

    /// Reads do not lock; the commit fails if anything read has changed.
    package static let optimistic = TransactionOptions(mode: .optimistic)
}

/// How fresh a read must be.
package enum ReadConsistency: Hashable, Sendable {
    /// As things are.
    case latest
    /// As a moment ago.
    case readTime(Timestamp)
    /// As a transaction sees things.
    case transaction(TransactionID)
    /// As a transaction that begins now sees things.
    case newTransaction(TransactionOptions)
}

/// The documents or the query that a read looks at, and that a pessimistic transaction locks.
package enum ReadSubject: Sendable {
    /// Documents by name.
    case documents([DocumentKey])
    /// All that a query could ever find.
    case query(QueryPlan)
    /// All that a query for nearest neighbours could ever find.
    case nearest(QueryPlan, NearestNeighbours)
    /// Nothing that could be locked.
    case nothing

    /// The query, if one is asked.
    var plan: QueryPlan? {
        switch self {
        case .query(let plan), .nearest(let plan, _): plan
        case .documents, .nothing: nil
        }
    }

    /// The question for nearest neighbours, if it is one.
    var nearest: NearestNeighbours? {
        if case .nearest(_, let nearest) = self { return nearest }
        return nil
    }
}

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

/// A commit that waits.
struct WaitingCommit: Sendable {
    let id: WaiterID
    let writes: [Mutation]
    let database: DatabaseID
    let transaction: TransactionID?
    let caller: Caller
    let deadline: Timestamp
}

/// Names a commit that waits for locks.
package struct WaiterID: Hashable, Comparable, Sendable {
    /// Rising within a run.
    package let rawValue: UInt64

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
