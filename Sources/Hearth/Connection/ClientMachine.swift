import HearthModel
import HearthWire

/// What a program asked for, whether or not there is a connection: it is sent when there is one, and
/// sent again after one was lost. Decides; `Client` connects, writes and calls back.
///
///     offline --opened--> greeting --welcome--> open --lost--> offline
///
/// Everything is sent in the order in which the program asked. A resent write bears its old number,
/// by which the daemon knows it; a listener keeps its view and is told only what changed.
struct ClientMachine: Sendable {
    /// Who we are, and how patient.
    struct Configuration: Sendable {
        /// By which resent writes are known.
        var client: Hello.Client
        /// Our program's name.
        var program: String
        /// The database we want; `nil` for the daemon's default.
        var database: DatabaseID?
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
        case listen(HearthModel.Query, Request.ListenOptions, ListenerView)
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

    private struct Entry {
        var operation: Operation
        /// Its number on this connection; `nil` if it was not sent on it.
        var number: UInt64?
        /// Since when it has had no connection.
        var waitingSince: Duration?
        /// Whether it was made before the database was known.
        let isUnnamed: Bool
    }

    private enum State: Sendable {
        case offline
        case greeting
        case open
    }

    private let configuration: Configuration
    private var state = State.offline
    /// The session's database, once known.
    private(set) var database: DatabaseID?
    /// Reads and writes this session's frames.
    private(set) var codec = WireCodec()
    private var entries: [OperationID: Entry] = [:]
    private var numbers: [UInt64: OperationID] = [:]
    private var lastNumber: UInt64 = 0
    private var lastOperation: UInt64 = 0
    private var lastSequence: UInt64 = 0
    private var openSequences: Set<UInt64> = []
    private var answeredBelow: UInt64 = 1

    /// A machine without a connection, asked for nothing.
    init(_ configuration: Configuration) {
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
        begin(id, .read(request, begun: nil), at: now)
    }

    /// A listener begins.
    mutating func listen(
        _ id: OperationID, to query: HearthModel.Query, _ options: Request.ListenOptions,
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
        guard case .write(var write)? = entries[id]?.operation else { return [] }  // Settled before.
        if write.accepted != nil {
            remove(id)
            return [.forget(id)]
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
        case .listen: request = .unlisten
        case .sync: request = .unlistenToSync
        case .read, .write: return [.forget(id)]
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
            database: configuration.database ?? database, answeredBelow: answeredBelow)
        guard let frame = try? codec.frame(of: .hello(hello), number: nextNumber()) else {
            preconditionFailure("A greeting could not be encoded")
        }
        return [.send(frame)]
    }

    /// The connection is gone, or could not be made.
    mutating func lost(at now: Duration) {
        state = .offline
        numbers = [:]
        for id in entries.keys {
            entries[id]?.number = nil
            if entries[id]?.waitingSince == nil { entries[id]?.waitingSince = now }
            if case .listen(let query, let options, var view)? = entries[id]?.operation {
                view.sessionEnded()
                entries[id]?.operation = .listen(query, options, view)
            }
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
            if case .write(let write)? = entries[id]?.operation { mayHaveBeenApplied = write.wasSent }
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
            .writeRejected, .inSync, .status, .queuePage, .deadLetterPage, .bundleProgress,
            .namedQuery:
            guard let id = numbers[number] else { return [] }  // Ended while this was on the way.
            return received(event, for: id)
        }
    }

    /// The daemon said something that cannot be read.
    mutating func receivedUnreadable(_ error: WireError, number: UInt64) -> [Action] {
        if case .unknownKind = error { return [] }  // A newer daemon; kinds may be skipped.
        guard let id = numbers[number] else { return number == 0 ? [.disconnect] : [] }
        remove(id)
        return [
            .fail(id, FirestoreError(.dataLoss, "The daemon's answer cannot be read: \(error)"))
        ]
    }
}

// MARK: - Sending

extension ClientMachine {
    private mutating func begin(
        _ id: OperationID, _ operation: Operation, at now: Duration
    ) -> [Action] {
        entries[id] = Entry(
            operation: operation, waitingSince: state == .open ? nil : now,
            isUnnamed: database == nil)
        return state == .open ? send(id) : []
    }

    private mutating func send(_ id: OperationID) -> [Action] {
        guard let entry = entries[id], let database else {
            preconditionFailure("Sending what is not there, or before the handshake")
        }
        let request: Request
        switch entry.operation {
        case .read(let read, _):
            request = read
            entries[id]?.operation = .read(read, begun: nil)
        case .listen(let query, let options, _):
            request = .listen(query, options)
        case .sync:
            request = .listenToSync
        case .write(var write):
            write.wasSent = true
            entries[id]?.operation = .write(write)
            request = .write(
                Request.Write(
                    sequence: write.sequence, answeredBelow: answeredBelow,
                    mutations: write.mutations))
        }
        let number = nextNumber()
        do throws(WireError) {
            let frame = try codec.frame(
                of: entry.isUnnamed ? request.named(in: database) : request, number: number)
            entries[id]?.number = number
            entries[id]?.waitingSince = nil
            numbers[number] = id
            return [.send(frame)]
        } catch {
            remove(id)
            return [.fail(id, FirestoreError(error.hearthError))]
        }
    }

    private mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    private func deadline(_ entry: Entry) -> Duration? {
        guard let since = entry.waitingSince else { return nil }
        switch entry.operation {
        case .read: return since + configuration.connectTimeout
        case .write(let write):
            return write.accepted == nil ? since + configuration.connectTimeout : nil
        case .listen, .sync: return nil
        }
    }

