import HearthEngine
import HearthFirestore
import HearthModel

/// One daemon of a simulation: an engine with its disk, timers and link. The daemon's sessions are
/// programs, and what each program sees is kept beside the engine.
final class SimulatedClient {
    /// What a listener has before it.
    struct Screen: Sendable {
        let query: Query
        let options: ListenOptions
        var snapshot: ViewSnapshot?
        var documents: [DocumentKey: Document] = [:]

        /// The documents in their order.
        var order: [Document] { snapshot?.documents.documents ?? [] }
    }

    /// A one-time read without an answer yet.
    struct Read: Sendable {
        let query: Query
        let source: ReadSource
    }

    let index: Int
    private let backing: StoryBacking
    let ledger: WriteLedger
    private let configuration: FirestoreEngine.Configuration
    private let history: BackendHistory
    private(set) var engine: FirestoreEngine
    let store: FailingStore
    private(set) var timers = TimerTable()
    var link = SimulatedLink()
    /// When the machine was started.
    private static let bootedAt = ManualClock().now
    /// How wrong the process's clock is.
    var skew = Duration.zero

    /// The writes that batches of the last order are.
    var ordered: [BatchID: Int] = [:]
    /// The documents of the batches that an order concerns, during the order's turn.
    ///
    /// The turn tells listeners of one batch after the other, and the ledger has all of it at once.
    var steeredKeys: Set<DocumentKey> = []

    /// What the daemon has pinned: it tells its engine whenever the engine starts.
    var pins = PinSet()
    /// How the engine has said that the pins stand.
    private(set) var pinReports: [PinReport] = []
    /// Waits for pins that have no answer yet.
    var pinWaits: Set<RequestID> = []
    /// The writes that their writers want back, by the requests.
    var takingBack: [RequestID: Int] = [:]

    /// Surveys that the engine has ordered.
    var surveys: [Survey] = []

    private(set) var screens: [ListenerID: Screen] = [:]
    private(set) var reads: [RequestID: Read] = [:]
    /// Writes that a session has heard to be durable, and nothing more.
    private(set) var openWrites: [RequestID: Int] = [:]
    /// Waits for pending writes, each with the writes that it waits for.
    private(set) var waits: [RequestID: Set<Int>] = [:]
    /// Documents that came beside the watch stream, and when they were read.
    private(set) var readBeside: [DocumentKey: SnapshotVersion] = [:]
    /// Queries whose results bundles brought.
    private(set) var bundledQueries: Set<Query> = []
    /// Watch streams that the engine has closed, for the backend to hear of.
    var closedWatches: [StreamNumber] = []
    /// What a listener or the host must never see.
    private(set) var faults: [String] = []
    /// What happened since the simulation looked; kept only for a journal.
    var journal: [String] = []
    private let keepsJournal: Bool
    private var requested: [RequestID: Int] = [:]
    private var users: [Int: UserID] = [:]
    private var cacheAnswer: DocumentSet?
    private var lastNumber: UInt64 = 0

    init(
        _ index: Int, _ backing: StoryBacking, _ configuration: FirestoreEngine.Configuration,
        _ ledger: WriteLedger, _ history: BackendHistory, keepsJournal: Bool, at now: Timestamp
    ) throws(StoreError) {
        self.index = index
        self.backing = backing
        self.configuration = configuration
        self.ledger = ledger
        self.history = history
        self.keepsJournal = keepsJournal
        store = FailingStore(try backing.open())
        engine = FirestoreEngine(configuration: configuration, seed: UInt64(index + 1))
        take(.start, at: now)
    }

    // MARK: Turns

    /// Runs one turn and carries out the turn's actions. Returns whether the turn stood.
    @discardableResult
    func take(_ input: FirestoreEngine.Input, at now: Timestamp) -> Bool {
        let (stood, actions) = decide(input, at: now)
        for action in actions { perform(action, at: now) }
        return stood
    }

    /// Runs one turn, and dies in the middle: the turn's batches are sent, and no other action of the
    /// turn is carried out.
    func takeAndDie(_ input: FirestoreEngine.Input, at now: Timestamp) throws(StoreError) {
        let time = now.advanced(by: skew)
        let actions = decide(input, at: now).actions
        for case .note(.batchRejected(let batch, let error)) in actions {
            bury(batch, error, at: time)
        }
        send(actions)
        try restart(at: now)
    }

    private func decide(
        _ input: FirestoreEngine.Input, at now: Timestamp
    ) -> (stood: Bool, actions: [FirestoreEngine.Action]) {
        let time = now.advanced(by: skew)
        engine.note(uptime: now.since(Self.bootedAt))
        var next = engine
        var stood = true
        var actions: [FirestoreEngine.Action] = []
        do {
            actions = try store.transaction { transaction throws(StoreError) in
                try next.take(input, at: time, in: transaction)
            }
            engine = next
            note(input, actions)
            if case .cancelWrite(let id, _, _) = input { noteTakingBack(id, actions) }
            if case .steerQueue(_, let order, _) = input { note(order, actions) }
            noteSending(actions, at: time)
        } catch {
            stood = false
            actions = engine.turnFailed(input, error, at: time)
        }
        return (stood, actions)
    }

