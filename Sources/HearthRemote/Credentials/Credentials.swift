package import HearthModel

/// Who we are to the backend: gives each call the headers that say so.
package protocol Credentials: Sendable {
    /// The headers of the next call, names in lower case; usually `authorization`.
    ///
    /// - Throws: `HearthError` `unauthenticated` if there is nothing to show, `unavailable` if it could
    ///   not be fetched now.
    func headers() async throws(HearthError) -> [Header]

    /// The backend refused what was last shown. The next call must fetch it anew.
    func invalidate() async
}

/// One line of a call's metadata.
package struct Header: Hashable, Sendable {
    /// The name, in lower case.
    package let name: String
    /// What it says.
    package let value: String

    /// Pairs a name with a value.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Nobody: an emulator with open rules, or a backend that lets everyone in.
package struct NoCredentials: Credentials {
    /// Shows nothing.
    package init() {}

    package func headers() async throws(HearthError) -> [Header] { [] }

    package func invalidate() async {}
}

/// One bearer token for ever, such as an emulator's `owner`.
package struct FixedToken: Credentials {
    private let token: String

    /// An emulator's administrator, whom no rule stops.
    package static let owner = FixedToken("owner")

    /// Shows `token` to the backend.
    package init(_ token: String) {
        self.token = token
    }

    package func headers() async throws(HearthError) -> [Header] {
        [Header("authorization", "Bearer \(token)")]
    }

    package func invalidate() async {}
}
