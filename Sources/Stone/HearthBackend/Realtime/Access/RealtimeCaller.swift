package import HearthModel

/// Who asks of a Realtime Database.
package enum RealtimeCaller: Hashable, Sendable {
    /// A server, or whoever presents itself as the owner: rules do not apply.
    case admin
    /// A user, or whoever an admin asks on behalf of: rules see this value as `auth`.
    case user(JSONValue)
    /// Somebody without a token: rules see `auth == null`.
    case nobody

    /// What rules see as `auth`.
    package var auth: JSONValue {
        if case .user(let value) = self { return value }
        return .null
    }

    /// Whoever an admin asks on behalf of, by the `auth_variable_override` of REST and the
    /// `authvar` of the protocol. Nobody else may override anything, so for them nothing changes.
    package func overridden(by variable: JSONValue) -> RealtimeCaller {
        guard self == .admin else { return self }
        return variable == .null ? .nobody : .user(variable)
    }
}
