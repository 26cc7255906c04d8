/// What a writer says of the sending of its writes.
package struct SendingTerms: Hashable, Sendable {
    /// When writes that were not sent by then are given up; `nil` for never.
    package var expiresAt: Timestamp?
    /// Whether writes that were not sent are given up once the backend is known not to be there.
    package var isOnlineOnly: Bool

    /// Takes the terms; without any, writes wait as long as they must.
    package init(expiresAt: Timestamp? = nil, isOnlineOnly: Bool = false) {
        self.expiresAt = expiresAt?.flooredToMicroseconds
        self.isOnlineOnly = isOnlineOnly
    }

    /// Whether the writer says nothing.
    package var areNone: Bool { expiresAt == nil && !isOnlineOnly }
}
