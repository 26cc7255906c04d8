package import HearthEngine
import HearthFirestore
package import HearthModel
import HearthWire
package import Logging
package import NIOCore
import Synchronization

/// All connected clients: finds a session's event loop by its number.
package final class SessionRegistry: Sendable {
    struct Entry: Sendable {
        let loop: any EventLoop
        var handler: NIOLoopBound<any SessionEnd>
        let peer: Peer
        var key: EngineKey?
        var program: String?
        /// Whether the rules allowed it nothing when it came.
        let isGuest: Bool
        var tally = SessionTally()
        /// Whether the session is being disconnected for the held memory, and no longer counts.
        var isEvicted = false
        let connectedAt = ContinuousClock.now

        var process: Writer {
            Writer(
                uid: peer.uid, gid: peer.gid, pid: peer.pid, unit: peer.unitText, program: program)
        }
    }

    /// Deliveries to the sessions of one event loop, made together.
    private struct Round {
        let loop: any EventLoop
        var deliveries: [(NIOLoopBound<any SessionEnd>, Deliveries)] = []
    }

    fileprivate struct State {
        var entries: [UInt64: Entry] = [:]
        /// The figures of each Unix user who pays.
        var users: [UInt32: Figures] = [:]
        /// The figures of all users together.
        var total = Figures()
        var lastID: UInt64 = 0
        var isClosed = false
        /// The rules that all sessions were last told; `nil` if the rules from their start count.
        var access: AccessPolicy?
        /// The limits that all sessions were last told; `nil` if the limits from their start count.
        var limits: SessionLimits?
    }

    /// How many clients there are and what they listen to.
    package struct Figures: Hashable, Sendable {
        /// Connected processes.
        package var clientCount = 0
        /// Connected guests: processes whom the rules allow nothing.
        package var guestCount = 0
        /// The listeners of the connected processes.
        package var listenerCount = 0
        /// The same without the listeners to the daemon's state.
        package var toldListenerCount = 0
        /// The processes' requests that have no answer yet.
        package var requestCount = 0
        /// Bytes that the daemon holds for the processes.
        package var heldByteCount = 0

        /// Nobody is connected.
        package init() {}

        mutating func admit(isGuest: Bool, _ count: Int) {
            clientCount += count
            if isGuest { guestCount += count }
        }

        mutating func change(from old: SessionTally, to new: SessionTally) {
            listenerCount += new.listenerCount - old.listenerCount
            toldListenerCount += new.toldListenerCount - old.toldListenerCount
            requestCount += new.requestCount - old.requestCount
            heldByteCount += new.heldByteCount - old.heldByteCount
        }
    }

    /// Tells the sessions that listen to the daemon's state.
    let statusBoard = StatusBoard()
    private let state = Mutex(State())
    private let logger: Logger
    /// Bounds the lines that programs can cause.
    package let throttle: JournalThrottle

    /// An empty registry.
    package init(logger: Logger, clock: any HostClock = SystemClock()) {
        self.logger = logger
        throttle = JournalThrottle(logger: logger, clock: clock)
    }

    /// A number that no session has had.
    package func nextID() -> UInt64 {
        state.withLock {
            $0.lastID += 1
            return $0.lastID
        }
    }

    /// How many clients use an engine, and their listeners.
    package func figures(of key: EngineKey) -> Figures {
        state.withLock { state in
            state.entries.values.reduce(into: Figures()) {
                guard $1.key == key else { return }
                $0.clientCount += 1
                $0.change(from: SessionTally(), to: $1.tally)
            }
        }
    }

    /// A session; `nil` if it has ended.
    func entry(of id: UInt64) -> Entry? { state.withLock { $0.entries[id] } }

    /// The sessions of all users or of one user, oldest first.
    func entries(ofUser uid: UInt32?) -> [(UInt64, Entry)] {
        let entries = state.withLock { $0.entries }
        return entries.filter { uid == nil || $0.value.peer.uid == uid }.sorted { $0.key < $1.key }
            .map { ($0.key, $0.value) }
    }

    /// The figures of all clients that a Unix user pays for, as last counted.
    package func figures(ofUser uid: UInt32) -> Figures {
        state.withLock { $0.users[uid] ?? Figures() }
    }

    /// Connected clients, greeted or not.
    package var count: Int { state.withLock { $0.entries.count } }

    /// The figures of all clients, as last counted.
    package var total: Figures { state.withLock { $0.total } }

    /// Enters a session.
    ///
    /// - Parameters:
    ///   - id: The session's number.
    ///   - handler: The session's end.
    ///   - loop: The event loop of the session.
    ///   - peer: Who is at the other end.
    ///   - isGuest: Whether the rules allow the peer nothing.
    /// - Returns: False if the daemon is shutting down.
    package func add(
        _ id: UInt64, _ handler: NIOLoopBound<any SessionEnd>, on loop: any EventLoop, _ peer: Peer,
        isGuest: Bool
    ) -> Bool {
        logger.debug(
            "client connected",
            metadata: ["session": "\(id)", "uid": "\(peer.uid)", "pid": "\(peer.pid)"])
        return state.withLock { state in
            guard !state.isClosed else { return false }
            state.entries[id] = Entry(
                loop: loop, handler: handler, peer: peer, isGuest: isGuest)
            state.users[peer.payer, default: Figures()].admit(isGuest: isGuest, 1)
            state.total.admit(isGuest: isGuest, 1)
            return true
        }
    }

    /// Notes that a session uses an engine.
    ///
    /// - Parameters:
    ///   - id: The session's number.
    ///   - key: The engine.
    ///   - program: What the program calls itself, for display.
    ///   - handler: The session's end from now on; `nil` if the end stays.
    package func opened(
        _ id: UInt64, _ key: EngineKey, program: String?,
        by handler: NIOLoopBound<any SessionEnd>? = nil
    ) {
        state.withLock {
            $0.entries[id]?.key = key
            $0.entries[id]?.program = program
            if let handler { $0.entries[id]?.handler = handler }
        }
        statusBoard.changed(key)
        logger.debug(
            "session opened",
            metadata: [
                "session": "\(id)", "database": "\(key)", "program": "\(program ?? "")",
            ])
    }

    /// Notes what a session has now.
    ///
    /// - Parameters:
    ///   - id: The session's number.
    ///   - tally: What the session has.
    ///   - limits: How much memory a user's sessions, and all sessions, may hold.
    /// - Returns: Why it must end, if it holds too much.
    package func counted(_ id: UInt64, _ tally: SessionTally, within limits: ClientMemory)
        -> HearthError?
    {
        let (error, other) = state.withLock { state -> (HearthError?, Entry?) in
            guard let entry = state.entries[id], !entry.isEvicted else { return (nil, nil) }
            if tally.toldListenerCount != entry.tally.toldListenerCount, let key = entry.key {
                statusBoard.changed(key)
            }
            let isLess = tally.heldByteCount <= entry.tally.heldByteCount
            state.change(id, to: tally)
            if isLess { return (nil, nil) }
            let uid = entry.peer.payer
            let byteCount = state.users[uid]?.heldByteCount ?? 0
            if byteCount > limits.uidByteCountMax {
                state.evict(id)
                return (limits.tooMuch(byteCount, of: uid), nil)
            }
            guard state.total.heldByteCount > limits.byteCountMax, let most = state.greatest else {
                return (nil, nil)
            }
            let error = limits.tooMuchOfAll(state.total.heldByteCount)
            let other = most == id ? nil : state.entries[most]
            state.evict(most)
            return (error, other)
        }
        guard let error, let other else { return error }
        let handler = other.handler
        other.loop.execute { handler.value.evict(error) }
        return nil
    }

    /// Tells the journal of a client that left too many answers unread.
    func noteSlow(_ id: UInt64) { noteDropped(id, [:]) }

    /// Tells the journal of a client that held too much.
    package func noteEvicted(_ id: UInt64, _ error: HearthError) {
        noteDropped(id, [.reason: error.message])
    }

    private func noteDropped(_ id: UInt64, _ particulars: [JournalField: String]) {
        let peer = state.withLock { $0.entries[id]?.peer }
        guard throttle.admits(.slowClientDropped, ofUser: peer?.payer ?? 0) else { return }
        var fields = particulars
        fields[.clientUID] = "\(peer?.uid ?? 0)"
        fields[.clientPID] = "\(peer?.pid ?? 0)"
        logger.record(.slowClientDropped, fields)
    }

    /// Tells the journal of a request that the access rules did not allow. No document is named.
    package func noteRefused(_ id: UInt64, _ refusal: AccessRefusal) {
        let entry = state.withLock { $0.entries[id] }
        guard throttle.admits(.clientRefused, ofUser: entry?.peer.payer ?? 0) else { return }
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
        let entries = state.withLock { state in
            state.access = values.access
            state.limits = values.limits
            return Array(state.entries.values)
        }
        defer { statusBoard.changed(nil) }  // The rules may show other databases.
        for entry in entries {
            let handler = entry.handler
            entry.loop.execute { handler.value.reconfigure(values) }
        }
    }

    /// The rules that all sessions were last told, perhaps ahead of some sessions; `nil` if the
    /// rules from their start count.
    var access: AccessPolicy? { state.withLock { $0.access } }

    /// The same of the limits.
    var limits: SessionLimits? { state.withLock { $0.limits } }

    /// Forgets a session that is over.
    package func remove(_ id: UInt64) {
        let gone = state.withLock { state -> Entry? in
            state.change(id, to: SessionTally())
            guard let entry = state.entries.removeValue(forKey: id) else { return nil }
            var left = state.users[entry.peer.payer] ?? Figures()
            left.admit(isGuest: entry.isGuest, -1)
            state.total.admit(isGuest: entry.isGuest, -1)
            state.users[entry.peer.payer] = left.clientCount > 0 ? left : nil
            return entry
        }
        guard let gone else { return }
        if let key = gone.key { statusBoard.changed(key) }
        logger.debug("client disconnected", metadata: ["session": "\(id)"])
    }

    /// Hands out what an engine decided, one hop for each event loop.
    ///
    /// - Parameter wrap: Names the engine's kind.
    func deliver<Delivery>(
        _ sorted: [UInt64: [Delivery]], as wrap: ([Delivery]) -> Deliveries
    ) {
        var rounds: [ObjectIdentifier: Round] = [:]
        state.withLock { state in
            for (id, deliveries) in sorted {
                guard let entry = state.entries[id] else { continue }  // It left meanwhile.
                rounds[ObjectIdentifier(entry.loop), default: Round(loop: entry.loop)]
                    .deliveries.append((entry.handler, wrap(deliveries)))
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

    /// Ends the sessions of an engine with an error; they may come again.
    func end(of key: EngineKey, _ error: HearthError) {
        let entries = state.withLock { state in
            state.entries.values.filter { $0.key == key }
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

extension SessionRegistry.State {
    /// Notes a session's new tally, and corrects the figures of the user and of all users.
    fileprivate mutating func change(_ id: UInt64, to tally: SessionTally) {
        guard let entry = entries[id] else { return }
        entries[id]?.tally = tally
        users[entry.peer.payer]?.change(from: entry.tally, to: tally)
        total.change(from: entry.tally, to: tally)
    }

    /// Stops counting the memory of a session, because the daemon is about to release the memory.
    fileprivate mutating func evict(_ id: UInt64) {
        guard var tally = entries[id]?.tally else { return }
        tally.heldByteCount = 0
        change(id, to: tally)
        entries[id]?.isEvicted = true
    }

    /// The largest session of the user who holds most memory. O(clients).
    fileprivate var greatest: UInt64? {
        guard let uid = users.max(by: { $0.value.heldByteCount < $1.value.heldByteCount })?.key
        else { return nil }
        return entries.filter { $0.value.peer.payer == uid && !$0.value.isEvicted }
            .max { $0.value.tally.heldByteCount < $1.value.tally.heldByteCount }?.key
    }
}
