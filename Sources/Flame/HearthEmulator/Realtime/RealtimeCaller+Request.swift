import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC
import NIOHTTP1

/// Callers as requests of REST name them.
extension RealtimeCaller {
    /// The caller of a REST request.
    ///
    /// `auth` holds a user's token or the owner's. `access_token` or `Authorization: Bearer` with
    /// any value makes the caller an admin. An admin may act for a user by
    /// `auth_variable_override`.
    ///
    /// - Throws: `unauthenticated` for a token that has ended or cannot be read, `invalidArgument`
    ///   for an `auth_variable_override` that is no JSON.
    init(_ target: HTTPTarget, _ headers: HTTPHeaders, at now: Timestamp) throws(HearthError) {
        var caller = RealtimeCaller.nobody
        if let token = target.parameter("auth") {
            do throws(RealtimeRefusal) {
                caller = try RealtimeToken.caller(token, at: now)
            } catch {
                throw HearthError(code: .unauthenticated, message: error.reason)
            }
        } else if target.parameter("access_token") != nil || Self.isBearer(headers) {
            caller = .admin
        }
        guard let text = target.parameter("auth_variable_override") else {
            self = caller
            return
        }
        guard let variable = try? JSONReader.read(Array(text.utf8)) else {
            throw .argument("auth_variable_override is no JSON")
        }
        self = caller.overridden(by: variable)
    }

    private static func isBearer(_ headers: HTTPHeaders) -> Bool {
        guard let value = headers.first(name: "authorization") else { return false }
        return value.lowercased().hasPrefix("bearer ")
    }
}
