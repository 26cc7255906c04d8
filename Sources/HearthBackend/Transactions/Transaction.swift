import HashTreeCollections
package import HearthModel

/// A transaction's name.
///
/// Shape on the wire: run u64 BE | number u64 BE.
package struct TransactionID: Hashable, Comparable, Sendable {
    /// The run of the backend that began it.
    package let run: UInt64
    /// Rising within the run, from 1.
    package let number: UInt64

    init(run: UInt64, number: UInt64) {
        self.run = run
        self.number = number
    }

    /// Reads what `bytes` gave; `nil` for anything else.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        run = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        number = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The name as clients hold it.
    package var bytes: [UInt8] {
        [run, number].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.number < rhs.number }
}

/// What a transaction is to be.
package enum TransactionOptions: Hashable, Sendable {
    /// Reads one unchanging picture: at a moment, or as of the first read.
    case readOnly(at: Timestamp?)
    /// Reads lock; who wants to write what was read has to wait.
    case pessimistic
    /// Reads do not lock; the commit fails if anything read has changed.
    case optimistic
}

/// How fresh a read must be.
package enum ReadConsistency: Hashable, Sendable {
    /// As things are.
    case latest
    /// As a moment ago.
    case readTime(Timestamp)
    /// As a transaction sees it.
    case transaction(TransactionID)
    /// As a transaction sees it that begins now.
    case newTransaction(TransactionOptions)
}

/// What a read looks at, and so what it locks.
package enum ReadSubject: Sendable {
    /// Documents by name.
    case documents([DocumentKey])
    /// All that a query could ever find.
    case query(QueryPlan)
    /// Nothing that could be locked.
    case nothing
}

/// An open transaction.
struct Transaction: Sendable {
    let id: TransactionID
    let database: DatabaseID
    let options: TransactionOptions
    let begunAt: Timestamp
    var usedAt: Timestamp
    /// The moment of all its reads; not used by pessimistic ones, which read what they lock.
    var snapshot: SnapshotVersion?
    var readKeys: TreeSet<DocumentKey> = []
    var readQueries: [QueryPlan] = []

    /// Whether writes in it are refused.
    var isReadOnly: Bool {
        if case .readOnly = options { return true }
        return false
    }

    /// Whether it has locked anything.
    var hasLocks: Bool {
        options == .pessimistic && !(readKeys.isEmpty && readQueries.isEmpty)
    }

    /// Whether anything that it has read is about to change, or has changed.
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
    let deadline: Timestamp
}

/// Names a commit that waits for locks.
package struct WaiterID: Hashable, Comparable, Sendable {
    /// Rising within a run.
    package let rawValue: UInt64

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
