import Dispatch
import HearthBackend
import HearthModel
import NIOCore
import Synchronization

/// Owns the Realtime Database's backend and carries out the backend's decisions.
///
/// `BackendHost` does the same for Firestore.
///
///     call --> decision (locked) --> nothing unsaved: told at once
///                                \-> waits for the group's sync --> pushes and answers, in order
final class RealtimeHost: Sendable {
    /// The time that calls see.
    let clock: EmulatorClock

    private let log: RequestLog?
    private let state: Mutex<RealtimeHostState>
    private let keeper: Mutex<RealtimeKeeper>?
    private let disk = DispatchQueue(label: "hearth.emulator.realtime.disk")

    /// Reads the trees that the folder holds.
    ///
    /// - Parameters:
    ///   - keeper: `nil` keeps everything in memory.
    ///   - limits: What the hosted service refuses, if it is to be refused here too.
    ///   - log: Where requests are noted; `nil` if nobody wants to see them.
    init(
        keeper: sending RealtimeKeeper?, clock: EmulatorClock, limits: HostedLimits?,
        log: RequestLog? = nil
    ) throws(HearthError) {
        self.clock = clock
        self.log = log
        var backend = RealtimeBackend()
        backend.keepsVerdicts = log != nil
        backend.hostedLimits = limits
        guard let keeper else {
            self.keeper = nil
            state = Mutex(RealtimeHostState(backend, isKept: false))
            return
        }
        for kept in try keeper.namespaces() {
            do throws(RealtimeRefusal) {
                try backend.restore(
                    kept.root, rules: kept.rules, kept.settings, in: kept.namespace)
            } catch {
                throw Self.refusal(error)
            }
        }
        state = Mutex(RealtimeHostState(backend, isKept: true))
        self.keeper = Mutex(keeper)
    }

    /// Checks that rules can be read.
    ///
    /// - Throws: `invalidArgument`, in the words of the service: `LINE:COLUMN: MESSAGE\n`.
    static func checkRules(_ text: String) throws(HearthError) {
        do throws(RealtimeRefusal) {
            try RealtimeBackend.checkRules(text)
        } catch {
            throw refusal(error)
        }
    }

    private static func refusal(_ error: RealtimeRefusal) -> HearthError {
        HearthError(code: .invalidArgument, message: error.reason)
    }
}

/// Calls of the shells.
extension RealtimeHost {
    /// Opens a connection whose messages go to an outbox.
    func open(
        _ outbox: RealtimeOutbox, in namespace: RealtimeNamespace, by caller: RealtimeCaller
    ) -> RealtimeConnectionID {
        state.withLock { $0.open(outbox, in: namespace, by: caller) }
    }

    /// Carries out a request of a connection; the answer goes to its outbox.
    func take(_ request: RealtimeRequest, from id: RealtimeConnectionID) {
        let now = clock.now
        turn { state in
            let action = request.action
            let noted = state.noted(
                RealtimeMethod(action), at: action.place, from: id, now, in: log)
            let answer = state.judged(noted) { $0.take(action, from: id, at: now) }
            return Self.deliveries(of: answer, request: request.number, to: id, noted)
        }
    }

    /// Begins a stream of REST; data, changes and the answer, to the request of `number`, go to its
    /// outbox.
    ///
    /// - Parameters:
    ///   - query: `nil` for everything at the place.
    ///   - isNoted: Whether the log keeps the request, if there is a log.
    func watch(
        _ path: RealtimePath, _ query: QueryParameters?, number: Int,
        for id: RealtimeConnectionID, isNoted: Bool = true
    ) {
        let now = clock.now
        turn { state in
            let noted = state.noted(
                .listen, at: path, from: id, now, in: isNoted ? log : nil)
            let answer = state.judged(noted) { $0.watch(path, query, for: id, at: now) }
            return Self.deliveries(of: answer, request: number, to: id, noted)
        }
    }

    /// An answer for a connection, and the end of the request in the log.
    private static func deliveries(
        of answer: RealtimeBackend.Answer, request number: Int, to id: RealtimeConnectionID,
        _ noted: RealtimeHostState.Noted?
    ) -> [RealtimeHostState.Delivery] {
        let message = RealtimeHostState.Delivery.message(.answer(answer, request: number), id)
        guard let noted else { return [message] }
        return [message, noted.end(answer)]
    }

    /// Answers a request of a connection after everything that waits for the connection.
    func answer(_ answer: RealtimeBackend.Answer, number: Int, to id: RealtimeConnectionID) {
        turn { _ in [.message(.answer(answer, request: number), id)] }
    }

