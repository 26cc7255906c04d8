import HearthBackend
import HearthModel
import Synchronization

/// The sessions of the Realtime Database's protocol by their names, so that a client that comes back can end
/// the one that it lost.
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

    /// Ends a session that a newer one follows: what it left to be written is written before the newer one
    /// asks for anything. Unknown names are of sessions that have ended.
    func end(_ name: String, at host: RealtimeHost) {
        let id = connections.withLock { $0.removeValue(forKey: name) }
        if let id { host.close(id) }
    }

    /// A session is over.
    func forget(_ name: String) {
        connections.withLock { $0[name] = nil }
    }
}
