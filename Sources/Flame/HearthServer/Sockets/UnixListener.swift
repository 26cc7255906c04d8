import CLinux
import HearthModel
import HearthWire
import NIOCore

/// Accepts clients at one place.
protocol SocketListener: Sendable {
    /// Accepts nobody any more. Sessions go on.
    func stop() async
}

/// Accepts clients on one listening socket and gives each a session.
struct UnixListener: SocketListener {
    /// What each session is made of.
    struct Sessions: Sendable {
        var directory: DatabaseDirectory
        var settings: LiveSettings
        var daemonVersion: String
        var setups: DaemonSetups
        var services: SessionHandler.Services
        /// The number of the daemon's stores; 0 if there is none.
        var storeGeneration: UInt64 = 0
        /// Whether administrators always get in here.
        var isControl = false
    }

    private let thread: AcceptThread
    private let file: SocketFile?

    /// Listens on a bound socket.
    ///
    /// - Parameters:
    ///   - descriptor: The socket, which the listener closes at its end.
    ///   - file: The socket's file, to be removed at the end; `nil` if it is not ours.
    ///   - entrance: Where clients come in.
    ///   - tell: Called when nobody can be accepted, and when clients are accepted again.
    /// - Throws: `unavailable` if nobody can listen on the socket.
    init(
        descriptor: Int32, file: SocketFile?, entrance: Entrance, tell: @escaping AcceptThread.Tell
    ) throws(HearthError) {
        self.file = file
        thread = try AcceptThread(descriptor, tell: tell) { socket in
            guard let credentials = socket.credentials else { return .turnedAway }
            let payer = SubordinateUsers.ofMachine.owner(of: credentials.uid)
            let peer = { @Sendable [descriptor = socket.descriptor] in
                PeerCredentials.peer(at: descriptor, with: credentials, paidBy: payer)
            }
            return entrance.bring(
                socket, paidBy: payer, isAdministrator: { entrance.administers(peer()) }
            ) { socket, loop in
                entrance.serve(socket, paidBy: payer, on: loop, peer: peer)
            }
        }
    }

    func stop() async {
        file?.remove()
        await thread.stop()
    }

    /// Gives a client a session that speaks in frames.
    static func admit(_ child: any Channel, _ peer: Peer, _ sessions: Sessions) throws {
        let registry = sessions.services.registry
        let id = registry.nextID()
        let values = sessions.settings.values
        var configuration = SessionMachine.Configuration(
            session: id, peer: peer, directory: sessions.directory,
            limits: values.limits, daemonVersion: sessions.daemonVersion,
            setups: sessions.setups)
        configuration.access = values.access
        configuration.storeGeneration = sessions.storeGeneration
        let handler = SessionHandler(configuration, services: sessions.services)
        let bound = NIOLoopBound<any SessionEnd>(handler, eventLoop: child.eventLoop)
        let door = Admission(values.limits, values.access, isControl: sessions.isControl)
        let refusal = door.refusal(
            of: peer, besides: registry.total, user: registry.figures(ofUser: peer.payer))
        try child.pipeline.syncOperations.addHandler(handler)
        guard registry.add(id, bound, on: child.eventLoop, peer, isGuest: door.isGuest(peer)) else {
            return child.eventLoop.execute { bound.value.end(.shuttingDown) }
        }
        if let refusal { child.eventLoop.execute { bound.value.end(refusal) } }
    }
}
