import HearthEngine
import HearthModel
import HearthWire

/// The operations that a program asked for, with or without a connection.
///
/// The machine sends an operation when a connection stands, and sends the operation again after a
/// lost connection. The machine only decides; `Client` connects, writes and calls closures.
///
///     offline --opened--> greeting --welcome--> open --lost--> offline
///
/// The machine sends operations in the order in which the program asked. The daemon limits how many
/// answers it owes; the operations beyond the limit wait here. A resent write keeps its old number,
/// so the daemon recognises the write. A listener keeps its view over a lost connection and is told
/// only the changes.
struct ClientMachine: Sendable {
    /// Who we are, and how patient.
    struct Configuration: Sendable {
        /// The client's random number. The daemon recognises resent writes by the number.
        var client: Hello.Client
        /// The program's name.
        var program: String
        /// The database to ask for.
        var database: Hello.Database
        /// How the program expects the daemon to be set up.
        var demands = DaemonDemands()
        /// The path of the daemon's socket; only for messages.
        var socketPath: String
        /// How long a request waits for a connection.
        var connectTimeout: Duration
    }

    /// One thing that a program asked for.
    struct OperationID: Hashable, Comparable, Sendable {
        let rawValue: UInt64

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// What must be done, in this order.
    enum Action: Equatable, Sendable {
        /// A frame goes to the daemon.
        case send(Frame)
        /// A one-time request has its result, and is over.
        case answer(OperationID, Event)
        /// A report of how much of a bundle is loaded.
        case progress(OperationID, Event.BundleProgress)
        /// A listener gets an update.
        case show(OperationID, ViewUpdate)
        /// A listener for sync is called.
        case inSync(OperationID)
        /// A listener to the daemon's state gets the state.
        case report(OperationID, Report)
        /// A listener to the Realtime Database gets news of its view.
        case tell(OperationID, ViewNews)
        /// There is no connection yet for a listener to the Realtime Database that has just begun.
        case waitForConnection(OperationID)
        /// There is no connection any more for a listener that wants to know.
        case interrupt(OperationID)
        /// There is a connection for a listener to the daemon's state, and the state will come.
        case resume(OperationID)
        /// A transaction goes on with another round.
        case run(OperationID, Node, round: Int)
        /// A transaction is over.
        case conclude(OperationID, TransactionStep)
        /// A write is durable.
        case accept(OperationID, BatchID)
        /// A write is committed, and over.
        case commit(OperationID, Event.WriteCommitted)
        /// An operation of any kind ends by an error.
        case fail(OperationID, FirestoreError)
        /// Nobody waits for the rest of an operation; its callback can go.
        case forget(OperationID)
        /// The session has the memory file of so many bytes that came with the frame; `nil` for no
        /// file.
        case share(byteCount: Int?)
        /// The connection is of no use.
        case disconnect
    }

    enum Operation: Sendable {
        case read(Request, begun: Event.Snapshot?)
        case listen(HearthModel.Query, ListenOptions, ListenerView)
        case sync
        case status(StatusScope)
        case write(PendingWrite)
        case observe(ListenTarget, ListenerKind)
        case transaction(PendingTransaction)
    }

    /// What a write changes.
    enum WriteContent: Sendable {
        case mutations([Mutation], WriteConditions = WriteConditions())
        case change(RealtimeChange)
    }

    struct PendingTransaction: Sendable {
        /// A round that the program is asked for.
        struct OpenRound: Sendable {
            /// The program's number for the round; no other round has the same, not even of another
            /// daemon.
            let number: Int
            /// The daemon's number for it. Another daemon counts anew.
            let round: Int
        }

        let path: RealtimePath
        let showsEstimate: Bool
        /// The round that the program was asked for last and has not answered; `nil` if it has
        /// answered.
        var openRound: OpenRound?
        /// Whether the program has answered on this connection; the backend may then have the
        /// answer.
        var hasProposed = false
    }

    struct PendingWrite: Sendable {
        let sequence: UInt64
        let content: WriteContent
        /// Whether anybody waits for the backend's answer.
        var isAwaited: Bool
        var accepted: BatchID?
        /// The number of the stores that the write was sent to first, 0 if the daemon did not tell it;
        /// `nil` if the write was not sent on any connection.
        var sentTo: UInt64?
    }

    struct Entry {
        var operation: Operation
        /// The operation's number on this connection; `nil` if the operation was not sent on this
        /// connection.
        var number: UInt64?
        /// When the operation began to wait for a connection.
        var waitingSince: Duration?
        /// Whether the operation was sent and counts in `owedCount`.
        var isOwed = false
        /// Whether the operation may change documents and was not accepted, and counts in
        /// `changeCount`.
        var isChange = false
        /// The parts that have come of a bundle that the daemon builds.
        var bundle: [UInt8] = []
        /// The parts that have come of a list.
        var list: Event?
        /// The parts that have come of an event with nodes; `nil` between events.
        var nodes: EncodedNodes?
    }

