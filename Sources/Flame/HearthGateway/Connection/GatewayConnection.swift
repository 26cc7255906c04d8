import HearthEngine
import HearthModel
import HearthProtocol
import HearthRPC
import HearthServer
import HearthWire
import Logging
import NIOCore

/// One connection of a local client: knows the peer, finds the session of each database, and hands
/// each call on.
///
/// A connection that may come in enters the registry at accept, and counts there as a single
/// client. Its first session takes that place over; each further database that the client names is
/// a session more. For one event loop.
final class GatewayConnection: SessionEnd {
    /// What all connections share.
    let gateway: Gateway
    /// Who is at the other end, as the kernel says.
    let peer: Peer
    /// Where the client connected.
    let listener: GatewayListener
    /// The loop on which everything of the connection happens.
    let eventLoop: any EventLoop
    /// The way to end the connection: a registry with this connection alone.
    let calls = ConnectionRegistry()
    /// Decides when the connection is read.
    weak var pacer: GatewayPacer?
    /// Bytes that have come, and bytes that were handed to the socket.
    var carried: (received: Int, sent: Int) = (0, 0)
    /// Whether the connection is reading requests; their inputs gather until the read ends.
    var isInRead = false

    /// What is held for the client before a session counts it.
    var memory = ConnectionMemory()
    /// Why calls are refused; the connection ends soon.
    private(set) var refusal: HearthError?

    private let channel: any Channel
    private let id: UInt64
    private var sessions: [DatabaseID: GatewaySession] = [:]
    /// The session that took the connection's place in the registry over.
    private var firstSession: GatewaySession?
    /// Whether the rules allow the client nothing, or nothing in the database that it asked for last.
    private var isWithoutRights = false
    private var isEntered = false
    /// Whether the connection may not come in, and counts among those that hear why.
    private var isRefused = false
    private var isEnding = false
    private var isClosed = false
    private var isSubmitDue = false
    /// What begins at the end of the read or task that goes on now.
    private var beginnings: [() -> Void] = []

    /// A connection that was just accepted.
    init(
        _ gateway: Gateway, of peer: Peer, by listener: GatewayListener, on channel: any Channel
    ) {
        self.gateway = gateway
        self.peer = peer
        self.listener = listener
        self.channel = channel
        eventLoop = channel.eventLoop
        settings = gateway.parts.settings.values
        id = gateway.parts.registry.nextID()
    }

    /// The daemon's parts.
    var parts: SessionParts { gateway.parts }

    /// The settings that count now.
    private(set) var settings: LiveSettings.Values

    // MARK: Beginning and end

    /// Enters the registry, or begins to end because the client may not come in.
    func enter() {
        isWithoutRights = admission.isGuest(peer)
        if let refusal = admissionRefusal { return refuse(refusal) }
        isEntered = parts.registry.add(
            id, NIOLoopBound<any SessionEnd>(self, eventLoop: eventLoop), on: eventLoop, peer,
            isGuest: isWithoutRights)
        settings = parts.settings.values  // Nobody told of a change in between.
        if !isEntered { return end(.shuttingDown) }
        _ = parts.registry.counted(
            id, SessionTally(heldByteCount: ClientMemory.clientByteCount),
            within: settings.limits.memory)
    }

    /// Refuses the calls that come, for a moment: a client that was sent away before it has called
    /// would not hear why, and connect again.
    ///
    /// The connection takes nobody's place, and a user has few of them.
    private func refuse(_ error: HearthError) {
        refusal = error
        isRefused = gateway.refusedConnections.enter(
            peer.payer, countMax: GatewayLimits.refusedCountMax)
        guard isRefused else {
            let channel = channel
            return eventLoop.execute { channel.close(promise: nil) }
        }
        parts.logger.debug(
            "client refused",
            metadata: ["session": "\(id)", "uid": "\(peer.uid)", "reason": "\(error.message)"])
        schedule(in: GatewayLimits.refusalTime) { $0.end(error) }
    }

    private var admission: Admission {
        Admission(settings.limits, settings.access, isControl: false)
    }