    private mutating func remove(_ id: OperationID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        if let number = entry.number { numbers[number] = nil }
        if case .write(let write) = entry.operation {
            openSequences.remove(write.sequence)
            while answeredBelow <= lastSequence, !openSequences.contains(answeredBelow) {
                answeredBelow += 1
            }
        }
    }

    private mutating func failAll(_ error: FirestoreError) -> [Action] {
        let all = entries.keys.sorted()
        for id in all { remove(id) }
        return all.map { .fail($0, error) }
    }
}

// MARK: - Receiving

extension ClientMachine {
    private mutating func welcomed(_ welcome: Welcome) -> [Action] {
        guard state == .greeting else { return [.disconnect] }
        if let database, database != welcome.database {
            let error = FirestoreError(
                .failedPrecondition,
                "The daemon's database was \(database) and is now \(welcome.database). "
                    + "Start the program again.")
            return failAll(error) + [.disconnect]
        }
        state = .open
        database = welcome.database
        codec = WireCodec(database: welcome.database)
        return entries.keys.sorted().flatMap { send($0) }
    }

    /// The daemon ends the session, or does not begin one.
    private mutating func refused(_ error: HearthError) -> [Action] {
        guard error.code.isPermanent else { return [.disconnect] }  // We shall try again.
        return failAll(FirestoreError(error)) + [.disconnect]
    }

    private mutating func received(_ event: Event, for id: OperationID) -> [Action] {
        guard let operation = entries[id]?.operation else { return [] }
        switch operation {
        case .read(let request, let begun):
            return received(event, for: id, request, begun)
        case .listen(let query, let options, var view):
            return received(event, for: id, query, options, &view)
        case .sync:
            if case .inSync = event { return [.inSync(id)] }
            return ended(id, by: event)
        case .write(let write):
            return received(event, for: id, write)
        }
    }

    private mutating func received(
        _ event: Event, for id: OperationID, _ request: Request, _ begun: Event.Snapshot?
    ) -> [Action] {
        guard case .answer(let part) = event else {
            if case .bundleProgress(let progress) = event, !progress.isFinished { return [] }
            if case .failed = event { return ended(id, by: event) }
            remove(id)
            return [.answer(id, event)]
        }
        var snapshot = part
        if var begun {
            guard begun.id == part.id else { return ended(id, by: event) }
            begun.append(part)
            snapshot = begun
        }
        if snapshot.hasMore {
            entries[id]?.operation = .read(request, begun: snapshot)
            return []
        }
        remove(id)
        return [.answer(id, .answer(snapshot))]
    }

    private mutating func received(
        _ event: Event, for id: OperationID, _ query: HearthModel.Query,
        _ options: Request.ListenOptions, _ view: inout ListenerView
    ) -> [Action] {
        guard case .snapshot(let snapshot) = event else { return ended(id, by: event) }
        let outcome = view.received(snapshot)
        if case .lost = outcome { view.sessionEnded() }
        entries[id]?.operation = .listen(query, options, view)
        switch outcome {
        case .show(let update): return [.show(id, update)]
        case .nothing: return []
        case .lost: return listenAgain(id)
        }
    }

    private mutating func listenAgain(_ id: OperationID) -> [Action] {
        guard let number = entries[id]?.number,
            let frame = try? codec.frame(of: .unlisten, number: number)
        else { return [] }
        numbers[number] = nil
        return [.send(frame)] + send(id)
    }

    private mutating func received(
        _ event: Event, for id: OperationID, _ write: PendingWrite
    ) -> [Action] {
        switch event {
        case .writeAccepted(let accepted):
            if write.accepted != nil { return [] }  // Told again after a lost connection.
            var write = write
            write.accepted = accepted.batch
            entries[id]?.operation = .write(write)
            if write.isAwaited { return [.accept(id, accepted.batch)] }
            remove(id)
            return [.accept(id, accepted.batch), .forget(id)]
        case .writeCommitted(let committed):
            remove(id)
            let accept: [Action] = write.accepted == nil ? [.accept(id, committed.batch)] : []
            return accept + [.commit(id, committed)]
        case .writeRejected(let rejected):
            remove(id)
            let accept: [Action] = write.accepted == nil ? [.accept(id, rejected.batch)] : []
            return accept + [
                .fail(
                    id,
                    FirestoreError(
                        rejected.error,
                        mayHaveBeenApplied: rejected.mayHaveBeenApplied
                            || rejected.isOutcomeUnknown))
            ]
        case .welcome, .done, .failed, .answer, .snapshot, .listenFailed, .inSync, .status,
            .queuePage, .deadLetterPage, .bundleProgress, .namedQuery:
            return ended(id, by: event)
        }
    }

    /// An operation ends by an error, or by an event that does not answer it.
    private mutating func ended(_ id: OperationID, by event: Event) -> [Action] {
        remove(id)
        switch event {
        case .failed(let error), .listenFailed(let error):
            return [.fail(id, FirestoreError(error))]
        case .welcome, .done, .answer, .snapshot, .writeAccepted, .writeCommitted, .writeRejected,
            .inSync, .status, .queuePage, .deadLetterPage, .bundleProgress, .namedQuery:
            return [
                .fail(
                    id,
                    FirestoreError(
                        .internal, "The daemon answered with an event of kind \(event.kind)."))
            ]
        }
    }
}
