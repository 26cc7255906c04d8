import HearthBackend
import HearthModel
import HearthRPC
import HearthRules
import NIOHTTP1

/// Who asks of the Realtime Database, as an address, a header or the protocol says.
///
/// Nothing is checked but the time: anybody can write down such a token.
enum RealtimeToken {
    /// Who asks by REST.
    ///
    /// `auth` holds the token of a user. `access_token` and `Authorization: Bearer` hold that of a server,
    /// whatever it is. An admin may ask on behalf of somebody by `auth_variable_override`.
    ///
    /// - Throws: `unauthenticated` for a token that has ended or cannot be read.
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

    /// Who a token names: the owner, or a user.
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

    /// Whether a token was refused because its time is over.
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
