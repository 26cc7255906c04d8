package import HearthModel

/// A Firebase user who shows an emulator unsigned tokens.
///
/// Emulators believe unsigned tokens, so the security rules see this user.
///
/// - Source: Google's emulator takes `alg` `none` with an empty signature.
package struct EmulatorUser: Credentials {
    private let user: UserID
    private let project: String
    private let clock: any RemoteClock

    /// Makes credentials that show a user of a project, without a signature, as emulators take
    /// them.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - project: The project, which the token names.
    ///   - clock: Gives the times in the token.
    package init(_ user: UserID, project: String, clock: any RemoteClock = SystemRemoteClock()) {
        self.user = user
        self.project = project
        self.clock = clock
    }

    package func headers(as wanted: UserID?) async throws(HearthError) -> [Header] {
        if let wanted, wanted != user { throw .otherUser(wanted) }
        let now = clock.now().seconds
        return [
            .bearer(
                JSONWebToken.unsigned([
                    .init(name: "sub", value: .string(user.rawValue)),
                    .init(name: "user_id", value: .string(user.rawValue)),
                    .init(name: "aud", value: .string(project)),
                    .init(
                        name: "iss", value: .string("https://securetoken.google.com/\(project)")),
                    .init(name: "iat", value: .integer(now)),
                    .init(name: "auth_time", value: .integer(now)),
                    .init(name: "exp", value: .integer(now + 3_600)),
                ]))
        ]
    }

    package func refused(_ headers: [Header]) async {}

    package func believed(_ headers: [Header]) async {}
}

extension HearthError {
    /// A call on behalf of somebody who is not signed in: the engine is about to hear of the change.
    static func otherUser(_ wanted: UserID) -> HearthError {
        HearthError(
            code: .unavailable,
            message: "The Firebase user \(wanted) is not the one who is signed in.")
    }
}
