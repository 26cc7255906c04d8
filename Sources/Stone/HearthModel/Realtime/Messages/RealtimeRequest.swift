/// A request of a client, with a number that the answer repeats.
package struct RealtimeRequest: Hashable, Sendable {
    /// The number. Rises by one with each request of a client's life.
    package let number: Int
    /// The action that the client asks for.
    package let action: RealtimeAction

    /// Numbers a request.
    package init(number: Int, action: RealtimeAction) {
        self.number = number
        self.action = action
    }
}

/// What may be asked over a connection.
package enum RealtimeAction: Hashable, Sendable {
    /// `q`.
    case listen(RealtimeListen)
    /// `n`.
    case unlisten(RealtimePath, QueryParameters, tag: Int?)
    /// `g`.
    case get(RealtimePath, QueryParameters)
    /// `p`. The hash names the node that must be at the place before the write; "" for no node.
    case put(WritePath, UnresolvedNode, hash: String?)
    /// `m`.
    case merge(RealtimePath, [RealtimeChange.Part])
    /// `o`.
    case onDisconnectPut(WritePath, UnresolvedNode)
    /// `om`.
    case onDisconnectMerge(RealtimePath, [RealtimeChange.Part])
    /// `oc`.
    case onDisconnectCancel(WritePath)
    /// `auth` and `gauth`.
    case authenticate(RealtimeCredential)
    /// `unauth`.
    case unauthenticate
    /// `appcheck`, and `unappcheck` with `nil`.
    case appCheck(String?)
    /// `s`: names of statistics; the server counts each name once.
    case stats([String])
    /// A kind that is not known here.
    case unknown(String)
}

/// A request for the data at a place and for every later change of the data.
package struct RealtimeListen: Hashable, Sendable {
    /// Where.
    package let path: RealtimePath
    /// Which children, in which order.
    package let query: QueryParameters
    /// The number that pushes of a filtered query bear.
    package let tag: Int?
    /// The V1 hash of the client's data, "" for no data.
    package let hash: String
    /// The hashes of the stretches of the client's data, if the client sent hashes.
    package let ranges: CompoundHash?

    /// Names the query to listen to, and the data that the client has already.
    ///
    /// - Parameters:
    ///   - path: The place.
    ///   - query: Which children, in which order.
    ///   - tag: The number that pushes of a filtered query bear; `nil` for a query that is not
    ///     filtered.
    ///   - hash: The V1 hash of the client's data, "" for no data.
    ///   - ranges: The hashes of the stretches of the client's data; `nil` if the client sent none.
    package init(
        _ path: RealtimePath, _ query: QueryParameters, tag: Int?, hash: String,
        ranges: CompoundHash? = nil
    ) {
        self.path = path
        self.query = query
        self.tag = tag
        self.hash = hash
        self.ranges = ranges
    }
}

/// Who a connection says it is.
package struct RealtimeCredential: Hashable, Sendable {
    /// Whose token it is.
    package enum Kind: Hashable, Sendable {
        /// `auth`: a token of Firebase's.
        case user
        /// `gauth`: anything else, such as a service account's.
        case service
    }

    /// The value of `auth` in the rules, instead of the value that the token gives.
    package enum Override: Hashable, Sendable {
        /// `authvar`.
        case variable(JSONValue)
        /// `noauth`: nobody.
        case nobody
    }

    /// Whose token it is.
    package let kind: Kind
    /// The token.
    package let token: Secret
    /// What an administrator wants to be taken for.
    package let override: Override?

    /// Says who a connection is.
    ///
    /// - Parameters:
    ///   - kind: Whose token it is.
    ///   - token: The token.
    ///   - override: What an administrator wants to be taken for; `nil` for what the token says.
    package init(_ kind: Kind, token: Secret, override: Override? = nil) {
        self.kind = kind
        self.token = token
        self.override = override
    }
}
