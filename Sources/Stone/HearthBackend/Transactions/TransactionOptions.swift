package import HearthModel

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
