import HearthEngine
import HearthModel
import HearthWire

// The fuzz target compiles this file together with the server's machines, see Scripts/fuzz.
#if canImport(HearthServer)
    import HearthServer
#endif

extension SessionMachine {
    /// The session of root's program on a bench, before its greeting.
    static func benched(_ session: UInt64, with directory: DatabaseDirectory) -> SessionMachine {
        SessionMachine(
            .init(
                session: session, peer: Peer(uid: 0, gid: 0, pid: 1), directory: directory,
                limits: SessionLimits(listenerCountMax: 100, requestCountMax: 1_000),
                daemonVersion: "fuzz"))
    }
}
