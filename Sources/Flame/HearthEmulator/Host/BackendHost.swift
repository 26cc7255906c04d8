import Dispatch
import HearthBackend
import HearthModel
import Synchronization

/// Owns the backend and carries out the backend's decisions.
///
/// A call runs alone, on the caller's thread, under a lock. The host holds the lock for the
/// decision and never for the disk. The disk's own queue writes the call's changes, together with
/// the changes that other calls make meanwhile, in one transaction. Only then does the host answer
/// calls and tell streams: a client that has seen a write will also see it after a crash.
///
///     call --> decision (locked) --> nothing unsaved: answer at once
///                                \-> waits for the group's sync --> answers, messages of streams
final class BackendHost: Sendable {
    /// Where an answer goes, on any thread.
    typealias Reply<Value> = @Sendable (Result<Value, HearthError>) -> Void

    /// The time that callers have; the backend's own never goes back (`SteadyClock`).
    let clock = EmulatorClock()

    private let state: Mutex<HostState>
    private let keeper: Mutex<Keeper>?
    private let disk = DispatchQueue(label: "hearth.emulator.disk")
    private let timers = DispatchQueue(label: "hearth.emulator.timers")

    /// Reads the documents and rules that the folder holds.
    ///
    /// - Parameter keeper: The folder's keeper; `nil` keeps everything in memory.
    /// - Throws: `dataLoss` for a damaged folder, `failedPrecondition` for kept rules that cannot
    ///   be read, `unavailable` if the disk fails.
    init(keeper: sending Keeper?, settings: BackendSettings) throws(HearthError) {
        let run = UInt64.random(in: .min ... .max)
        guard let keeper else {
            self.keeper = nil
            state = Mutex(
                HostState(
                    Backend(
                        identity: .random(in: .min ... .max), run: run, settings: settings),
                    isKept: false))
            return
        }
        var backend = Backend(
            identity: keeper.identity, run: run, clock: keeper.clock, settings: settings)
        try keeper.restore(into: &backend)
        for rules in try keeper.rules() {
            do throws(HearthError) {
                try backend.setRules(rules.source, project: rules.project)
            } catch {
                throw HearthError(
                    code: .failedPrecondition,
                    message: "The rules that the folder keeps for the project \(rules.project) "
                        + "are not understood: \(error.message)")
            }
        }
        state = Mutex(HostState(backend, isKept: true, ahead: keeper.ahead))
        self.keeper = Mutex(keeper)
    }
}

/// Calls of the service.
extension BackendHost {
    /// Makes writes, all or none; the answer waits for locks and for the disk.
    ///
    /// - Parameters:
    ///   - transaction: The transaction that the commit ends; `nil` for none.
    ///   - caller: Whom the rules judge; the admin may do everything.
    func commit(
        _ writes: [Mutation], in database: DatabaseID, transaction: TransactionID? = nil,
        by caller: NotedCaller = .admin, then reply: @escaping Reply<CommitOutcome>
    ) {
        caller.record?.concerns(database, .writes(writes))
        turn { state, now in
            let answer = state.commit(
                writes, in: database, transaction: transaction, by: caller, at: now, then: reply)
            guard let answer else { return nil }
            return { failure in reply(failure.map { .failure($0) } ?? answer) }
        }
    }

    /// Makes each of several writes by itself, in order and in one turn.
    ///
    /// - Parameter reply: Gets one answer for each write, when the last answer has come. Gets an
    ///   error if the batch as a whole is malformed; the host then makes no write.
    func commitEach(
        _ writes: [Mutation], in database: DatabaseID, by caller: NotedCaller = .admin,
        then reply: @escaping Reply<[Result<CommitOutcome, HearthError>]>
    ) {
        turn { state, now in
            do throws(HearthError) {
                try state.backend.checkBatch(writes, in: database)
            } catch {
                return { reply(.failure($0 ?? error)) }
            }
            if writes.isEmpty {
                return { failure in reply(failure.map { .failure($0) } ?? .success([])) }
            }
            caller.record?.concerns(database, .writes(writes))
            let gathering = Gathering(count: writes.count, reply: reply)
            let answers = writes.indices.map { place in
                state.commit(
                    [writes[place]], in: database, by: caller, at: now,
                    then: { gathering.add([$0], at: place) })
            }
            return { failure in
                let told = answers.map { answer in
                    answer.map { answer in failure.map { .failure($0) } ?? answer }
                }
                gathering.add(told, at: 0)
            }
        }
    }

