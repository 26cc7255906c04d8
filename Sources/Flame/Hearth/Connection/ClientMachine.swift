import HearthModel
import HearthWire

/// What a program asked for, whether or not there is a connection: it is sent when there is one,
/// and sent again after one was lost. Decides; `Client` connects, writes and calls back.
///
///     offline --opened--> greeting --welcome--> open --lost--> offline
///
/// Everything is sent in the order in which the program asked, and never more than the daemon is
/// willing to owe answers for; the rest waits here. A resent write bears its old number, by which
/// the daemon knows it; a listener keeps its view and is told only what changed.
struct ClientMachine: Sendable {
    /// Who we are, and how patient.
    struct Configuration: Sendable {
        /// By which resent writes are known.
        var client: Hello.Client
        /// Our program's name.
        var program: String
        /// The database we want; `nil` for one of the daemon's default project.
        var database: DatabaseID?
        /// Without `database`, its name; `nil` for the default one.
        var databaseName: String?
        /// What we count on.
        var demands = DaemonDemands()
        /// Where the daemon should be; only for messages.
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
        /// A bundle's loading has come so far.
        case progress(OperationID, Event.BundleProgress)
        /// A listener is told.
        case show(OperationID, ViewUpdate)
        /// A listener for sync is told.
        case inSync(OperationID)
        /// A write is durable.
        case accept(OperationID, BatchID)
        /// A write is committed, and over.
        case commit(OperationID, Event.WriteCommitted)
        /// Anything is over, by an error.
        case fail(OperationID, FirestoreError)
        /// Nobody waits for the rest of an operation; its callback can go.
        case forget(OperationID)
        /// The connection is of no use.
        case disconnect
    }

    enum Operation: Sendable {
        case read(Request, begun: Event.Snapshot?)
        case listen(HearthModel.Query, ListenOptions, ListenerView)
        case sync
        case write(PendingWrite)
    }

    struct PendingWrite: Sendable {
        let sequence: UInt64
        let mutations: [Mutation]
        /// Whether anybody wants to know what the backend says.
        var isAwaited: Bool
        var accepted: BatchID?
        /// Whether any connection was given it.
        var wasSent = false
    }

    struct Entry {
        var operation: Operation
        /// Its number on this connection; `nil` if it was not sent on it.
        var number: UInt64?
        /// Since when it has had no connection.
        var waitingSince: Duration?
        /// Whether it was sent and the daemon owes an answer, of which it owes only so many.
        var isOwed = false
        /// What has come of a bundle that was built.
        var bundle: [UInt8] = []
    }

    enum State: Sendable {
        case offline
        case greeting
        case open
    }

    private(set) var configuration: Configuration
    var state = State.offline
    /// The session's database, once known.
    var database: DatabaseID?
    /// Reads and writes this session's frames.
    var codec = WireCodec()
    var entries: [OperationID: Entry] = [:]
    var numbers: [UInt64: OperationID] = [:]
    var lastNumber: UInt64 = 0
    var lastOperation: UInt64 = 0
    var lastSequence: UInt64 = 0
    var openSequences: Set<UInt64> = []
    var answeredBelow: UInt64 = 1
    /// What is still to be sent on this connection, in order.
    var backlog: ArraySlice<OperationID> = []
    /// How many answers the daemon owes us, and may owe us at most.
    var owedCount = 0
    var owedCountMax = 1
    /// The last batch that one of our writes became.
    var lastBatch = BatchID.none
    /// Whether the program wants the network to be left alone; every session is told anew.
    var refusesNetwork = false

    /// A machine without a connection, asked for nothing.
    init(_ configuration: Configuration) {
        self.configuration = configuration
        database = configuration.database
    }

    /// Takes another configuration, before anything was asked for.
    mutating func configure(_ configuration: Configuration) {
        precondition(state == .offline && entries.isEmpty, "Configured while in use")
        self.configuration = configuration
        database = configuration.database
    }

    /// Whether a connection is needed.
    var wantsConnection: Bool { !entries.isEmpty }

    /// Whether the daemon has welcomed us.
    var isOpen: Bool { state == .open }

    /// When `timePassed` must be called at the latest; `nil` while there is a connection.
    var nextDeadline: Duration? {
        guard state != .open else { return nil }
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
        if case .firestore(.voteNetwork(let isEnabled)) = request { refusesNetwork = !isEnabled }
        return begin(id, .read(request, begun: nil), at: now)
    }

    /// A listener begins.
    mutating func listen(
        _ id: OperationID, to query: HearthModel.Query, _ options: ListenOptions,
        at now: Duration
    ) -> [Action] {
        let view = ListenerView(
            order: query.order, includeMetadataChanges: options.includeMetadataChanges)
        return begin(id, .listen(query, options, view), at: now)
    }

