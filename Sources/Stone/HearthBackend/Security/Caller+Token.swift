package import HearthModel

/// Callers as the `authorization` of a request names them.
///
/// Shape: `Bearer owner`, or `Bearer HEADER.CLAIMS.SIGNATURE` where the first two are base64url of
/// JSON. A signature may be empty and is never looked at: anybody can write down such a token.
extension Caller {
    /// The token of the admin.
    package static let ownerToken = "owner"
    /// The longest token that is read, in bytes.
    package static let tokenByteCountMax = 65_536

    /// Reads the metadata `authorization`.
    ///
    /// - Parameter authorization: `nil` if the request has none.
    /// - Throws: `HearthError` with the codes of Google's emulator: `unknown` for another scheme
    ///   than Bearer, `invalidArgument` for a token that cannot be read.
    package init(authorization: String?) throws(HearthError) {
        guard let authorization else {
            self = .nobody
            return
        }
        let parts = authorization.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1)
        guard parts.count == 2, let scheme = parts.first, let token = String(parts[1]),
            scheme.map({ $0 | 0x20 }).elementsEqual("bearer".utf8)
        else {
            throw HearthError(
                code: .unknown,
                message: "The authorization must read \"Bearer owner\" or \"Bearer\" and an "
                    + "unsigned JWT.")
        }
        if utf8Equals(token, Self.ownerToken) {
            self = .admin
            return
        }
        self = .user(try UserClaims(token: token))
    }
}

extension UserClaims {
    /// Reads a JWT, and believes it.
    ///
    /// - Throws: `HearthError` `invalidArgument` that begins with "invalid jwt".
    package init(token: String) throws(HearthError) {
        guard token.utf8.count <= Caller.tokenByteCountMax else {
            throw Self.invalid("it is longer than \(Caller.tokenByteCountMax) bytes")
        }
        let parts = token.utf8.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw Self.invalid("it must have three parts") }
        _ = try Self.object(parts[0], "header")
        guard let members = try Self.object(parts[1], "claims").members else {
            throw Self.invalid("the claims must be an object")
        }
        let claims = MapValue(members.map { ($0.name, Value(claim: $0.value)) })
        guard case .string(let uid)? = claims["sub"] ?? claims["user_id"] else {
            throw Self.invalid("the claim sub must name the user")
        }
        self.init(uid: uid, claims: claims)
    }

    private static func object(
        _ part: Substring.UTF8View, _ name: String
    ) throws(HearthError) -> JSONValue {
        guard let text = String(part), let bytes = Base64.decode(text) else {
            throw invalid("the \(name) must be base64url")
        }
        do {
            let value = try JSONReader.read(bytes)
            guard value.members != nil else { throw invalid("the \(name) must be an object") }
            return value
        } catch let error as HearthError {
            throw error
        } catch {
            throw invalid("the \(name) must be JSON")
        }
    }

    private static func invalid(_ reason: String) -> HearthError {
        HearthError(code: .invalidArgument, message: "invalid jwt: \(reason)")
    }
}

extension Value {
    /// A claim as rules see it.
    package init(claim json: JSONValue) {
        switch json {
        case .null: self = .null
        case .boolean(let flag): self = .boolean(flag)
        case .integer(let number): self = .integer(number)
        case .double(let number): self = .double(number)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map { Value(claim: $0) })
        case .object(let members):
            self = .map(MapValue(members.map { ($0.name, Value(claim: $0.value)) }))
        }
    }
}
