/// A message that the service sends.
package enum RealtimeServerMessage: Hashable, Sendable {
    /// The first message of a connection.
    case hello(RealtimeHello)
    /// The client is to stop for good.
    case shutdown(reason: String)
    /// The client is to connect to another host.
    case reset(host: String)
    /// Something to log.
    case error(String)
    /// Asks for a pong.
    case ping
    /// Answers a ping.
    case pong
    /// The answer to a request.
    case answer(RealtimeAnswer)
    /// News for a listener, or for the connection.
    case push(RealtimePush)
    /// A kind that is not known here.
    case unknown(String)
}

/// The service's description of itself at the start of a connection.
package struct RealtimeHello: Hashable, Sendable {
    /// Its clock, in milliseconds since 1970.
    package let time: Int64
    /// The version of the protocol.
    package let version: String
    /// The host that the client is to connect to from now on.
    package let host: String
    /// The session's name; with this name, the next connection can end the session.
    package let session: String

    /// The version that is spoken here.
    package static let version = "5"

    /// Says hello.
    ///
    /// - Parameters:
    ///   - time: The server's clock, in milliseconds since 1970.
    ///   - host: The host that the client is to connect to from now on.
    ///   - session: The session's name; with this name, the next connection can end the session.
    ///   - version: The version of the protocol.
    package init(
        time: Int64, host: String, session: String, version: String = RealtimeHello.version
    ) {
        self.time = time
        self.version = version
        self.host = host
        self.session = session
    }
}

/// How a request ended.
package struct RealtimeAnswer: Hashable, Sendable {
    /// The number of the request.
    package let number: Int
    /// `ok`, or why not.
    package let status: RealtimeStatus
    /// What was answered, as JSON: a text, or by the kind of request.
    package let body: RealtimeBody

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - number: The number of the request.
    ///   - status: `ok`, or why not.
    ///   - body: The answer as JSON: a text, or what the kind of request has.
    package init(number: Int, status: RealtimeStatus = .ok, body: RealtimeBody = .none) {
        self.number = number
        self.status = status
        self.body = body
    }
}

/// The word for how something ended. Others than these may come.
package struct RealtimeStatus: Hashable, Sendable, CustomStringConvertible {
    /// The word.
    package let word: String

    /// Takes a word.
    package init(_ word: String) {
        self.word = word
    }

    package static func == (lhs: Self, rhs: Self) -> Bool { utf8Equals(lhs.word, rhs.word) }

    package func hash(into hasher: inout Hasher) { hashUTF8(word, into: &hasher) }

    package var description: String { word }

    /// It was done.
    package static let ok = RealtimeStatus("ok")
    /// The rules deny it.
    package static let permissionDenied = RealtimeStatus("permission_denied")
    /// The data at the place does not have the hash that the put names.
    package static let dataStale = RealtimeStatus("datastale")
    /// It is larger than may be read or written at once.
    package static let tooBig = RealtimeStatus("too_big")
    /// The service cannot do it now.
    package static let unavailable = RealtimeStatus("unavailable")
    /// It cannot be done at all.
    package static let failure = RealtimeStatus("failure")
    /// The token is no longer good.
    package static let expiredToken = RealtimeStatus("expired_token")
    /// The token never was.
    package static let invalidToken = RealtimeStatus("invalid_token")
}

/// A message of the service that answers no request.
package enum RealtimePush: Hashable, Sendable {
    /// `d`: a place now holds this node.
    case overwrite(WritePath, Node, tag: Int?)
    /// `m`: places below a path now hold these nodes.
    case merge(RealtimePath, [RealtimeTold], tag: Int?)
    /// `rm`: stretches of the client's data now hold these leaves.
    case ranges(RealtimePath, [RangeMerge], tag: Int?)
    /// `c`: these listens have ended; without queries, the listen of the default query.
    case revoked(RealtimePath, [QueryParameters])
    /// `ac`: the connection acts for nobody any more.
    case authRevoked(RealtimeStatus, reason: String)
    /// `apc`: the token of App Check is not good any more.
    case appCheckRevoked(RealtimeStatus, reason: String)
    /// `sd`: the report of the rules on a request.
    case debug(String)
    /// A kind that is not known here.
    case unknown(String)
}

/// One place of a merge that the service reports.
package struct RealtimeTold: Hashable, Sendable {
    /// The way from where the merge was made.
    package let place: WritePath
    /// The node there now; empty if there is none.
    package let node: Node

    /// Says what is where.
    package init(_ place: WritePath, _ node: Node) {
        self.place = place
        self.node = node
    }
}