    /// Takes a connection's rights, because its token has ended. Listens that are no longer allowed
    /// end.
    func signOut(_ id: RealtimeConnectionID) {
        let now = clock.now
        turn { state in
            _ = state.backend.take(.unauthenticate, from: id, at: now)
            return []
        }
    }

    /// How long it takes until a time, in seconds since 1970; at most some thirty years.
    func wait(until seconds: Int64) -> TimeAmount {
        let now = clock.now.seconds
        return .seconds(seconds <= now ? 0 : min(seconds - now, 1_000_000_000))
    }

    /// Ends a connection, and makes the connection's writes for its end (`onDisconnect`).
    func close(_ id: RealtimeConnectionID) {
        let now = clock.now
        turn { state in
            state.close(id, at: now)
            return []
        }
    }

    /// Carries out a call of REST.
    ///
    /// - Parameters:
    ///   - isNoted: Whether the log keeps the request, if there is a log.
    ///   - reply: Called once, on any thread.
    func call(
        _ call: RealtimeCall, of namespace: RealtimeNamespace, by caller: RealtimeCaller,
        isNoted: Bool = true,
        then reply: @escaping @Sendable (Result<RealtimeReply, HearthError>) -> Void
    ) {
        let now = clock.now
        turn { state in
            let noted = RealtimeHostState.Noted(
                call, of: namespace, by: caller, now, in: isNoted ? log : nil)
            let answer: RealtimeReply = state.judged(noted) { backend in
                var random = SystemRandomNumberGenerator()
                return backend.take(call, of: namespace, by: caller, at: now, using: &random)
            }
            return [
                .reply { error in
                    noted?.end(answer, error)
                    reply(error.map { .failure($0) } ?? .success(answer))
                }
            ]
        }
    }

    /// Sets a tree's rules.
    ///
    /// - Parameter reply: Gets `nil` once the rules are on disk, else the error: line, column and
    ///   message for rules that cannot be read.
    func setRules(
        _ source: String, of namespace: RealtimeNamespace,
        then reply: @escaping @Sendable (HearthError?) -> Void
    ) {
        let now = clock.now
        turn { state in
            do throws(RealtimeRefusal) {
                try state.backend.setRules(source, of: namespace, at: now)
                return [.reply(reply)]
            } catch {
                let refusal = Self.refusal(error)
                return [.reply { _ in reply(refusal) }]
            }
        }
    }

    /// The report on a tree's rules; see `RealtimeBackend.ruleReport`.
    func ruleReport(of namespace: RealtimeNamespace) -> JSONValue {
        state.withLock { $0.backend.ruleReport(of: namespace) }
    }

    /// The report on a tree's rules as a page for people; see `RealtimeBackend.rulePage`.
    func rulePage(of namespace: RealtimeNamespace) -> String {
        state.withLock { $0.backend.rulePage(of: namespace) }
    }

    /// Changes the settings of a tree.
    func changeSettings(
        of namespace: RealtimeNamespace, _ body: @escaping (inout NamespaceSettings) -> Void,
        then reply: @escaping @Sendable (HearthError?) -> Void
    ) {
        turn { state in
            var settings = state.backend.settings(of: namespace)
            body(&settings)
            state.backend.setSettings(settings, of: namespace)
            return [.reply(reply)]
        }
    }

    /// The backend as it is now. O(1).
    var picture: RealtimeBackend { state.withLock { $0.backend } }

    /// Ends well: waits until all changes are on disk, and frees the folder for others.
    func close() {
        disk.sync { keeper?.withLock { $0.close() } }
    }

    private func turn(_ body: (inout RealtimeHostState) -> [RealtimeHostState.Delivery]) {
        let after = state.withLock { $0.take(body) }
        for reply in after.replies { reply(nil) }
        if after.startsSaving { disk.async { [self] in saveAll() } }
    }

    /// Writes group after group, until no changes wait.
    private func saveAll() {
        while let group = state.withLock({ $0.takeGroup() }) {
            let failure: HearthError?
            do throws(HearthError) {
                try keeper?.withLock { keeper throws(HearthError) in
                    if !group.saves.isEmpty { try keeper.save(group.saves) }
                }
                failure = nil
            } catch {
                failure = error
            }
            let loss = state.withLock { state in
                failure.map { state.lost(group, $0) } ?? .init(replies: state.saved(group))
            }
            for reply in loss.replies { reply(failure) }
            for id in loss.ended { close(id) }
        }
    }
}
