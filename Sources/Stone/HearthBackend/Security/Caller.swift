package import HearthModel

/// Who asks.
package enum Caller: Hashable, Sendable {
    /// A server, or whoever presents itself as the owner: rules do not apply.
    case admin
    /// A user, as a token names them.
    case user(UserClaims)
    /// Somebody without a token.
    case nobody

    /// What only the admin may do.
    package enum Privilege: String, Sendable {
        case batchWrites = "Batch writes"
        case metadata = "Metadata operations"
        case partitions = "Partition queries"
    }

    /// Refuses everybody but the admin, in the words of Google's emulator.
    ///
    /// - Throws: `HearthError` `permissionDenied`.
    package func require(_ privilege: Privilege) throws(HearthError) {
        switch self {
        case .admin: return
        case .user, .nobody:
            throw HearthError(
                code: .permissionDenied,
                message: "\(privilege.rawValue) require admin authentication.")
        }
    }
}

/// What a token says of a user.
package struct UserClaims: Hashable, Sendable {
    /// The user's id, `sub` in the token.
    package let uid: String
    /// All claims, as `request.auth.token` shows them.
    package let claims: MapValue

    /// Takes the claims of a token.
    package init(uid: String, claims: MapValue) {
        self.uid = uid
        self.claims = claims
    }
}