    enum State: Sendable {
        case offline
        case greeting
        case open
    }

    private(set) var configuration: Configuration
    var state = State.offline
    /// The number of the daemon's stores, as the last `Welcome` told.
    var storeGeneration: UInt64 = 0
    /// The session's database, once known.
    var engine: EngineKey?
    /// Reads and writes this session's frames.
    var codec = WireCodec()
    var entries: [OperationID: Entry] = [:]
    var numbers: [UInt64: OperationID] = [:]
    /// The listeners by their queries.
    var listeners: [HearthModel.Query: [OperationID]] = [:]
    var lastNumber: UInt64 = 0
    var lastOperation: UInt64 = 0
    /// The number of the last round of any transaction.
    var lastRound = 0
    var lastSequence: UInt64 = 0
    var openSequences: Set<UInt64> = []
    var answeredBelow: UInt64 = 1
    /// The operations that are still to be sent on this connection, in order.
    var backlog: ArraySlice<OperationID> = []
    /// How many answers the daemon owes to this client now; `owedCountMax` is the most that the
    /// daemon allows.
    var owedCount = 0
    var owedCountMax = 1
    /// Operations that may change documents and that the daemon has not accepted. While there are
    /// any, only the daemon knows what the program should read.
    var changeCount = 0
    /// How often the program has asked the daemon for one document from the cache, or for a query that
    /// it listens to.
    var cachedGetCount = 0
    /// The number under which the session asked for the memory file; `nil` if it has not asked.
    var sharingNumber: UInt64?
    /// The newest batch among this client's accepted writes.
    var lastBatch = BatchID.none
    /// Whether the daemon still answers, for the listeners to its state.
    var pulse = DaemonPulse()
    /// Whether the program wants the daemon to leave the network alone. The client tells every new
    /// session.
    var refusesNetwork = false
    /// What the daemon is to do when the program is gone. The client tells every new session.
    var standingOrders = StandingOrders()
    /// The listeners of the library itself, by their places below `.info`.
    var followed: [RealtimePath: OperationID] = [:]
    /// The known lead of the backend's clock over this machine's, in milliseconds.
    var serverTimeOffset: Int64 = 0
    /// Whether the daemon said on this connection that its link to the backend stands.
    var isLinked = false

    /// A machine without a connection and without operations.
    init(_ configuration: Configuration) {
        self.configuration = configuration
        engine = configuration.database.engine
    }

    /// Takes another configuration, before anything was asked for.
    mutating func configure(_ configuration: Configuration) {
        precondition(state == .offline && entries.isEmpty, "Configured while in use")
        self.configuration = configuration
        engine = configuration.database.engine
    }

    /// Whether a connection is needed.
    var wantsConnection: Bool { !entries.isEmpty || !standingOrders.isEmpty }

    /// Whether the daemon has welcomed us.
    var isOpen: Bool { state == .open }

    /// When `timePassed` must be called at the latest; `nil` if never.
    var nextDeadline: Duration? {
        guard state != .open else { return pulse.deadline(hasUnaccepted: changeCount > 0) }
        return entries.values.compactMap(deadline).min()
    }

    // MARK: What the program asks

    /// Makes a name for an operation that is about to begin.
    mutating func nextOperation() -> OperationID {
        lastOperation += 1
        return OperationID(rawValue: lastOperation)
    }

    /// A one-time request begins.
    mutating func begin(_ id: OperationID, _ request: Request, at now: Duration) -> [Action] {
        switch request {
        case .firestore(.voteNetwork(let isEnabled)): refusesNetwork = !isEnabled
        case .realtime(.withhold(let isWithheld)):
            return withhold(isWithheld) + begin(id, .read(request, begun: nil), at: now)
        case .realtime(.onDisconnect(.write, let scope)) where scope != .program:
            return followLink(at: now) + begin(id, .read(request, begun: nil), at: now)
        case .firestore(.get(let query, .cache))
        where query.documentKey != nil || listeners[query] != nil:
            cachedGetCount += 1
            return begin(id, .read(request, begun: nil), at: now) + askForSharedReads()
        default: break
        }
        return begin(id, .read(request, begun: nil), at: now)
    }

    /// A write begins.
    ///
    /// - Parameter isAwaited: Whether anybody waits for the backend's answer. `release` ends the
    ///   wait.
    mutating func write(
        _ id: OperationID, _ content: WriteContent, isAwaited: Bool, at now: Duration
    ) -> [Action] {
        lastSequence += 1
        openSequences.insert(lastSequence)
        let write = PendingWrite(
            sequence: lastSequence, content: content, isAwaited: isAwaited)
        return begin(id, .write(write), at: now)
    }