    /// A listener for sync begins.
    mutating func listenToSync(_ id: OperationID, at now: Duration) -> [Action] {
        begin(id, .sync, at: now)
    }

    /// A write begins.
    ///
    /// - Parameter isAwaited: Whether anybody wants to know what the backend says; until `release`.
    mutating func write(
        _ id: OperationID, _ mutations: [Mutation], isAwaited: Bool, at now: Duration
    ) -> [Action] {
        lastSequence += 1
        openSequences.insert(lastSequence)
        let write = PendingWrite(
            sequence: lastSequence, mutations: mutations, isAwaited: isAwaited)
        return begin(id, .write(write), at: now)
    }

    /// Nobody waits any more for what the backend says of a write. It still goes to the daemon.
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

    /// A listener, or whoever waited for a one-time request, is gone.
    mutating func end(_ id: OperationID) -> [Action] {
        guard let entry = entries[id] else { return [] }  // It ended before.
        remove(id)
        guard state == .open, let number = entry.number else { return [.forget(id)] }
        let request: Request
        switch entry.operation {
        case .listen: request = .session(.unlisten)
        case .sync: request = .firestore(.unlistenToSync)
        case .read, .write: return [.forget(id)] + sendBacklog()
        }
        guard let frame = try? codec.frame(of: request, number: number) else {
            preconditionFailure("An empty request could not be encoded")
        }
        return [.send(frame), .forget(id)]
    }

    /// The program has no more use for anything.
    mutating func shutDown() -> [Action] {
        failAll(FirestoreError(.cancelled, "This Firestore has been terminated.")) + [.disconnect]
    }

    // MARK: What the connection says

    /// A connection stands; we greet.
    mutating func opened() -> [Action] {
        precondition(state == .offline, "A second connection was opened")
        state = .greeting
        codec = WireCodec()
        let hello = Hello(
            client: configuration.client, program: configuration.program,
            database: configuration.database ?? database, databaseName: configuration.databaseName,
            answeredBelow: answeredBelow)
        guard let frame = try? codec.frame(of: .session(.hello(hello)), number: nextNumber()) else {
            preconditionFailure("A greeting could not be encoded")
        }
        return [.send(frame)]
    }

    /// The connection is gone, or could not be made.
    @discardableResult
    mutating func lost(at now: Duration) -> [Action] {
        let actions = endInDoubt()
        state = .offline
        numbers = [:]
        backlog = []
        owedCount = 0
        for id in entries.keys {
            entries[id]?.number = nil
            entries[id]?.isOwed = false
            if entries[id]?.waitingSince == nil { entries[id]?.waitingSince = now }
            if case .listen(let query, let options, var view)? = entries[id]?.operation {
                view.sessionEnded()
                entries[id]?.operation = .listen(query, options, view)
            }
        }
        return actions
    }

    /// Ends what must not be sent twice and was sent: nobody will ever know what became of it.
    private mutating func endInDoubt() -> [Action] {
        let sent = entries.filter { entry in
            switch entry.value.operation {
            case .read(let request, _):
                return !request.traits.isRepeatable && entry.value.number != nil
            case .listen, .sync, .write: return false
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

    /// Time has passed without a connection.
    ///
    /// - Parameter reason: Why there is none.
    mutating func timePassed(now: Duration, reason: String) -> [Action] {
        guard state != .open else { return [] }
        let due = entries.filter { deadline($0.value).map { $0 <= now } ?? false }.keys.sorted()
        return due.map { id in
            var mayHaveBeenApplied = false
            if case .write(let write)? = entries[id]?.operation {
                mayHaveBeenApplied = write.wasSent
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

    /// The daemon said something.
    mutating func received(_ event: Event, number: UInt64) -> [Action] {
        switch event {
        case .welcome(let welcome):
            return welcomed(welcome)
        case .failed(let error) where number == 0 || state == .greeting:
            return refused(error)
        case .done, .failed, .answer, .snapshot, .listenFailed, .writeAccepted, .writeCommitted,
            .writeRejected, .inSync, .report, .queueSteered, .reloaded, .bundleProgress,
            .namedQuery, .documents, .committed, .commitFailed, .numbers, .explanation, .indexes,
            .signIn, .bundle:
            guard let id = numbers[number] else { return [] }  // Ended while this was on the way.
            return received(event, for: id) + sendBacklog()
        }
    }

    /// The daemon said something that cannot be read.
    mutating func receivedUnreadable(_ error: WireError, number: UInt64) -> [Action] {
        if case .unknownKind = error { return [] }  // A newer daemon; kinds may be skipped.
        guard let id = numbers[number] else { return number == 0 ? [.disconnect] : [] }
        remove(id)
        return [
            .fail(id, FirestoreError(.dataLoss, "The daemon's answer cannot be read: \(error)"))
        ] + sendBacklog()
    }
}
