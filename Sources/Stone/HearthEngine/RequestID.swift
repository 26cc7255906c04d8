/// One request of one session; the engine owes the session an answer.
package struct RequestID: Hashable, Comparable, Sendable {
    /// The session.
    package let session: UInt64
    /// The session's number for the request.
    package let number: UInt64

    /// Names a request.
    package init(session: UInt64, number: UInt64) {
        self.session = session
        self.number = number
    }

    package static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.session, lhs.number) < (rhs.session, rhs.number)
    }
}
