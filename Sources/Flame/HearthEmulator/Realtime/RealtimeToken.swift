import HearthBackend
import HearthModel
import HearthRPC
import HearthRules
import NIOHTTP1

/// Finds the caller of the Realtime Database, by an address, a header or the protocol.
///
/// The emulator checks only a token's end, not its signature: anybody can write a token.
enum RealtimeToken {
    /// The caller of a REST request.
    ///
    /// `auth` holds a user's token or the owner's. `access_token` or `Authorization: Bearer` with
    /// any value makes the caller an admin. An admin may act for a user by
    /// `auth_variable_override`.
    ///
    /// - Throws: `unauthenticated` for a token that has ended or cannot be read, `invalidArgument`
    ///   for an `auth_variable_override` that is no JSON.
    static func caller(
        _ target: HTTPTarget, _ headers: HTTPHeaders, at now: Timestamp
    ) throws(HearthError) -> RealtimeCaller {
        var caller = RealtimeCaller.nobody
        if let token = target.parameter("auth") {
            caller = try self.caller(token, at: now)
        } else if target.parameter("access_token") != nil || isBearer(headers) {
            caller = .admin
        }
        guard let text = target.parameter("auth_variable_override") else { return caller }
        guard let variable = try? JSONReader.read(Array(text.utf8)) else {
            throw .argument("auth_variable_override is no JSON")
        }
        return caller.overridden(by: variable)
    }

    /// The caller that a token names: the owner, as an admin, or a user.
    ///
    /// - Throws: `unauthenticated`.
    static func caller(_ token: String, at now: Timestamp) throws(HearthError) -> RealtimeCaller {
        if utf8Equals(token, Caller.ownerToken) { return .admin }
        guard token.utf8.count <= Caller.tokenByteCountMax, let claims = claims(of: token),
            let auth = RealtimeRuleRequest.auth(claims: claims)
        else {
            throw HearthError(code: .unauthenticated, message: "Could not parse auth token.")
        }
        if let end = claims["exp"]?.integer, end <= now.seconds {
            throw ended
        }
        return .user(auth)
    }

    /// When a user's token ends, in seconds since 1970; `nil` for a token without an end.
    static func end(of token: String) -> Int64? {
        guard token.utf8.count <= Caller.tokenByteCountMax else { return nil }
        return claims(of: token)?["exp"]?.integer
    }

    /// Whether `caller` refused a token because the token's time is over.
    static func isEnded(_ error: HearthError) -> Bool { error == ended }

    private static let ended = HearthError(
        code: .unauthenticated, message: "Auth token is expired")

    private static func claims(of token: String) -> JSONValue? {
        let parts = token.utf8.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let text = String(parts[1]), let bytes = Base64.decode(text),
            let claims = try? JSONReader.read(bytes), claims.members != nil
        else { return nil }
        return claims
    }

    private static func isBearer(_ headers: HTTPHeaders) -> Bool {
        guard let value = headers.first(name: "authorization") else { return false }
        return value.lowercased().hasPrefix("bearer ")
    }
}
