package import HearthModel

/// How much the sessions of one Unix user may ask for at a time, over any protocol.
package struct RequestQuota: Hashable, Sendable {
    private let limits: SessionLimits
    private let uid: UInt32

    /// The quota of a user.
    package init(_ limits: SessionLimits, uid: UInt32) {
        self.limits = limits
        self.uid = uid
    }

    /// Why a session may not listen once more; `nil` if it may.
    ///
    /// - Parameters:
    ///   - own: The session's listeners.
    ///   - others: The listeners of the user's other sessions.
    package func refusalOfListener(besides own: Int, _ others: Int) -> HearthError? {
        if own + others >= limits.uidListenerCountMax {
            return .tooMuch(
                "uid \(uid) has \(own + others) listeners, and the limit is "
                    + "limits.uidListenerCountMax = \(limits.uidListenerCountMax) listeners.")
        }
        guard own >= limits.listenerCountMax else { return nil }
        return .tooMuch(
            "The session has \(own) listeners, its limit. End some, or raise "
                + "limits.listenerCountMax.")
    }

    /// Why a session may not ask once more; `nil` if it may.
    ///
    /// - Parameters:
    ///   - own: The session's requests without an answer.
    ///   - others: The requests without an answer of the user's other sessions.
    package func refusalOfAnswer(besides own: Int, _ others: Int) -> HearthError? {
        if own + others >= limits.uidRequestCountMax {
            return .tooMuch(
                "uid \(uid) has \(own + others) requests without an answer, and the limit is "
                    + "limits.uidRequestCountMax = \(limits.uidRequestCountMax) requests. Wait for "
                    + "some.")
        }
        guard own >= limits.requestCountMax else { return nil }
        return .tooMuch(
            "The session has \(own) requests without an answer, its limit. Wait for some, or raise "
                + "limits.requestCountMax.")
    }
}

extension HearthError {
    fileprivate static func tooMuch(_ message: String) -> HearthError {
        HearthError(code: .resourceExhausted, message: message)
    }
}
