/// Whether the backend can be reached, as far as is known.
package enum OnlineState: String, Hashable, Sendable {
    /// Not tried, or being tried.
    case unknown
    /// It answers.
    case online
    /// It does not; cached results are good enough.
    case offline
}
