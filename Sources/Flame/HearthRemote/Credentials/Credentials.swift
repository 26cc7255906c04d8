package import HearthModel

/// Gives each call the headers that tell the backend who we are.
package protocol Credentials: Sendable {
    /// The headers of the next call, names in lower case; usually `authorization`.
    ///
    /// - Parameter user: The Firebase user on whose behalf the call is made; `nil` for the user who
    ///   is signed in. The call never gets a token of another user.
    /// - Throws: `HearthError` `unauthenticated` if there is no token to show, `unavailable` if the
    ///   token could not be fetched now.
    func headers(as user: UserID?) async throws(HearthError) -> [Header]

    /// The backend refused the token in these headers. The next call must fetch a new token.
    func refused(_ headers: [Header]) async

    /// The backend believed the token in these headers.
    func believed(_ headers: [Header]) async
}

/// One line of a call's metadata.
package struct Header: Hashable, Sendable {
    /// The name, in lower case.
    package let name: String
    /// The header's value, which is often secret.
    package let value: Secret

    /// Pairs a name with a value.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = Secret(value)
    }

    /// The header with a bearer token, which nearly all credentials use.
    package static func bearer(_ token: Secret) -> Header {
        Header("authorization", "Bearer \(token.revealed)")
    }
}

extension [Header] {
    /// The bearer token that the headers show; `nil` if they show none.
    var bearerToken: Secret? {
        let prefix = "Bearer "
        guard let shown = first(where: { $0.name == "authorization" })?.value.revealed,
            shown.hasPrefix(prefix)
        else { return nil }
        return Secret(String(shown.dropFirst(prefix.count)))
    }
}

/// No credentials, for an emulator with open rules or a backend that lets everyone in.
package struct NoCredentials: Credentials {
    /// Makes credentials that show no headers.
    package init() {}

    package func headers(as user: UserID?) async throws(HearthError) -> [Header] { [] }

    package func refused(_ headers: [Header]) async {}

    package func believed(_ headers: [Header]) async {}
}

/// One bearer token for ever, such as an emulator's `owner`.
package struct FixedToken: Credentials {
    private let token: Secret

    /// An emulator's administrator, whom no rule stops.
    package static let owner = FixedToken("owner")

    /// Shows `token` to the backend.
    package init(_ token: String) {
        self.token = Secret(token)
    }

    package func headers(as user: UserID?) async throws(HearthError) -> [Header] {
        [.bearer(token)]
    }

    package func refused(_ headers: [Header]) async {}

    package func believed(_ headers: [Header]) async {}
}
