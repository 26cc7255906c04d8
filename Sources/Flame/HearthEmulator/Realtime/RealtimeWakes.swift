import HearthBackend
import HearthThreads
import NIOCore
import Synchronization

/// Wakes connections that have something to send. One task wakes all connections of an event loop.
///
/// A change for a thousand listeners would otherwise be a thousand tasks.
///
///     host's turn --wake--> waiting connections of the loop --one task--> each connection sends
///                 \-broadcast--> one change for many ------one task--> sockets that are ready
///                                                                  \-> outboxes of the others
final class RealtimeWakes: Sendable {
    private let loops = LoopPieces<Loop>()

    /// The wakes of one event loop. A connection asks once.
    func wakes(of eventLoop: any EventLoop) -> Loop {
        loops.piece(of: eventLoop) { Loop(eventLoop) }
    }

    /// The connections of one event loop that wait to be woken, and a change on its way to many of
    /// the loop's connections.
    final class Loop: Sendable {
        private let eventLoop: any EventLoop
        private let state = Mutex(State())
        /// Used on the event loop alone.
        private let sends = Mutex(ManySends())

        fileprivate init(_ eventLoop: any EventLoop) {
            self.eventLoop = eventLoop
        }

        /// Has a connection woken on the event loop, after the connections that wait already.
        ///
        /// Any thread may call, under a lock: the call itself wakes nobody.
        func wake(_ connection: @escaping @Sendable () -> Void) {
            let isFirst = state.withLock { state in
                state.waiting.append(connection)
                return state.waiting.count == 1 && state.broadcast == nil
            }
            if isFirst { eventLoop.execute { self.wakeAll() } }
        }

        private func wakeAll() {
            let (round, woken) = state.withLock { state in
                defer { state.waiting = [] }
                return (state.takeBroadcast(), state.waiting)
            }
            // No message was on the way when the broadcast came, so the broadcast is the older.
            if let round { send(round) }
            for connection in woken { connection() }
        }
    }
}

/// Broadcasts.
extension RealtimeWakes.Loop {
    /// A change for connections of this loop.
    struct Broadcast: Sendable {
        let change: SharedChange
        var listeners: [RealtimeListener]
    }

    /// A connection that takes part in broadcasts.
    struct Member: Sendable {
        /// Where a broadcast waits while the connection is not ready.
        let outbox: RealtimeOutbox
        /// Sends what waits in the outbox; called on the event loop.
        let sendMore: @Sendable () -> Void
        /// Sends bytes that the socket did not take, before all that waits in the outbox; called on
        /// the event loop.
        let sendRest: @Sendable (ByteBuffer) -> Void
    }

    /// What the loop's lock guards.
    fileprivate struct State {
        var waiting: [@Sendable () -> Void] = []
        var broadcast: Broadcast?
        var members: [RealtimeConnectionID: Member] = [:]
        /// The sockets of the members that are ready.
        ///
        /// Apart from the members: to look a number up touches no object.
        var sockets: [RealtimeConnectionID: CInt] = [:]
    }

    /// A broadcast on its way.
    fileprivate struct Round {
        let change: SharedChange
        /// The listeners whose connections are ready.
        var listeners: [RealtimeListener] = []
        /// The socket of each of `listeners`.
        var sockets: [CInt] = []
        /// Has the connections send that are not ready.
        var others: [@Sendable () -> Void] = []
    }

    /// Lets a connection take part, at first as one that is not ready.
    func join(_ id: RealtimeConnectionID, _ member: Member) {
        state.withLock { $0.members[id] = member }
    }

    /// Ends a connection's part, before its socket's number can be another connection's.
    func leave(_ id: RealtimeConnectionID) {
        state.withLock { state in
            state.members[id] = nil
            state.sockets[id] = nil
        }
    }

    /// Tells whether bytes may go right into a connection's socket; called on the event loop.
    ///
    /// - Parameter socket: The socket of a connection that has sent all its messages, so that the
    ///   next message in the outbox wakes the connection; `nil` for a connection that is not ready.
    func setReady(_ id: RealtimeConnectionID, _ socket: CInt?) {
        state.withLock { $0.sockets[id] = socket }
    }

