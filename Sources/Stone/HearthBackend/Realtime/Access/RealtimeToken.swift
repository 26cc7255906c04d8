package import HearthModel
import HearthRules

/// Reads the tokens that name the callers of the Realtime Database.
///
/// Only a token's end is checked, not its signature: anybody can write a token.
package enum RealtimeToken {
    /// The caller that a token names: the owner, as an admin, or a user.
    ///
    /// - Throws: `expiredToken`, or `invalidToken` for a token that cannot be read.
    package static func caller(
        _ token: String, at now: Timestamp
    ) throws(RealtimeRefusal) -> RealtimeCaller {
        if utf8Equals(token, Caller.ownerToken) { return .admin }
        guard let claims = claims(of: token), let auth = RealtimeRuleRequest.auth(claims: claims)
        else { throw RealtimeRefusal(.invalidToken, "Could not parse auth token.") }
        if let end = claims["exp"]?.integer, end <= now.seconds {
            throw RealtimeRefusal(.expiredToken, "Auth token is expired")
        }
        return .user(auth)
    }

    /// The caller that a connection says it acts for.
    ///
    /// Clients send a user's token without a time of issue as a service's token. A service's token
    /// that can be read as a user's token therefore names the user. Any other service's token makes
    /// the caller an admin, who may act for somebody else.
    ///
    /// - Throws: As `caller(_:at:)`.
    static func caller(
        of credential: RealtimeCredential, at now: Timestamp
    ) throws(RealtimeRefusal) -> RealtimeCaller {
        let caller: RealtimeCaller
        do throws(RealtimeRefusal) {
            caller = try self.caller(credential.token.revealed, at: now)
        } catch {
            guard credential.kind == .service, error.status == .invalidToken else { throw error }
            caller = .admin
        }
        switch credential.override {
        case .variable(let value): return caller.overridden(by: value)
        case .nobody: return caller.overridden(by: .null)
        case nil: return caller
        }
    }

    /// When a user's token ends, in seconds since 1970; `nil` for a token without an end.
    package static func end(of token: String) -> Int64? { claims(of: token)?["exp"]?.integer }

    private static func claims(of token: String) -> JSONValue? {
        guard token.utf8.count <= Caller.tokenByteCountMax else { return nil }
        let parts = token.utf8.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let text = String(parts[1]), let bytes = Base64.decode(text),
            let claims = try? JSONReader.read(bytes), claims.members != nil
        else { return nil }
        return claims
    }
}
