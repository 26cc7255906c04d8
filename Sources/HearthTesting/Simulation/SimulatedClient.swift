import HearthFirestore
import HearthModel

/// One engine of a simulation with its disk, timers and link, and what its listeners have seen.
final class SimulatedClient {
    /// What a listener has before it.
    struct Screen: Sendable {
        let query: Query
        let options: ListenOptions
        var snapshot: ViewSnapshot?
        var documents: [DocumentKey: Document] = [:]
    }

    private let backing: StoryBacking
    private let configuration: FirestoreEngine.Configuration
    private(set) var engine: FirestoreEngine
    let store: FailingStore
    private(set) var timers = TimerTable()
    var link = SimulatedLink()
    private(set) var screens: [ListenerID: Screen] = [:]
    private(set) var answers: [RequestID: ViewSnapshot] = [:]
    /// Writes that were accepted and not settled since the client started.
    private(set) var openWrites: Set<RequestID> = []
    /// Watch streams that the engine has closed, for the backend to hear of.
    var closedWatches: [StreamNumber] = []
    /// What a listener or the host must never see.
    private(set) var faults: [String] = []
    /// The snapshots shown since the simulation looked.
    var shown: [ViewSnapshot] = []
    private var lastNumber: UInt64 = 0

    init(_ backing: StoryBacking, _ configuration: FirestoreEngine.Configuration, at now: Timestamp)
        throws(StoreError)
    {
        self.backing = backing
        self.configuration = configuration
        store = FailingStore(try backing.open())
        engine = FirestoreEngine(configuration: configuration, seed: 1)
        take(.start, at: now)
    }

    /// Runs one turn and does what it asks for.
    func take(_ input: FirestoreEngine.Input, at now: Timestamp) {
        var next = engine
        let actions: [FirestoreEngine.Action]
        do {
            actions = try store.transaction { transaction throws(StoreError) in
                try next.take(input, at: now, in: transaction)
            }
            engine = next
        } catch {
            actions = engine.turnFailed(input, error, at: now)
        }
        for action in actions { perform(action, at: now) }
    }

    private func perform(_ action: FirestoreEngine.Action, at now: Timestamp) {
        switch action {
        case .emit(let snapshot, let ids):
            for id in ids { show(snapshot, to: id) }
        case .fail(let id, _):
            screens[id] = nil
        case .answer(let id, let snapshot):
            answers[id] = snapshot
        case .accept(let id, _):
            openWrites.insert(id)
        case .settle(let id, _, let outcome):
            if openWrites.remove(id) == nil { faults.append("\(id) is settled twice: \(outcome)") }
        case .upstream(let command):
            if let number = link.perform(command) { closedWatches.append(number) }
        case .schedule(.garbageCollection, after: _):
            break  // The simulation says when.
        case .schedule(let timer, let delay):
            timers.schedule(timer, at: now.advanced(by: delay))
        case .cancel(let timer):
            timers.cancel(timer)
        case .inSync, .complete, .refuse, .loaded, .found, .explained, .indexes, .result, .note:
            break
        }
    }

    private func show(_ snapshot: ViewSnapshot, to id: ListenerID) {
        guard var screen = screens[id] else { return }
        shown.append(snapshot)
        faults += SnapshotRules.faults(of: snapshot, on: screen).map {
            "\(snapshot.query.canonicalID), snapshot \(snapshot.id.rawValue): \($0)"
        }
        screen.snapshot = snapshot
        screen.documents = [:]
        for document in snapshot.documents.documents { screen.documents[document.key] = document }
        screens[id] = screen
    }

    /// Notes something that must never happen.
    func report(_ fault: String) {
        faults.append(fault)
    }

    // MARK: What happens to it

    func listen(to query: Query, _ options: ListenOptions, at now: Timestamp) {
        let id = ListenerID(session: 1, number: nextNumber())
        screens[id] = Screen(query: query, options: options)
        take(.listen(id, query, options), at: now)
    }

    func unlisten(_ id: ListenerID, at now: Timestamp) {
        screens[id] = nil
        take(.unlisten(id), at: now)
    }

    func write(_ mutations: [Mutation], at now: Timestamp) {
        let writer = Writer(uid: 1, gid: 1, pid: 1)
        let id = RequestID(session: 1, number: nextNumber())
        take(.write(WriteRequest(id: id, writer: writer, mutations: mutations)), at: now)
    }

    /// Asks the cache.
    func cached(_ query: Query, at now: Timestamp) -> DocumentSet? {
        let id = RequestID(session: 2, number: nextNumber())
        take(.get(id, query, .cache), at: now)
        return answers.removeValue(forKey: id)?.documents
    }

    func fire(_ timer: TimerID, at now: Timestamp) {
        timers.cancel(timer)
        take(.timerFired(timer), at: now)
    }

    /// The process dies and starts again.
    func restart(at now: Timestamp) throws(StoreError) {
        if let number = link.watch?.number { closedWatches.append(number) }
        try store.reopen(backing.open)
        engine = FirestoreEngine(configuration: configuration, seed: 1)
        timers = TimerTable()
        link = SimulatedLink()
        screens = [:]
        openWrites = []
        take(.start, at: now)
    }

    private func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }
}