    /// Sends a change to listeners of this loop, past the outboxes of connections that are ready.
    ///
    /// Any thread may call, under a lock. Until the loop sends the change, or `recall` gives it
    /// back, no other message for one of the listeners may be put into an outbox.
    ///
    /// - Returns: Whether the loop takes the change. While messages are on their way the loop takes no
    ///   change, because the change would overtake the messages.
    func broadcast(_ change: SharedChange, to listeners: [RealtimeListener]) -> Bool {
        let isTaken = state.withLock { state in
            guard state.broadcast == nil, state.waiting.isEmpty else { return false }
            state.broadcast = Broadcast(change: change, listeners: listeners)
            return true
        }
        if isTaken { eventLoop.execute { self.wakeAll() } }
        return isTaken
    }

    /// Gives the broadcast back that the loop has not begun to send.
    func recall() -> Broadcast? {
        state.withLock { $0.broadcast.take() }
    }

    /// Gives one connection's part of the broadcast back that the loop has not begun to send.
    ///
    /// O(n) in the listeners of the broadcast.
    func recall(for id: RealtimeConnectionID) -> Broadcast? {
        state.withLock { state in
            guard let listeners = state.broadcast?.listeners else { return nil }
            let own = listeners.filter { $0.connection == id }
            guard !own.isEmpty, let change = state.broadcast?.change else { return nil }
            state.broadcast?.listeners.removeAll { $0.connection == id }
            return Broadcast(change: change, listeners: own)
        }
    }

    private func send(_ round: Round) {
        var behind: Set<RealtimeConnectionID> = []
        var first = 0
        while first < round.listeners.count {
            let tag = round.listeners[first].tag
            let end = round.listeners[first...].firstIndex { $0.tag != tag }
            let part = first..<(end ?? round.listeners.count)
            let bytes = round.change.frames(tag: tag)
            if behind.isEmpty {
                let late = sends.withLock { $0.send(bytes, to: round.sockets[part]) }
                for (place, takenCount) in late {
                    let id = round.listeners[first + place].connection
                    behind.insert(id)
                    sendRest(of: bytes, from: takenCount, to: id)
                }
            } else {
                sendOneByOne(bytes, round, part, &behind)
            }
            first = part.upperBound
        }
        for sendMore in round.others { sendMore() }
    }

    /// Sends to each listener by itself, because a connection may be behind with an earlier part of the
    /// same broadcast.
    private func sendOneByOne(
        _ bytes: ByteBuffer, _ round: Round, _ part: Range<Int>,
        _ behind: inout Set<RealtimeConnectionID>
    ) {
        for place in part {
            let id = round.listeners[place].connection
            var takenCount = 0
            if !behind.contains(id) {
                let late = sends.withLock { $0.send(bytes, to: round.sockets[place...place]) }
                guard let one = late.first else { continue }
                takenCount = one.takenCount
                behind.insert(id)
            }
            sendRest(of: bytes, from: takenCount, to: id)
        }
    }

    private func sendRest(of bytes: ByteBuffer, from count: Int, to id: RealtimeConnectionID) {
        guard let member = state.withLock({ $0.members[id] }) else { return }
        var rest = bytes
        rest.moveReaderIndex(forwardBy: count)
        member.sendRest(rest)
    }
}

extension RealtimeWakes.Loop.State {
    /// Takes the waiting broadcast, and puts the change into the outboxes of the connections that are
    /// not ready.
    ///
    /// Under the lock, so that the host's next message in an outbox comes behind the broadcast.
    fileprivate mutating func takeBroadcast() -> RealtimeWakes.Loop.Round? {
        guard let broadcast = broadcast.take() else { return nil }
        var round = RealtimeWakes.Loop.Round(change: broadcast.change)
        round.listeners.reserveCapacity(broadcast.listeners.count)
        round.sockets.reserveCapacity(broadcast.listeners.count)
        for listener in broadcast.listeners {
            if let socket = sockets[listener.connection] {
                round.listeners.append(listener)
                round.sockets.append(socket)
            } else if let member = members[listener.connection] {
                _ = member.outbox.add(.push(broadcast.change, tag: listener.tag))
                round.others.append(member.sendMore)
            }  // A race: else the connection has ended, which the host is about to hear.
        }
        return round
    }
}