    /// Deletes every document of a database in one commit; listeners see the deletes.
    func flush(_ database: DatabaseID, then reply: @escaping Reply<CommitOutcome>) {
        read(.nothing, in: database, .latest) { [self] result in
            switch result {
            case .failure(let error): reply(.failure(error))
            case .success(let view):
                let deletes = view.allDocuments.map { Mutation(key: $0.key, kind: .delete) }
                commit(deletes, in: database, then: reply)
            }
        }
    }

    /// Takes a picture to read from; see `Backend.read`.
    func read(
        _ subject: ReadSubject, in database: DatabaseID, _ consistency: ReadConsistency,
        by caller: NotedCaller = .admin, then reply: @escaping Reply<ReadView>
    ) {
        caller.record?.concerns(database, .reads(subject))
        call(
            { backend, now throws(HearthError) in
                try backend.judged(caller.record) { backend throws(HearthError) in
                    try backend.read(
                        subject, in: database, consistency, by: caller.caller, at: now)
                }
            }, then: reply)
    }

    /// Opens a transaction.
    func begin(
        _ options: TransactionOptions, in database: DatabaseID,
        then reply: @escaping Reply<TransactionID>
    ) {
        call(
            { backend, now throws(HearthError) in
                try backend.begin(options, in: database, at: now)
            }, then: reply)
    }

    /// Ends a transaction without writes.
    func rollback(
        _ id: TransactionID, in database: DatabaseID, then reply: @escaping Reply<Void>
    ) {
        call(
            { backend, now throws(HearthError) in
                try backend.rollback(id, in: database, at: now)
            }, then: reply)
    }

    /// Begins a watch stream whose messages go to an outbox.
    func open(
        _ outbox: Outbox, in database: DatabaseID, by caller: Caller = .admin
    ) -> StreamID {
        state.withLock { $0.open(outbox, in: database, by: caller) }
    }

    /// Ends a watch stream.
    func close(_ stream: StreamID) {
        state.withLock { $0.close(stream) }
    }

    /// Adds a target; see `Backend.watch`.
    func watch(
        _ request: WatchRequest, on stream: StreamID, noting record: RequestRecord? = nil,
        then reply: @escaping Reply<Void>
    ) {
        call(
            { backend, now throws(HearthError) in
                try backend.judged(record) { backend throws(HearthError) in
                    try backend.watch(request, on: stream, at: now)
                }
            }, then: reply)
    }

    /// Removes a target.
    func unwatch(_ target: WireTargetID, on stream: StreamID) {
        call({ backend, _ throws(HearthError) in
            backend.unwatch(target, on: stream)
        })
    }

    /// Sends a paused stream with an empty outbox the changes that the stream has missed.
    func resume(_ stream: StreamID) {
        call({ backend, now throws(HearthError) in
            backend.resume(stream, at: now)
        })
    }

    /// Sets a project's rules, and keeps the rules in the folder; see `Backend.setRules`.
    func keepRules(_ rules: KeptRules, then reply: @escaping Reply<Void>) {
        turn { state, _ in
            let result = Result { () throws(HearthError) in try state.keepRules(rules) }
            return { failure in reply(failure.map { .failure($0) } ?? result) }
        }
    }

    /// Sets the rules of a project while the process lasts; see `Backend.setRules`.
    ///
    /// - Parameter project: `nil` for all projects without rules of their own.
    func setRules(_ source: String, project: String?) throws(HearthError) {
        try state.withLock { state throws(HearthError) in
            try state.setRules(source, project: project)
        }
    }

    /// The report on a project's rules; see `Backend.ruleReport`.
    func ruleReport(of project: String) -> JSONValue {
        state.withLock { $0.backend.ruleReport(of: project) }
    }

    /// The report on a project's rules as a page of HTML.
    func rulePage(of project: String) -> String {
        state.withLock { $0.backend.rulePage(of: project) }
    }

    /// Whether a project is held to rules.
    func hasRules(_ project: String) -> Bool {
        state.withLock { $0.backend.hasRules(project) }
    }