    private var admissionRefusal: HearthError? {
        if !settings.gateway.isEnabled { return .switchedOff }
        return admission.refusal(
            of: peer, besides: parts.registry.total,
            user: parts.registry.figures(ofUser: peer.payer))
    }

    /// The client is gone: nothing is kept for it but its writes.
    func closed() {
        guard !isClosed else { return }
        isClosed = true
        // A failed read has no end. A call that outlives its client begins all the same.
        isInRead = false
        begin()
        for session in sessions.values { session.leave() }
        sessions = [:]
        firstSession = nil
        if isRefused { gateway.refusedConnections.leave(peer.payer) }
        if isEntered { parts.registry.remove(id) }
    }

    func end(_ error: HearthError) {
        guard !isEnding, !isClosed else { return }
        isEnding = true
        refusal = error
        for session in sessions.values { session.over(error) }
        // What is owed has been answered; those answers leave before the connection closes.
        let channel = channel
        calls.stopAll { channel.close(promise: nil) }  // At once, if it has not shown its protocol.
        schedule(in: GatewayLimits.farewellTimeMax) { $0.channel.close(promise: nil) }
    }

    func evict(_ error: HearthError) {
        parts.registry.noteEvicted(id, error)
        end(error)
    }

    private func schedule(
        in delay: TimeAmount, _ body: @escaping (GatewayConnection) -> Void
    ) {
        let connection = self
        _ = eventLoop.assumeIsolated().scheduleTask(in: delay) { body(connection) }
    }

    /// Takes other settings; each session tells the connection of them, too.
    func reconfigure(_ values: LiveSettings.Values) {
        settings = values
        isWithoutRights = admission.isGuest(peer)
    }

    // MARK: Calls

    /// Begins a call.
    ///
    /// - Throws: If the connection is ending, or the call names a mode that there is not.
    func open(
        _ method: FirestoreMethod, _ head: CallHead, answering sender: any CallSender
    ) throws(HearthError) -> any BidirectionalCall {
        if let refusal { throw refusal }
        let mode = try GatewayMode(settings.gateway, by: listener).asked(by: head)
        if method == .write { return WriteStreamCall(head, mode, of: self, answering: sender) }
        if method == .listen { return ListenCall(head, mode, of: self, answering: sender) }
        return OneRequestCall(method, head, mode, of: self, answering: sender)
    }

    /// The session of the database that a request names. The first request for a database makes the
    /// session.
    ///
    /// - Parameter head: The call, whose headers tell operators the client's own name.
    /// - Throws: If there is no such database here, or the peer may do nothing in it.
    func session(in database: DatabaseID, for head: CallHead) throws(HearthError) -> GatewaySession
    {
        if let refusal { throw refusal }
        let session =
            if let open = sessions[database] { open } else {
                try makeSession(in: database, for: head)
            }
        try session.refuseCircle(head)
        return session
    }

    private func makeSession(
        in database: DatabaseID, for head: CallHead
    ) throws(HearthError) -> GatewaySession {
        let key = try engineKey(of: database)
        let settings = settings
        let grant = AccessGrant(settings.access, to: peer, in: key)
        guard grant.holdsAnything else {
            isWithoutRights = true
            throw .noRights(in: key, of: peer.uid)
        }
        if !sessions.isEmpty, let refusal = admissionRefusal { throw refusal }
        guard case .firestore(let service) = try parts.engines.attach(to: key, for: peer) else {
            preconditionFailure("\(key) has another kind of engine")
        }
        let session = GatewaySession(
            sessions.isEmpty ? id : parts.registry.nextID(), in: database, service: service,
            of: self, program: ProgramName.read(head))
        session.reconfigure(settings)
        enter(session, key, program: ProgramName.read(head))
        sessions[database] = session
        if session.id == id {
            firstSession = session
            session.hold(memory.counted)
        }
        return session
    }

    private func enter(_ session: GatewaySession, _ key: EngineKey, program: String?) {
        let bound = NIOLoopBound<any SessionEnd>(session, eventLoop: eventLoop)
        if session.id != id {
            _ = parts.registry.add(
                session.id, bound, on: eventLoop, peer, isGuest: admission.isGuest(peer))
        }
        parts.registry.opened(session.id, key, program: program, by: bound)
    }

