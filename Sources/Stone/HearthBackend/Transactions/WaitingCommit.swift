import HearthModel

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
