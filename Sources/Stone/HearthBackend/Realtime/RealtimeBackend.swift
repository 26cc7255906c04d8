import HashTreeCollections
package import HearthModel
import HearthRules

/// The other side of the Realtime Database: the work of its servers, for any number of trees, as a
/// value.
///
///     request --> rules judge it --> the tree changes --> listens by path --> pushes, answer
///
/// The backend has no clock, no socket and no source of randomness: the time is an argument of
/// every call, and `takeEffects()` returns what the shell must do, in order. A copy is free, since
/// everything inside is persistent: the shell keeps the value from before a batch, and returns to
/// that value if the disk fails.
///
/// Of each request a connection hears first the effects and then the answer. A writer's own
/// listeners therefore hear of a write before the acknowledgement. The data of a listen precedes
/// the listen's answer, and a client that is told `datastale` has been told the data before.
package struct RealtimeBackend: Sendable {
    var namespaces: TreeDictionary<RealtimeNamespace, NamespaceState> = [:]
    var connections: TreeDictionary<RealtimeConnectionID, RealtimeConnection> = [:]
    /// What the hosted service takes at most, if that is to be refused here too.
    package var hostedLimits: HostedLimits?
    /// Whether rules' verdicts are kept until `takeVerdicts`, in trees that are named from now on;
    /// else judging costs nothing more.
    package var keepsVerdicts = false
    /// The rules of every tree that was given none.
    private var commonRules = RealtimeRuleSet.open
    private var effects: [Effect] = []

    /// A backend without data, in which everybody may do everything, as in Google's emulator.
    package init() {}

    /// A backend without data.
    ///
    /// - Parameter rules: The source of the rules of every tree that is given none.
    /// - Throws: `failed` with line and column in the service's form.
    package init(rules: String) throws(RealtimeRefusal) {
        commonRules = try Self.compiled(rules)
    }

    /// What must be done since the last call, in order.
    package mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    mutating func effect(_ effect: Effect) {
        effects.append(effect)
    }

    /// The trees that were ever named, by name.
    package var namespaceNames: [RealtimeNamespace] { namespaces.keys.sorted() }

    /// A tree as it is now. O(1).
    package func root(of namespace: RealtimeNamespace) -> Node {
        namespaces[namespace]?.root ?? .empty
    }

    /// Puts back what an earlier run kept. Nobody may be connected yet.
    ///
    /// - Parameters:
    ///   - root: The tree's data.
    ///   - rules: The source of the rules that the tree was given; `nil` if the tree was given
    ///     none.
    ///   - settings: What the tree's administrators have set.
    ///   - namespace: The tree.
    /// - Throws: `failed` for a source that a newer program would not have taken.
    package mutating func restore(
        _ root: Node, rules: String? = nil, _ settings: NamespaceSettings = NamespaceSettings(),
        in namespace: RealtimeNamespace
    ) throws(RealtimeRefusal) {
        precondition(connections.isEmpty, "Restored while somebody is connected")
        let rules = try rules.map(Self.compiled)
        update(namespace) { state in
            state.root = root
            state.rules = rules ?? state.rules
            state.settings = settings
        }
    }

    /// What `/.settings` of a tree holds besides the rules.
    package func settings(of namespace: RealtimeNamespace) -> NamespaceSettings {
        state(namespace).settings
    }

    /// Changes what `/.settings` of a tree holds besides the rules.
    package mutating func setSettings(
        _ settings: NamespaceSettings, of namespace: RealtimeNamespace
    ) {
        update(namespace) { $0.settings = settings }
        effect(.save(namespace, .settings(settings)))
    }

    /// Opens a connection to a tree, which exists from then on.
    ///
    /// - Parameters:
    ///   - id: A number that no open connection has.
    ///   - namespace: The tree.
    ///   - caller: Who connects, as rules see the caller.
    package mutating func connect(
        _ id: RealtimeConnectionID, to namespace: RealtimeNamespace,
        as caller: RealtimeCaller = .nobody
    ) {
        precondition(connections[id] == nil, "The connection \(id.rawValue) is open already")
        update(namespace) { _ in }
        connections[id] = RealtimeConnection(namespace: namespace, caller: caller)
    }

    /// Carries out what an open connection asks for.
    ///
    /// - Parameters:
    ///   - action: What the connection asks for.
    ///   - id: The connection.
    ///   - now: The time of the request.
    /// - Returns: The answer, to be told after all effects up to now. For a connection that has
    ///   ended, a refusal that nobody will hear.
    package mutating func take(
        _ action: RealtimeAction, from id: RealtimeConnectionID, at now: Timestamp
    ) -> Answer {
        answer(id, at: now) { backend, asker throws(RealtimeRefusal) in
            try backend.carryOut(action, from: id, asker, at: now)
        }
    }

    /// Begins to tell a stream of REST what is at a place, and every change from then on.
    ///
    /// Unlike a listen, a stream holds no copy and is told even that there is nothing, and a query
    /// must have an index.
    ///
    /// - Parameters:
    ///   - path: The place.
    ///   - query: The query; `nil` for everything.
    ///   - id: The stream's connection, which is open.
    ///   - now: The time of the request.
    /// - Returns: The answer, as for `take`.
    package mutating func watch(
        _ path: RealtimePath, _ query: QueryParameters?, for id: RealtimeConnectionID,
        at now: Timestamp
    ) -> Answer {
        answer(id, at: now) { backend, asker throws(RealtimeRefusal) in
            try backend.stream(path, query, for: id, asker)
        }
    }

    private mutating func answer(
        _ id: RealtimeConnectionID, at now: Timestamp,
        _ body: (inout Self, Asker) throws(RealtimeRefusal) -> Answer
    ) -> Answer {
        guard let connection = connections[id] else {
            // A race: the connection ended while its request was on the way.
            return .refused(RealtimeRefusal(.failed, "The connection has ended."))
        }
        do throws(RealtimeRefusal) {
            let asker = Asker(
                namespace: connection.namespace, caller: connection.caller, now: now.milliseconds)
            return try body(&self, asker)
        } catch {
            return .refused(error)
        }
    }

    private mutating func carryOut(
        _ action: RealtimeAction, from id: RealtimeConnectionID, _ asker: Asker, at now: Timestamp
    ) throws(RealtimeRefusal) -> Answer {
        switch action {
        case .listen(let listen):
            return try self.listen(listen, for: id, asker)
        case .unlisten(let path, let query, let tag):
            end(.init(path: path, query: query, tag: tag), of: id)
        case .get(let path, let query):
            return .value(try get(path, query, asker))
        case .put(let place, let node, let hash):
            try commit(try RealtimeWrite(place, node), ifHash: hash, asker)
        case .merge(let path, let children):
            try commit(try RealtimeWrite(below: path, children), ifHash: nil, asker)
        case .onDisconnectPut(let place, let node):
            try leave(try RealtimeWrite(place, node), by: id, asker)
        case .onDisconnectMerge(let path, let children):
            try leave(try RealtimeWrite(below: path, children), by: id, asker)
        case .onDisconnectCancel(let place):
            connections[id]?.disconnectWrites.cancel(place)
        case .authenticate(let credential):
            let caller = try RealtimeToken.caller(of: credential, at: now)
            act(id, for: caller, asker.now)
            return .authenticated(caller, end: RealtimeToken.end(of: credential.token.revealed))
        case .unauthenticate:
            act(id, for: .nobody, asker.now)
            return .unauthenticated
        case .appCheck, .stats: break
        case .unknown(let kind): throw RealtimeRefusal(.failed, "\(kind) is not served here.")
        }
        return .done
    }

    /// Lets a connection act for a caller. The rules judge its listens again.
    private mutating func act(
        _ id: RealtimeConnectionID, for caller: RealtimeCaller, _ now: Int64
    ) {
        connections[id]?.caller = caller
        judgeListens(of: id, at: now)
    }

    /// Changes what is known of a tree, which exists from then on.
    mutating func update<Result>(
        _ namespace: RealtimeNamespace, _ body: (inout NamespaceState) -> Result
    ) -> Result {
        let (rules, keepsVerdicts) = (commonRules, keepsVerdicts)
        return body(
            &namespaces[
                namespace, default: NamespaceState(rules: rules, keepsVerdicts: keepsVerdicts)])
    }

    func state(_ namespace: RealtimeNamespace) -> NamespaceState {
        namespaces[namespace]
            ?? NamespaceState(rules: commonRules, keepsVerdicts: keepsVerdicts)
    }
}

/// The caller of a request, the tree's name and the time.
struct Asker: Sendable {
    let namespace: RealtimeNamespace
    let caller: RealtimeCaller
    /// Milliseconds since 1970.
    let now: Int64
}

extension Timestamp {
    /// Milliseconds since 1970, rounded down: the unit of the Realtime Database.
    package var milliseconds: Int64 {
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000)
        return rest < 0 ? whole - 1 : whole
    }
}