    /// The engine of a database, if the daemon serves the database.
    private func engineKey(of database: DatabaseID) throws(HearthError) -> EngineKey {
        if let refusal = wrongProject(of: database) { throw refusal.error }
        return try parts.directory.key(of: .firestore(.exactly(database)))
    }

    /// Why a database of another project is not served; `nil` for a database that may be.
    ///
    /// A project that nobody configured or opened is a slip, which would cost an engine, a file and
    /// a connection.
    func wrongProject(of database: DatabaseID) -> GatewayError? {
        guard let standard = parts.directory.database,
            !utf8Equals(standard.project, database.project),
            parts.engines.engine(of: .firestore(database)) == nil
        else { return nil }
        return GatewayError(
            .wrongProject(database.project, not: standard.project), because: .wrongProject)
    }

    // MARK: What is held

    /// Counts what is held for the client's user, if it has changed by much.
    func countMemory() {
        guard isEntered, !isClosed, let change = memory.takeChange() else { return }
        if let firstSession { return firstSession.hold(change) }
        let tally = SessionTally(
            heldByteCount: ClientMemory.clientByteCount + memory.counted)
        if let error = parts.registry.counted(id, tally, within: settings.limits.memory) {
            evict(error)
        }
    }

    // MARK: Pace

    /// Whether more may be read of the client.
    var mayRead: Bool { sessions.values.allSatisfy { $0.mayRead } }

    /// The client's requests of one read have come.
    func readEnded() {
        isInRead = false
        submit()
    }

    /// Hands what a session gathered to its engine, at the end of the read or task that goes on now.
    func submitSoon() {
        guard !isInRead, !isSubmitDue else { return }
        isSubmitDue = true
        eventLoop.assumeIsolated().execute { [self] in
            isSubmitDue = false
            submit()
        }
    }

    /// Begins something at the end of the present read or task. If one read brings both a call and
    /// the call's cancellation, the call therefore asks nobody.
    func beginSoon(_ body: @escaping () -> Void) {
        beginnings.append(body)
        submitSoon()
    }

    private func submit() {
        begin()
        for session in sessions.values { session.submit() }
    }

    private func begin() {
        let bodies = beginnings
        beginnings = []
        for body in bodies { body() }
    }

    /// Notes what the client's user has taken of the loop's time.
    ///
    /// - Returns: How long the client should be left alone.
    func charge(since began: LoopMoment) -> TimeAmount {
        parts.shares.charge(
            since: began, to: peer.payer, hasRights: mayHoldRights, on: eventLoop)
    }

    /// Whether the client may do anything here, as far as the connection knows. Only who has a right in a
    /// database has a session.
    var mayHoldRights: Bool { !sessions.isEmpty || !isWithoutRights }

    /// How long the client should be left alone for what its user has taken before.
    var owedPause: TimeAmount { parts.shares.charge(.zero, to: peer.payer, on: eventLoop) }

    // MARK: A connection whose client has named no database

    func deliver(_ deliveries: Deliveries) {}  // A race: the first session had just taken over.
    func resumeReading() {}
    var listenedTo: [ListenerText] { [] }

    var traffic: Inspection.Traffic {
        var traffic = Inspection.Traffic()
        (traffic.receivedByteCount, traffic.sentByteCount) = carried
        return traffic
    }

    /// The part of a session: of several sessions of the connection the first has all bytes.
    func traffic(of session: GatewaySession) -> Inspection.Traffic {
        var part = session === firstSession ? traffic : Inspection.Traffic()
        part.writeCount = session.writeCount
        return part
    }
}

extension HearthError {
    fileprivate static let switchedOff = HearthError(
        code: .failedPrecondition,
        message: "This daemon serves no official clients. Set gateway.isEnabled in hearthd.toml, "
            + "or unset FIRESTORE_EMULATOR_HOST to reach the backend without the daemon.")

    fileprivate static func wrongProject(_ wrong: String, not right: String) -> HearthError {
        HearthError(
            code: .failedPrecondition,
            message: "This daemon serves the project \"\(right)\", and the client named "
                + "\"\(wrong)\". Give the client the project \"\(right)\", or set database.project "
                + "in hearthd.toml.")
    }
}
