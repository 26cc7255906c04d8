package import HearthModel

/// Who asks.
package enum Caller: Hashable, Sendable {
    /// A server, or whoever presents itself as the owner: rules do not apply.
    case admin
    /// A user, as a token names them.
    case user(UserClaims)
    /// Somebody without a token.
    case nobody

    /// Refuses everybody but the admin.
    ///
    /// - Throws: `HearthError` `permissionDenied`.
    package func requireAdmin() throws(HearthError) {
        switch self {
        case .admin: return
        case .user, .nobody: throw .denied("Only the owner may do this.")
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

extension HearthError {
    /// A refusal by rules: production's sentence, and below it what led to it.
    static func denied(_ detail: String) -> HearthError {
        HearthError(
            code: .permissionDenied,
            message: "Missing or insufficient permissions." + (detail.isEmpty ? "" : "\n\(detail)"))
    }
}
