package import HearthModel

/// What a `LinkMachine` wants its shell to do, in order.
package enum LinkAction: Hashable, Sendable {
    /// Finds out who a user is to the service, and tells `credentialCame` with this number.
    case ask(QuestionNumber, as: UserID)
    /// Opens a WebSocket, and tells `received` of it, and `ended` once.
    case connect(SocketNumber, LinkAddress)
    /// Sends a message over the open WebSocket, after the messages before it.
    case send(LinkMessage)
    /// Closes a WebSocket. Nothing of it may be told any more.
    case disconnect(SocketNumber)
    /// The service believed this token.
    case believe(Secret)
    /// The service refused this token, so the next credential must have another.
    case refuse(Secret)
    /// The engine is told.
    case tell(RealtimeUpstreamEvent)
    /// Operators are told.
    case note(LinkNote)
    /// A timer must run; if it runs already, it is moved.
    case schedule(LinkTimer, after: Duration)
    /// A timer must not run.
    case cancel(LinkTimer)
}

/// The number of a question for a credential; a late answer is recognised by the number.
package struct QuestionNumber: Hashable, Sendable {
    /// The number, rising from 1.
    package let rawValue: UInt64

    /// Wraps a number.
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// The number of a WebSocket; a late echo of an earlier WebSocket is recognised by the number.
package struct SocketNumber: Hashable, Sendable {
    /// The number, rising from 1.
    package let rawValue: UInt64

    /// Wraps a number.
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// Where a WebSocket leads, and what it follows.
package struct LinkAddress: Hashable, Sendable {
    /// The host, with its port if one was given.
    package let host: String
    /// The session of the last WebSocket, which the service is to end; `nil` if there was none.
    package let lastSession: String?

    /// Joins the parts.
    package init(host: String, lastSession: String?) {
        self.host = host
        self.lastSession = lastSession
    }
}

/// What a link sends.
package enum LinkMessage: Hashable, Sendable {
    /// A request.
    case request(RealtimeRequest)
    /// Asks whether the service is there.
    case ping
    /// Answers a ping.
    case pong
    /// Tells the service that we are there. Has no answer.
    case keepAlive
}

/// What the service says to people.
package enum LinkNote: Hashable, Sendable {
    /// The service complains.
    case complaint(String)
    /// The service's rules report on a request.
    case rules(String)
}

/// The timers of a link. Scheduling one again moves it.
package enum LinkTimer: String, Hashable, Sendable, CaseIterable {
    /// The service has to have said hello.
    case greeting
    /// The service has to have said whether it believes us.
    case authentication
    /// Look whether the service is still there, and tell the service that we are.
    case pulse
    /// Show a newer token before the service forgets this one.
    case renewal
}

/// Who a link says it is, and until when that holds.
package struct LinkCredential: Hashable, Sendable {
    /// What is shown to the service.
    package let shown: RealtimeCredential
    /// When the token ends, as far as the token says.
    package let expiresAt: Timestamp?

    /// Joins the parts.
    package init(_ shown: RealtimeCredential, expiresAt: Timestamp? = nil) {
        self.shown = shown
        self.expiresAt = expiresAt
    }
}