    /// Keeps the rules' verdicts of each request, for the record of it.
    func keepVerdicts() {
        state.withLock { $0.keepVerdicts() }
    }

    /// Forgets the past; see `Backend.forgetHistory`.
    func forgetHistory(then reply: @escaping Reply<Void>) {
        call(
            { backend, _ throws(HearthError) in
                backend.forgetHistory()
            }, then: reply)
    }

    /// Gives quiet streams a fresh token.
    func heartbeat() {
        call({ backend, now throws(HearthError) in
            backend.heartbeat(at: now)
        })
    }

    /// A picture of each database that holds or held documents, in the order of names.
    var databases: [ReadView] {
        let reading = clock.reading
        return state.withLock { state in
            let now = state.now(at: reading)
            return state.backend.databaseIDs.sorted { utf8Precedes($0.name, $1.name) }.compactMap {
                id in
                try? state.backend.read(.nothing, in: id, .latest, at: now)
            }
        }
    }

    /// Ends well: waits until all changes are on disk, and frees the folder for others.
    func close() {
        disk.sync {
            note(state.withLock { $0.noted }, isLast: true)
            keeper?.withLock { $0.close() }
        }
    }
}

/// One call, one answer, and the disk in between.
extension BackendHost {
    private func call<Value: Sendable>(
        _ body: (inout Backend, Timestamp) throws(HearthError) -> Value,
        then reply: @escaping Reply<Value> = { _ in }
    ) {
        turn { state, now in
            let result = Result { () throws(HearthError) in try body(&state.backend, now) }
            return { failure in
                if let failure { reply(.failure(failure)) } else { reply(result) }
            }
        }
    }

    private func turn(_ body: (inout HostState, Timestamp) -> HostState.Ending?) {
        let reading = clock.reading
        let after = state.withLock { $0.take(reading, body) }
        if let noted = after.noted { disk.async { [self] in note(noted) } }
        after.ending?(nil)
        for ending in after.others { ending(nil) }
        if after.startsSaving { disk.async { [self] in saveAll() } }
        if let deadline = after.deadline { wake(at: deadline, after.now) }
    }

    /// Notes up to where answers may name moments. If the disk fails, the next bound is noted.
    private func note(_ time: NotedTime, isLast: Bool = false) {
        try? keeper?.withLock { keeper throws(HearthError) in
            try keeper.note(time, isLast: isLast)
        }
    }

    /// Writes group after group, until no changes wait.
    private func saveAll() {
        while let group = state.withLock({ $0.takeGroup() }) {
            let result = Result { () throws(HearthError) in
                if group.saves.isEmpty, group.rules.isEmpty { return }
                try keeper?.withLock { keeper throws(HearthError) in
                    try keeper.save(group.saves, rules: group.rules, clock: group.clock)
                }
            }
            switch result {
            case .success:
                for ending in state.withLock({ $0.saved(group) }) { ending(nil) }
            case .failure(let error):
                for ending in state.withLock({ $0.lost(group) }) { ending(error) }
            }
        }
    }

    /// Wakes when a lock or a transaction may expire.
    private func wake(at deadline: Timestamp, _ now: Timestamp) {
        let parts = max(deadline.since(now), .zero).components
        let nanoseconds = parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
        timers.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { [weak self] in
            self?.turn { state, now in
                state.deadline = nil
                state.backend.expire(at: now)
                return nil
            }
        }
    }
}

/// Gathers single answers, and replies once with all of them.
private final class Gathering: Sendable {
    typealias Answer = Result<CommitOutcome, HearthError>

    private let answers: Mutex<[Answer?]>
    private let reply: BackendHost.Reply<[Answer]>

    init(count: Int, reply: @escaping BackendHost.Reply<[Answer]>) {
        answers = Mutex(Array(repeating: nil, count: count))
        self.reply = reply
    }

    /// Takes the answers from a place on; `nil` is one that comes later.
    func add(_ new: [Answer?], at start: Int) {
        let all = answers.withLock { answers -> [Answer]? in
            for (place, answer) in new.enumerated() where answer != nil {
                answers[start + place] = answer
            }
            let all = answers.compactMap(\.self)
            return all.count == answers.count ? all : nil
        }
        if let all { reply(.success(all)) }
    }
}
