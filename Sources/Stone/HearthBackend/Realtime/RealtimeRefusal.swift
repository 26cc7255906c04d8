/// Why a request was refused, in the words that clients know.
package struct RealtimeRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The word that a client acts upon.
    package enum Status: String, Hashable, Sendable {
        /// The rules do not allow it.
        case permissionDenied = "permission_denied"
        /// The stored content is not the content that the request expected.
        case dataStale = "datastale"
        /// It would be more than may be written or read at once.
        case tooBig = "too_big"
        /// It cannot be done now; the client may try again.
        case unavailable
        /// The token's time is over.
        case expiredToken = "expired_token"
        /// The token cannot be read.
        case invalidToken = "invalid_token"
        /// The request cannot be understood, or asks for what cannot be.
        case failed
    }

    /// The word that a client acts upon.
    package let status: Status
    /// What happened, for people.
    package let reason: String

    /// Says what happened.
    package init(_ status: Status, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    /// The rules do not allow it. Clients look for this text.
    package static let denied = RealtimeRefusal(.permissionDenied, "Permission denied")

    /// The stored content is not the content that a conditional put expected.
    package static let stale = RealtimeRefusal(
        .dataStale, "The data has changed since it was read.")

    /// More than may be read at once. Clients show this text.
    package static let tooLarge = RealtimeRefusal(
        .tooBig,
        "The data requested exceeds the maximum size that can be accessed with a single request.")

    /// More than may be written in a minute.
    static let tooFast = RealtimeRefusal(
        .unavailable, "More was written than the hosted service takes in a minute; wait a minute.")

    package var description: String { reason }
}
