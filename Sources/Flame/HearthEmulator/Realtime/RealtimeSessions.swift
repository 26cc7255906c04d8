import HearthBackend
import HearthModel
import Synchronization

/// The sessions of the Realtime Database's protocol, by name.
///
/// After a lost connection, the client's new connection names the old session. The emulator then
/// ends the old session.
final class RealtimeSessions: Sendable {
    private let connections = Mutex<[String: RealtimeConnectionID]>([:])

    /// Names a connection.
    ///
    /// - Returns: A name that nobody can guess.
    func begin(_ id: RealtimeConnectionID) -> String {
        let name = Base64.encodeForLinks((0..<18).map { _ in UInt8.random(in: .min ... .max) })
        connections.withLock { $0[name] = id }
        return name
    }

    /// Ends a client's old session before the client's new session begins.
    ///
    /// The writes that the old session left for its end (`onDisconnect`) come before the new
    /// session's first request. An unknown name belongs to a session that has ended already.
    func end(_ name: String, at host: RealtimeHost) {
        let id = connections.withLock { $0.removeValue(forKey: name) }
        if let id { host.close(id) }
    }

    /// Removes the name of a session that is over.
    func forget(_ name: String) {
        connections.withLock { $0[name] = nil }
    }
}
