package import HearthModel

/// A token that the backend believes for a while.
package struct AccessToken: Hashable, Sendable {
    /// The bearer token; empty if nobody is signed in, and calls show no token.
    package let value: Secret
    /// When it was fetched.
    package let fetchedAt: Timestamp
    /// When the token expires.
    package let expiresAt: Timestamp
    /// The Firebase user who owns the token; `nil` if no user owns the token.
    ///
    /// A token without a user, such as a service account's token, may send the queue of any user.
    package let user: UserID?
    /// The project that pays for the calls, if the called project does not.
    package let quotaProject: String?

    /// Takes a token's parts.
    ///
    /// - Parameters:
    ///   - value: The bearer token; empty if nobody is signed in.
    ///   - fetchedAt: When the token was fetched.
    ///   - expiresAt: When the token expires.
    ///   - user: The Firebase user who owns the token; `nil` if no user owns the token.
    ///   - quotaProject: The project that pays for the calls; `nil` for the called project.
    package init(
        _ value: Secret, fetchedAt: Timestamp, expiresAt: Timestamp, user: UserID? = nil,
        quotaProject: String? = nil
    ) {
        self.value = value
        self.fetchedAt = fetchedAt
        self.expiresAt = expiresAt
        self.user = user
        self.quotaProject = quotaProject
    }

    /// When a new token is fetched, while this token still serves.
    ///
    /// The time is five minutes before the token's end, or half-way through a life below ten
    /// minutes.
    var refreshAt: Timestamp {
        let life = expiresAt.since(fetchedAt)
        return expiresAt.advanced(by: .zero - min(.seconds(300), life / 2))
    }

    /// Whether a call that begins now can show the token. A call takes a moment to arrive.
    func isValid(at now: Timestamp) -> Bool { now.advanced(by: .seconds(10)) < expiresAt }

    /// The headers that show the token.
    package var headers: [Header] {
        guard !value.revealed.isEmpty else { return [] }
        var headers = [Header.bearer(value)]
        if let quotaProject { headers.append(Header("x-goog-user-project", quotaProject)) }
        return headers
    }
}

extension AccessToken {
    /// The token in an endpoint's answer; `nil` if the answer has no token that lives for a while.
    ///
    /// - Parameter askedAt: When the endpoint was asked: the token's life counts from then.
    init?(in answer: JSONValue?, askedAt: Timestamp, quotaProject: String?) {
        guard let token = answer?["access_token"]?.string, !token.isEmpty,
            let life = answer?["expires_in"]?.seconds, life > 0
        else { return nil }
        self.init(
            Secret(token), fetchedAt: askedAt, expiresAt: askedAt.advanced(by: .seconds(life)),
            quotaProject: quotaProject)
    }
}

/// A source of tokens.
package protocol TokenSource: Sendable {
    /// Fetches a token now.
    ///
    /// Each fetch reads the files anew, so that a corrected file takes effect.
    ///
    /// - Throws: The failure and its cure, without any secret.
    func fetch() async throws(HearthError) -> AccessToken
}

/// The state of the credentials, for status and log.
package enum CredentialsState: Hashable, Sendable {
    /// A token is at hand, and as far as we know it is believed.
    case ready
    /// No token is at hand. The fetch is repeated by itself.
    case failing(HearthError)
}