    /// What is durable now, whether anybody will hear of it or not.
    private func note(_ input: FirestoreEngine.Input, _ actions: [FirestoreEngine.Action]) {
        switch input {
        case .write(let request):
            let isRefused = actions.contains {
                if case .refuse(request.id, _) = $0 { true } else { false }
            }
            guard !isRefused, let number = WriteLedger.number(of: request.mutations) else { return }
            ledger.queued(number)
            users[number] = users[number] ?? engine.user
        case .upstream(.writeAnswered(_, let answer)):
            if let number = Int(String(decoding: answer.token, as: UTF8.self)) {
                ledger.answered(number)
            }
        case .loadBundle(_, let bundle):
            for entry in bundle.entries {
                readBeside[entry.document.key] = bundle.record.createdAt
            }
            bundledQueries.formUnion(bundle.namedQueries.map(\.query))
        case .upstream(.called(_, .read(let documents))):
            for document in documents { readBeside[document.key] = document.version }
            noteAsking(documents, actions)
        default:
            break
        }
    }

    private func perform(_ action: FirestoreEngine.Action, at now: Timestamp) {
        switch action {
        case .emit(let snapshot, let ids):
            check(snapshot)
            for id in ids { show(snapshot, to: id) }
        case .fail(let id, _):
            screens[id] = nil
        case .answer(let id, let snapshot):
            answer(id, snapshot)
        case .accept(let id, let batch):
            guard let number = requested.removeValue(forKey: id) else { return }
            // Only the newest asking is answered.
            openWrites = openWrites.filter { $0.value != number }
            openWrites[id] = number
            if let fault = ledger.accepted(number, as: batch) { report(fault) }
        case .settle(let id, let batch, let outcome):
            guard let number = openWrites.removeValue(forKey: id) else {
                report("\(id) is settled twice: \(outcome)")
                return
            }
            if case .rejected = outcome { ledger.told(number) }
            if case .committed = outcome, ledger.entries[number]?.commits.isEmpty ?? true {
                report("write \(number) is settled, and was never applied")
            }
            if case .committed = outcome { checkApplied(batch) }
        case .complete(let id):
            pinWaits.remove(id)
            guard let numbers = waits.removeValue(forKey: id) else { return }
            for number in numbers.sorted() where openWrites.values.contains(number) {
                report("a wait is over, and write \(number) is not settled")
            }
        case .refuse(let id, _):
            requested[id] = nil
            reads[id] = nil
            waits[id] = nil
            pinWaits.remove(id)
        case .note(.batchRejected(let batch, let error)):
            bury(batch, error, at: now.advanced(by: skew))
        case .result(_, .pins(let reports)): pinReports = reports
        case .upstream(let command):
            if let number = link.perform(command) { closedWatches.append(number) }
        case .survey(let errand): run(errand)
        case .schedule(.garbageCollection, after: _):
            break  // The simulation says when.
        case .schedule(.bundles, let delay):
            // Others have their turns between the slices of a bundle.
            timers.schedule(.bundles, at: now.advanced(by: delay + .milliseconds(1_500)))
        case .schedule(let timer, let delay):
            if delay < .zero { report("\(timer) is to run out \(delay) ago") }
            timers.schedule(timer, at: now.advanced(by: delay))
        case .cancel(let timer):
            timers.cancel(timer)
        case .inSync, .loaded, .found, .explained, .indexes, .result, .note:
            break
        }
    }

    // MARK: What programs see

    private func show(_ snapshot: ViewSnapshot, to id: ListenerID) {
        guard var screen = screens[id] else { return }
        faults += SnapshotRules.faults(of: snapshot, on: screen).map {
            "\(snapshot.query.canonicalID), snapshot \(snapshot.id.rawValue): \($0)"
        }
        screen.snapshot = snapshot
        screen.documents = [:]
        for document in snapshot.documents.documents { screen.documents[document.key] = document }
        screens[id] = screen
    }

    /// Compares every snapshot that is not from the cache with the backend's documents of that
    /// time.
    private func check(_ snapshot: ViewSnapshot) {
        if keepsJournal { journal.append("shows \(StoryText.snapshot(snapshot))") }
        // A target that is catching up on a new stream may share documents with a target in step.
        guard !snapshot.isFromCache, let version = engine.versionReached(of: snapshot.query) else {
            return
        }
        var ahead = ledger.keysAhead(of: version, for: index)
        for (key, readAt) in readBeside where readAt > version { ahead.insert(key) }
        ahead.formUnion(steeredKeys)
        faults += TruthRules.faults(
            of: snapshot, history.documents(at: version), ahead: ahead
        ).map { "\(snapshot.query.canonicalID), snapshot \(snapshot.id.rawValue): \($0)" }
    }

