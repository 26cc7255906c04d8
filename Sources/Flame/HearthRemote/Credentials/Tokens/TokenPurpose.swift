/// The purpose of a token of Google's, and so the token's permissions.
package enum TokenPurpose: Hashable, Sendable {
    /// Calls to Firestore. Firestore believes a token that a service account signs itself.
    ///
    /// - `isExchanged`: Whether a service account's token is fetched all the same.
    case firestore(isExchanged: Bool)
    /// Connections to a Realtime Database, which believes fetched tokens only.
    case realtime

    /// Whether a service account fetches its tokens, rather than sign them itself.
    var isExchanged: Bool {
        switch self {
        case .firestore(let isExchanged): isExchanged
        case .realtime: true
        }
    }

    /// The permitted use.
    ///
    /// - Source: developers.google.com/identity/protocols/oauth2/scopes. The Realtime Database wants
    ///   to know the account's address too.
    var scopes: [String] {
        switch self {
        case .firestore: ["https://www.googleapis.com/auth/datastore"]
        case .realtime:
            [
                "https://www.googleapis.com/auth/firebase.database",
                "https://www.googleapis.com/auth/userinfo.email",
            ]
        }
    }
}
