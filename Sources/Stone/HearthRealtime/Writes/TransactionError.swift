package import HearthModel

/// Why a transaction failed here, rather than by the backend's word.
///
/// The raw value is the word that SDKs use; the message begins with it.
package enum TransactionError: String, Hashable, Sendable, CaseIterable {
    /// A program wrote to the transaction's place, above it or below it.
    case overridden = "overriddenBySet"
    /// The backend had other data each time the transaction was sent.
    case retriedTooOften = "maxretries"
    /// The connection ended before the backend answered.
    case disconnected = "disconnect"

    /// The error as programs get it.
    package var error: HearthError {
        switch self {
        case .overridden:
            HearthError(
                code: .aborted,
                message: "\(rawValue): a program wrote to the place of the transaction before the "
                    + "backend had the transaction. Run the transaction again if it still matters.")
        case .retriedTooOften:
            HearthError(
                code: .aborted,
                message: "\(rawValue): the data changed before each of "
                    + "\(PendingTransaction.sendCountMax) attempts. Run the transaction again when "
                    + "fewer clients write to its place, or run it on a smaller place.")
        case .disconnected:
            HearthError(
                code: .unavailable,
                message: "\(rawValue): the connection ended before the backend answered, so the "
                    + "transaction may have been applied. Read its place before you run it again.")
        }
    }
}
