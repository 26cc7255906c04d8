import HearthBackend
import HearthModel
import Synchronization

/// The sessions of the Realtime Database's protocol, by name.
///
/// After a lost connection, the client's new connection names the old session. The emulator then
/// ends the old session.
final class RealtimeSessions: Sendable {
    private struct Session {
        let id: RealtimeConnectionID
        let namespace: RealtimeNamespace
        let outbox: RealtimeOutbox
    }

    private let sessions = Mutex<[String: Session]>([:])

    /// Names a connection.
    ///
    /// - Returns: A name that nobody can guess.
    func begin(
        _ id: RealtimeConnectionID, of namespace: RealtimeNamespace, _ outbox: RealtimeOutbox
    ) -> String {
        let name = Base64.encodeForLinks((0..<18).map { _ in UInt8.random(in: .min ... .max) })
        let session = Session(id: id, namespace: namespace, outbox: outbox)
        sessions.withLock { $0[name] = session }
        return name
    }

    /// Ends a client's old session before the client's new session begins.
    ///
    /// The writes that the old session left for its end (`onDisconnect`) come before the new
    /// session's first request, and the old session's socket is closed. An unknown name belongs to a
    /// session that has ended already; a session of another tree goes on.
    func end(_ name: String, of namespace: RealtimeNamespace, at host: RealtimeHost) {
        let session = sessions.withLock { sessions -> Session? in
            guard sessions[name]?.namespace == namespace else { return nil }
            return sessions.removeValue(forKey: name)
        }
        guard let session else { return }
        host.close(session.id)
        session.outbox.put(.lost(Self.superseded))
    }

    private static let superseded = HearthError(
        code: .aborted, message: "The client has a newer session.")

    /// Removes the name of a session that is over.
    func forget(_ name: String) {
        sessions.withLock { $0[name] = nil }
    }
}
