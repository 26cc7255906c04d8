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
    /// Whether the daemon has said, on this connection, that the daemon's link to the backend
    /// stands.
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
