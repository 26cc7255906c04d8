import HearthFirestore
package import HearthModel
import HearthWire
package import Logging
import NIOCore
import Synchronization

/// All connected clients: finds a session's event loop by its number.
package final class SessionRegistry: Sendable {
    private struct Entry: Sendable {
        let loop: any EventLoop
        let handler: NIOLoopBound<SessionHandler>
        let peer: Peer
        var database: DatabaseID?
        var program: String?
        var listenerCount = 0
        var requestCount = 0
        let connectedAt = ContinuousClock.now

        var process: QueuePage.Writer {
            QueuePage.Writer(
                uid: peer.uid, gid: peer.gid, pid: peer.pid, unit: peer.unitText, program: program)
        }
    }

    /// What the sessions of one event loop are told together.
    private struct Round {
        let loop: any EventLoop
        var deliveries: [(NIOLoopBound<SessionHandler>, [Delivery])] = []
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        /// What each Unix user has.
        var users: [UInt32: Figures] = [:]
        var lastID: UInt64 = 0
        var isClosed = false
    }

    /// How many clients there are and what they listen to.
    package struct Figures: Hashable, Sendable {
        /// Connected processes.
        package var clientCount = 0
        /// Their listeners.
        package var listenerCount = 0
        /// Their requests that have no answer yet.
        package var requestCount = 0
    }

    private let state = Mutex(State())
    private let logger: Logger

    /// An empty registry.
    package init(logger: Logger) {
        self.logger = logger
    }

    /// A number that no session has had.
    package func nextID() -> UInt64 {
        state.withLock {
            $0.lastID += 1
            return $0.lastID
        }
    }

    /// How many clients use a database, and their listeners.
    package func figures(of database: DatabaseID) -> Figures {
        state.withLock { state in
            state.entries.values.reduce(into: Figures()) {
                guard $1.database == database else { return }
                $0.clientCount += 1
                $0.listenerCount += $1.listenerCount
                $0.requestCount += $1.requestCount
            }
        }
    }

    /// The connected processes, or those of one user, oldest first.
    func clients(ofUser uid: UInt32?) -> [Inspection.Client] {
        entries(ofUser: uid).map { id, entry in
            Inspection.Client(
                session: id, process: entry.process, database: entry.database,
                listenerCount: entry.listenerCount, age: .now - entry.connectedAt)
        }
    }

    /// What they listen to, as each session tells on its own loop.
    func listeners(ofUser uid: UInt32?, on loop: any EventLoop)
        -> EventLoopFuture<[Inspection.Listener]>
    {
        let answers = entries(ofUser: uid).map { id, entry in
            let handler = entry.handler
            return entry.loop.submit {
                handler.value.queries.map { query in
                    Inspection.Listener(
                        session: id, process: entry.process, database: entry.database,
                        query: query.canonicalID)
                }
            }
        }
        return EventLoopFuture.whenAllSucceed(answers, on: loop).map { $0.flatMap { $0 } }
    }

    private func entries(ofUser uid: UInt32?) -> [(UInt64, Entry)] {
        let entries = state.withLock { $0.entries }
        return entries.filter { uid == nil || $0.value.peer.uid == uid }.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value) }
    }

    /// Connected clients of a Unix user.
    func clientCount(of uid: UInt32) -> Int {
        state.withLock { $0.users[uid]?.clientCount ?? 0 }
    }

    /// What all clients of a Unix user have, as far as it has been counted.
    func figures(ofUser uid: UInt32) -> Figures {
        state.withLock { $0.users[uid] ?? Figures() }
    }

    /// Connected clients, greeted or not.
    package var count: Int { state.withLock { $0.entries.count } }

    /// Enters a session. False if the daemon is shutting down.
    func add(
        _ id: UInt64, _ handler: NIOLoopBound<SessionHandler>, on loop: any EventLoop, _ peer: Peer
    )
        -> Bool
    {
        logger.debug(
            "client connected",
            metadata: ["session": "\(id)", "uid": "\(peer.uid)", "pid": "\(peer.pid)"])
        return state.withLock { state in
            guard !state.isClosed else { return false }
            state.entries[id] = Entry(loop: loop, handler: handler, peer: peer)
            state.users[peer.uid, default: Figures()].clientCount += 1
            return true
        }
    }

    func opened(_ id: UInt64, database: DatabaseID, program: String?) {
        state.withLock {
            $0.entries[id]?.database = database
            $0.entries[id]?.program = program
        }
        logger.debug(
            "session opened",
            metadata: [
                "session": "\(id)", "database": "\(database)", "program": "\(program ?? "")",
            ])
    }

    func counted(_ id: UInt64, listeners: Int, requests: Int) {
        state.withLock { state in
            guard let entry = state.entries[id] else { return }
            state.users[entry.peer.uid]?.listenerCount += listeners - entry.listenerCount
            state.users[entry.peer.uid]?.requestCount += requests - entry.requestCount
            state.entries[id]?.listenerCount = listeners
            state.entries[id]?.requestCount = requests
        }
    }

    func noteSlow(_ id: UInt64) {
        let peer = state.withLock { $0.entries[id]?.peer }
        logger.record(
            .slowClientDropped,
            [.clientUID: "\(peer?.uid ?? 0)", .clientPID: "\(peer?.pid ?? 0)"])
    }

    /// Tells the journal of a request that the access rules did not allow. No document is named.
    func noteRefused(_ id: UInt64, _ refusal: AccessRefusal) {
        let entry = state.withLock { $0.entries[id] }
        logger.record(
            .clientRefused,
            [
                .client: entry?.program ?? "", .clientUID: "\(entry?.peer.uid ?? 0)",
                .clientPID: "\(entry?.peer.pid ?? 0)", .rule: refusal.rule ?? "none",
                .reason: "\(refusal.peer) may not \(refusal.right.rawValue)",
            ])
    }

    /// Gives every session other settings.
    func reconfigure(_ values: LiveSettings.Values) {
        for entry in state.withLock({ Array($0.entries.values) }) {
            let handler = entry.handler
            entry.loop.execute { handler.value.reconfigure(values) }
        }
    }

    func remove(_ id: UInt64) {
        let wasThere = state.withLock { state in
            guard let entry = state.entries.removeValue(forKey: id) else { return false }
            var left = state.users[entry.peer.uid] ?? Figures()
            left.clientCount -= 1
            left.listenerCount -= entry.listenerCount
            left.requestCount -= entry.requestCount
            state.users[entry.peer.uid] = left.clientCount > 0 ? left : nil
            return true
        }
        guard wasThere else { return }
        logger.debug("client disconnected", metadata: ["session": "\(id)"])
    }

    /// Hands out what an engine decided, one hop for each event loop.
    func deliver(_ sorted: [UInt64: [Delivery]]) {
        var rounds: [ObjectIdentifier: Round] = [:]
        state.withLock { state in
            for (id, deliveries) in sorted {
                guard let entry = state.entries[id] else { continue }  // It left meanwhile.
                rounds[ObjectIdentifier(entry.loop), default: Round(loop: entry.loop)]
                    .deliveries.append((entry.handler, deliveries))
            }
        }
        for round in rounds.values {
            let deliveries = round.deliveries
            round.loop.execute {
                for (handler, deliveries) in deliveries { handler.value.deliver(deliveries) }
            }
        }
    }

    /// Lets sessions read again.
    func resume(_ sessions: [UInt64]) {
        for entry in state.withLock({ state in sessions.compactMap { state.entries[$0] } }) {
            let handler = entry.handler
            entry.loop.execute { handler.value.resumeReading() }
        }
    }

    /// Ends the sessions of a database with an error; they may come again.
    func end(of database: DatabaseID, _ error: HearthError) {
        let entries = state.withLock { state in
            state.entries.values.filter { $0.database == database }
        }
        for entry in entries {
            let handler = entry.handler
            entry.loop.execute { handler.value.end(error) }
        }
    }

    /// Ends every session with an error, and lets no new one in.
    func endAll(_ error: HearthError) {
        let entries = state.withLock { state in
            state.isClosed = true
            return Array(state.entries.values)
        }
        for entry in entries {
            let handler = entry.handler
            entry.loop.execute { handler.value.end(error) }
        }
    }
}

/// Tells the sessions and the journal what an engine decided.
struct SessionOutlet: EngineOutlet {
    let database: DatabaseID
    let registry: SessionRegistry
    let journal: Journal

    func perform(_ actions: [FirestoreEngine.Action]) {
        registry.deliver(Delivery.bySession(actions, note: journal.note))
    }

    func resume(_ sessions: [UInt64]) { registry.resume(sessions) }

    func tell(_ news: StoreNews) { journal.note(news) }

    func endSessions(_ error: HearthError) { registry.end(of: database, error) }
}