    private func answer(_ id: RequestID, _ snapshot: ViewSnapshot) {
        guard let read = reads.removeValue(forKey: id) else {
            report("\(id) is answered and was not asked")
            return
        }
        // Of a limit that a waiting write has opened, the backend names less than the view shows.
        if read.source == .server, snapshot.isFromCache, !snapshot.isLookedUp {
            report("a read from the server is answered from the cache")
        }
        if read.source == .cache { cacheAnswer = snapshot.documents } else { check(snapshot) }
    }

    /// Notes something that must never happen.
    func report(_ fault: String) {
        faults.append(fault)
    }

    // MARK: What programs do

    func listen(to query: Query, _ options: ListenOptions, session: UInt64, at now: Timestamp) {
        let id = ListenerID(session: session, number: nextNumber())
        screens[id] = Screen(query: query, options: options)
        take(.listen(id, query, options), at: now)
    }

    func unlisten(_ id: ListenerID, at now: Timestamp) {
        screens[id] = nil
        take(.unlisten(id), at: now)
    }

    /// Makes a write of the ledger, for the first time or again.
    func write(_ number: Int, session: UInt64, at now: Timestamp, dies: Bool) throws(StoreError) {
        guard let entry = ledger.entries[number] else { return }
        let id = RequestID(session: session, number: nextNumber())
        let request = WriteRequest(
            id: id, identity: identity(of: number), writer: Writer(uid: 1, gid: 1, pid: 1),
            mutations: entry.mutations, conditions: entry.conditions, terms: entry.terms)
        if dies {
            try takeAndDie(.write(request), at: now)
        } else {
            requested[id] = number
            take(.write(request), at: now)
        }
    }

    /// By what the daemon knows a write that is sent again.
    func identity(of number: Int) -> WriteIdentity {
        WriteIdentity(
            uid: 1, client: ClientID(high: 1, low: UInt64(index)), sequence: UInt64(number))
    }

    /// When a document was last changed, as a program that asks this client is told.
    func lastChange(of key: DocumentKey) -> Timestamp? {
        let document = try? store.transaction { transaction throws(StoreError) in
            var document = try transaction.remoteDocument(key)
            try transaction.overlay(key, of: engine.user)?.apply(to: &document)
            return document
        }
        guard let document, document.isFound else { return nil }
        return document.promisedAt ?? document.version.timestamp
    }

    func read(_ query: Query, from source: ReadSource, session: UInt64, at now: Timestamp) {
        let id = RequestID(session: session, number: nextNumber())
        reads[id] = Read(query: query, source: source)
        take(.get(id, query, source), at: now)
    }

    func waitForPendingWrites(session: UInt64, at now: Timestamp) {
        let id = RequestID(session: session, number: nextNumber())
        waits[id] = Set(openWrites.values.filter { users[$0] == engine.user })
        take(.waitForPendingWrites(id, .all), at: now)
    }

    func disconnect(session: UInt64, at now: Timestamp) {
        screens = screens.filter { $0.key.session != session }
        reads = reads.filter { $0.key.session != session }
        waits = waits.filter { $0.key.session != session }
        openWrites = openWrites.filter { $0.key.session != session }
        requested = requested.filter { $0.key.session != session }
        pinWaits = pinWaits.filter { $0.session != session }
        take(.disconnected(session: session), at: now)
    }

    func load(_ bundle: Bundle, session: UInt64, at now: Timestamp) {
        take(.loadBundle(RequestID(session: session, number: nextNumber()), bundle), at: now)
    }

    /// Asks the cache.
    func cached(_ query: Query, at now: Timestamp) -> DocumentSet? {
        cacheAnswer = nil
        read(query, from: .cache, session: 9, at: now)
        if cacheAnswer == nil { answerSurveys(at: now) }
        return cacheAnswer
    }

    func fire(_ timer: TimerID, at now: Timestamp) {
        timers.cancel(timer)
        take(.timerFired(timer), at: now)
    }

    /// The process dies and starts again.
    func restart(at now: Timestamp) throws(StoreError) {
        if let number = link.watch?.number { closedWatches.append(number) }
        try store.reopen(backing.open)
        engine = FirestoreEngine(configuration: configuration, seed: UInt64(index + 1))
        timers = TimerTable()
        link.die()
        surveys = []
        screens = [:]
        reads = [:]
        waits = [:]
        openWrites = [:]
        requested = [:]
        pinWaits = []
        take(.start, at: now)
        if !pins.pins.isEmpty { tellPins(at: now) }
    }

    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }
}
