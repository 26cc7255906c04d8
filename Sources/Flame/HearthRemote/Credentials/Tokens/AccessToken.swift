package import HearthModel

/// A token that the backend believes for a while.
package struct AccessToken: Hashable, Sendable {
    /// What is shown as bearer; empty if nobody is signed in, and nothing is shown.
    package let value: Secret
    /// When it was fetched.
    package let fetchedAt: Timestamp
    /// When nobody believes it any more.
    package let expiresAt: Timestamp
    /// The Firebase user whose it is; `nil` for a token that is no user's, such as a service
    /// account's, which may send any user's queue.
    package let user: UserID?
    /// The project that pays for the calls, if not the one that is called.
    package let quotaProject: String?

    /// Takes a token's parts.
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

    /// From when on a new one is fetched while this one still serves: five minutes before its end,
    /// or half-way if it is shorter lived than ten.
    var refreshAt: Timestamp {
        let life = expiresAt.since(fetchedAt)
        return expiresAt.advanced(by: .zero - min(.seconds(300), life / 2))
    }

    /// Whether a call that begins now can show it. A call takes a moment to arrive.
    func isValid(at now: Timestamp) -> Bool { now.advanced(by: .seconds(10)) < expiresAt }

    /// The headers that show it.
    package var headers: [Header] {
        guard !value.revealed.isEmpty else { return [] }
        var headers = [Header.bearer(value)]
        if let quotaProject { headers.append(Header("x-goog-user-project", quotaProject)) }
        return headers
    }
}

/// Where tokens come from.
package protocol TokenSource: Sendable {
    /// Fetches a token now: reads what it needs anew, so that a file that was mended counts.
    ///
    /// - Throws: What is wrong, and what would help, without any secret.
    func fetch() async throws(HearthError) -> AccessToken
}

/// How it stands with the credentials, for status and log.
package enum CredentialsState: Hashable, Sendable {
    /// A token is at hand, and as far as we know it is believed.
    case ready
    /// There is none. It is tried again by itself.
    case failing(HearthError)
}
