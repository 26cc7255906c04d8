package import HearthModel

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