    /// The client's number for a write that has no last answer; `nil` for any other operation.
    func sequence(of id: OperationID) -> UInt64? {
        guard case .write(let write)? = entries[id]?.operation else { return nil }
        return write.sequence
    }

    /// Nobody waits any more for the backend's answer to a write. The write still goes to the
    /// daemon.
    mutating func release(_ id: OperationID) -> [Action] {
        guard case .write(var write)? = entries[id]?.operation else {
            return []  // Settled before.
        }
        if write.accepted != nil {
            remove(id)
            return [.forget(id)] + sendBacklog()
        }
        write.isAwaited = false
        entries[id]?.operation = .write(write)
        return []
    }

    /// A listener ends, or nobody waits any more for a one-time request.
    mutating func end(_ id: OperationID) -> [Action] {
        guard let entry = entries[id] else { return [] }  // It ended before.
        // The daemon may carry the order out, so the answer to it must still be noted.
        if entry.number != nil, entry.operation.isOrder { return [.forget(id)] }
        remove(id)
        guard state == .open, let number = entry.number else { return [.forget(id)] }
        let request: Request
        switch entry.operation {
        case .listen, .observe, .status: request = .session(.unlisten)
        case .sync: request = .firestore(.unlistenToSync)
        case .read, .write, .transaction: return [.forget(id)] + sendBacklog()
        }
        guard let frame = try? codec.frame(of: request, number: number) else {
            preconditionFailure("An empty request could not be encoded")
        }
        return [.send(frame), .forget(id)]
    }

    /// The program terminates its `Firestore`: all operations fail, and the connection ends.
    mutating func shutDown() -> [Action] {
        failAll(FirestoreError(.cancelled, "This Firestore has been terminated.")) + [.disconnect]
    }

    // MARK: What the connection says

    /// A connection stands; the client greets.
    mutating func opened() -> [Action] {
        precondition(state == .offline, "A second connection was opened")
        state = .greeting
        codec = WireCodec()
        let hello = Hello(
            client: configuration.client, program: configuration.program,
            database: engine.map(Hello.Database.init) ?? configuration.database,
            answeredBelow: answeredBelow)
        guard let frame = try? codec.frame(of: .session(.hello(hello)), number: nextNumber()) else {
            preconditionFailure("A greeting could not be encoded")
        }
        return [.send(frame)]
    }

    /// The connection is gone, or could not be made.
    @discardableResult
    mutating func lost(at now: Duration) -> [Action] {
        var actions = endInDoubt()
        state = .offline
        numbers = [:]
        backlog = []
        owedCount = 0
        sharingNumber = nil
        isLinked = false
        for id in entries.keys {
            entries[id]?.number = nil
            entries[id]?.isOwed = false
            entries[id]?.nodes = nil
            if entries[id]?.waitingSince == nil { entries[id]?.waitingSince = now }
            if case .listen(let query, let options, var view)? = entries[id]?.operation {
                view.sessionEnded()
                entries[id]?.operation = .listen(query, options, view)
            }
        }
        actions += (observers + statusListeners).sorted().map { .interrupt($0) }
        return actions
    }

    /// Ends the operations that were sent and must not be sent twice: nobody can find out whether
    /// the daemon carried them out.
    private mutating func endInDoubt() -> [Action] {
        let sent = entries.filter { entry in
            switch entry.value.operation {
            case .read(let request, _):
                return !request.traits.isRepeatable && entry.value.number != nil
            case .transaction(let transaction): return transaction.hasProposed
            case .listen, .sync, .status, .write, .observe: return false
            }
        }
        return sent.keys.sorted().map { id in
            remove(id)
            return .fail(
                id,
                FirestoreError(
                    .unavailable,
                    "The connection to the daemon was lost before it answered. "
                        + "Nobody knows whether it was applied.", mayHaveBeenApplied: true))
        }
    }

    /// Time has passed.
    ///
    /// - Parameter reason: Why there is no connection, if there is none.
    mutating func timePassed(now: Duration, reason: String) -> [Action] {
        guard state != .open else { return feelPulse(at: now) }
        let due = entries.filter { deadline($0.value).map { $0 <= now } ?? false }.keys.sorted()
        return due.map { id in
            var mayHaveBeenApplied = false
            if case .write(let write)? = entries[id]?.operation {
                mayHaveBeenApplied = write.sentTo != nil
            }
            remove(id)
            let fate =
                mayHaveBeenApplied ? " The write was sent before; it may have been accepted." : ""
            return .fail(
                id,
                FirestoreError(
                    .unavailable,
                    "No Hearth daemon answers at \(configuration.socketPath): \(reason).\(fate)",
                    mayHaveBeenApplied: mayHaveBeenApplied))
        }
    }
}
