import CLinux
import Glibc
package import HearthModel

/// Keeps a session on disk, for nobody's eyes but ours.
package struct FirebaseSessionFile: Sendable {
    private let path: String
    /// Names the configuration of the session.
    ///
    /// A session counts only in the configuration in which the session began.
    private let origin: String

    /// A session's file.
    ///
    /// - Parameter origin: Names the configuration that the session belongs to; without secrets.
    package init(path: String, origin: String) {
        self.path = path
        self.origin = origin
    }

    /// The kept session; `nil` if the file holds no session of this configuration, or is no plain
    /// file of ours.
    package func read() -> FirebaseSession? {
        guard clinux_flaw_of(path) == nil, let bytes = try? KeyFile.read(path),
            let json = try? JSONReader.read(bytes), json["origin"]?.string == origin,
            let user = json["user"]?.string
        else { return nil }
        let token = json["refreshToken"]?.string
        guard (token == nil) == user.isEmpty else { return nil }
        return FirebaseSession(user: UserID(user), refreshToken: token.map { Secret($0) })
    }

    /// Keeps a session: once this returns, a power cut does not undo it.
    ///
    /// - Throws: `unavailable` if the file cannot be written.
    package func write(_ session: FirebaseSession) throws(HearthError) {
        var members: [JSONValue.Member] = [
            .init(name: "origin", value: .string(origin)),
            .init(name: "user", value: .string(session.user.rawValue)),
        ]
        if let token = session.refreshToken {
            members.append(.init(name: "refreshToken", value: .string(token.revealed)))
        }
        let folder = path.utf8LastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let bytes = JSONWriter.bytes(of: .object(members))
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST,
            clinux_replace_file(path, bytes, bytes.count, 0o600) == 0
        else {
            throw HearthError(
                code: .unavailable,
                message: "The sign-in cannot be kept in \(path): "
                    + "\(String(cString: strerror(errno))). Make room, or let hearthd write there.")
        }
    }
}
