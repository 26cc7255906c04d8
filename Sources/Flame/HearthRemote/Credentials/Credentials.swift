package import HearthModel

/// Who we are to the backend: gives each call the headers that say so.
package protocol Credentials: Sendable {
    /// The headers of the next call, names in lower case; usually `authorization`.
    ///
    /// - Parameter user: The Firebase user on whose behalf the call is made; `nil` for whoever is
    ///   signed in. A token of another user is never given.
    /// - Throws: `HearthError` `unauthenticated` if there is nothing to show, `unavailable` if it could
    ///   not be fetched now.
    func headers(as user: UserID?) async throws(HearthError) -> [Header]

    /// The backend refused what these headers show. The next call must fetch it anew.
    func refused(_ headers: [Header]) async

    /// The backend believed what these headers show.
    func believed(_ headers: [Header]) async
}

/// One line of a call's metadata.
package struct Header: Hashable, Sendable {
    /// The name, in lower case.
    package let name: String
    /// What it says, which is often secret.
    package let value: Secret

    /// Pairs a name with a value.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = Secret(value)
    }

    /// The header by which nearly everybody is known.
    package static func bearer(_ token: Secret) -> Header {
        Header("authorization", "Bearer \(token.revealed)")
    }
}

/// Nobody: an emulator with open rules, or a backend that lets everyone in.
package struct NoCredentials: Credentials {
    /// Shows nothing.
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
