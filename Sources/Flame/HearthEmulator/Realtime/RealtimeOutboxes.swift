import HearthBackend

/// The outboxes of all connections, in which every connection finds its messages in their order.
///
/// A change for many listeners goes past the outboxes, if nothing is on its way that it could
/// overtake (`RealtimeWakes.Loop`). For the host, under its lock.
struct RealtimeOutboxes: Sendable {
    /// The fewest connections of one loop for which a change goes past the outboxes.
    private static let broadcastConnectionCountMin = 16

    /// How many listeners such a connection has at most, on average.
    ///
    /// Past the outboxes each listener's message is a call of the kernel by itself; an outbox sends
    /// all messages of a connection with one.
    private static let listenersPerConnectionMax = 2

    /// So many connections are taken out of a broadcast one by one; with the next, all are. To take
    /// one out looks through all.
    private static let singleRecallCountMax = 4

    /// A loop whose connections take part in broadcasts.
    private struct Loop {
        let wakes: RealtimeWakes.Loop
        /// The loop's last broadcast; 0 for none.
        var lastBroadcast: UInt64 = 0
        /// How many connections were taken out of the last broadcast one by one.
        var singleRecallCount = 0
    }

    /// Where a connection lives that takes part in broadcasts.
    private struct Place {
        /// The index of the connection's loop.
        let loop: Int
        /// The last broadcast to the connection that may still be on its way; 0 for none.
        var lastBroadcast: UInt64 = 0
    }

    /// The listeners of a change whose connections live on one loop.
    private struct Part {
        var listeners: [RealtimeListener] = []
        var connectionCount = 0

        /// Whether the change may go past the outboxes.
        var isForSockets: Bool {
            connectionCount >= broadcastConnectionCountMin
                && listeners.count <= connectionCount * listenersPerConnectionMax
        }
    }

    private var outboxes: [RealtimeConnectionID: RealtimeOutbox] = [:]
    /// Apart from the outboxes: to look a place up touches no object.
    private var places: [RealtimeConnectionID: Place] = [:]
    private var loops: [Loop] = []
    private var broadcastCount: UInt64 = 0

    /// The outboxes of all connections.
    var all: some Sequence<RealtimeOutbox> { outboxes.values }

    /// Adds a connection's outbox.
    mutating func open(_ id: RealtimeConnectionID, _ outbox: RealtimeOutbox) {
        outboxes[id] = outbox
        guard let wakes = outbox.loop else { return }
        let index = loops.firstIndex { $0.wakes === wakes }
        places[id] = Place(loop: index ?? loops.count)
        if index == nil { loops.append(Loop(wakes: wakes)) }
    }

    /// Removes a connection's outbox, which gets no further message.
    mutating func close(_ id: RealtimeConnectionID) {
        outboxes[id] = nil
        places[id] = nil
    }

    /// Gives a connection a message; nothing happens if the connection has ended.
    mutating func put(_ message: RealtimeOutbox.Message, to id: RealtimeConnectionID) {
        guard let outbox = outboxes[id] else { return }
        if let place = places[id], place.lastBroadcast > 0,
            place.lastBroadcast == loops[place.loop].lastBroadcast
        {
            places[id]?.lastBroadcast = 0
            if let early = recall(for: id, in: place.loop) { deliver(early) }
        }
        outbox.put(message)
    }

    /// Takes a connection out of its loop's last broadcast, and all others too if many were before.
    private mutating func recall(
        for id: RealtimeConnectionID, in loop: Int
    ) -> RealtimeWakes.Loop.Broadcast? {
        let wakes = loops[loop].wakes
        guard loops[loop].singleRecallCount < Self.singleRecallCountMax else {
            loops[loop].lastBroadcast = 0
            return wakes.recall()
        }
        loops[loop].singleRecallCount += 1
        return wakes.recall(for: id)
    }

    /// Gives listeners a change.
    mutating func push(_ change: SharedChange, to listeners: [RealtimeListener]) {
        guard listeners.count >= Self.broadcastConnectionCountMin else {
            for listener in listeners {
                put(.push(change, tag: listener.tag), to: listener.connection)
            }
            return
        }
        broadcastCount += 1
        let parts = divide(listeners, for: change)
        for (index, part) in parts.enumerated() where !part.listeners.isEmpty {
            let wakes = loops[index].wakes
            if let early = wakes.recall() { deliver(early) }
            if part.isForSockets, wakes.broadcast(change, to: part.listeners) {
                loops[index].lastBroadcast = broadcastCount
                loops[index].singleRecallCount = 0
            } else {
                deliver(.init(change: change, listeners: part.listeners))
            }
        }
    }

    /// The listeners of each loop; those who take no part in broadcasts get the change at once.
    private mutating func divide(
        _ listeners: [RealtimeListener], for change: SharedChange
    ) -> [Part] {
        var parts = [Part](repeating: Part(), count: loops.count)
        for listener in listeners {
            if let index = places.index(forKey: listener.connection) {
                let loop = places.values[index].loop
                if places.values[index].lastBroadcast != broadcastCount {
                    places.values[index].lastBroadcast = broadcastCount
                    parts[loop].connectionCount += 1
                }
                parts[loop].listeners.append(listener)
            } else {
                outboxes[listener.connection]?.put(.push(change, tag: listener.tag))
            }
        }
        return parts
    }

    private func deliver(_ broadcast: RealtimeWakes.Loop.Broadcast) {
        for listener in broadcast.listeners {
            outboxes[listener.connection]?.put(.push(broadcast.change, tag: listener.tag))
        }
    }
}
