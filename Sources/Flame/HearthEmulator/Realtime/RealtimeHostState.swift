import HearthBackend
import HearthModel

/// The state that the host's lock guards: the backend, and the changes on their way to the disk.
struct RealtimeHostState: Sendable {
    /// A message or an answer that must leave, for one destination or many listeners.
    enum Delivery: Sendable {
        /// The same change for all listeners.
        case push(SharedChange, [RealtimeListener])
        /// A message for one connection.
        case message(RealtimeOutbox.Message, RealtimeConnectionID)
        /// The answer to a caller outside a connection.
        ///
        /// Gets an error if the caller's change did not reach the disk.
        case reply(@Sendable (HearthError?) -> Void)
    }

    /// Changes that go to disk together, and the deliveries that wait for the changes.
    struct Group: Sendable {
        var saves: [(RealtimeNamespace, RealtimeBackend.Save)] = []
        var deliveries: [Delivery] = []

        var isEmpty: Bool { saves.isEmpty && deliveries.isEmpty }
    }

    /// The work that a turn leaves for the time after the lock.
    struct After {
        var replies: [@Sendable (HearthError?) -> Void] = []
        /// Whether the disk's queue must start to save the waiting group.
        var startsSaving = false
    }

    /// The work that a lost group leaves.
    struct Loss {
        /// The answers to calls that waited for the disk; the host passes the error to each.
        var replies: [@Sendable (HearthError?) -> Void] = []
        /// Connections that ended since the state on disk, and must end again.
        var ended: [RealtimeConnectionID] = []
    }

    /// The backend as it is now.
    var backend: RealtimeBackend {
        get { states.now }
        _modify { yield &states.now }
    }
    private var states: DurableState<RealtimeBackend>
    private var waiting = Group()
    private var outboxes = RealtimeOutboxes()
    /// The connections that ended and are still open in the state on disk.
    private var ended: [RealtimeConnectionID] = []
    private var lastConnection: UInt64 = 0

    /// Begins with a backend.
    ///
    /// - Parameter isKept: Whether there is a disk.
    init(_ backend: RealtimeBackend, isKept: Bool) {
        states = DurableState(backend, isKept: isKept)
    }

    /// Opens a connection whose messages go to an outbox.
    mutating func open(
        _ outbox: RealtimeOutbox, in namespace: RealtimeNamespace, by caller: RealtimeCaller
    ) -> RealtimeConnectionID {
        lastConnection += 1
        let id = RealtimeConnectionID(lastConnection)
        outboxes.open(id, outbox)
        states.updateAll { $0.connect(id, to: namespace, as: caller) }
        return id
    }

    /// Ends a connection, and makes the connection's writes for its end.
    mutating func close(_ id: RealtimeConnectionID, at now: Timestamp) {
        outboxes.close(id)
        ended.append(id)
        backend.disconnect(id, at: now)
    }

    /// Lets a call have its turn.
    ///
    /// - Parameter body: Changes the backend, and returns the deliveries that follow the effects of
    ///   the change.
    mutating func take(_ body: (inout RealtimeHostState) -> [Delivery]) -> After {
        let before = states.beforeTurn
        let answers = body(&self)
        let isListen = answers.contains(where: \.isOfListen)
        var deliveries: [Delivery] = []
        var saves: [(RealtimeNamespace, RealtimeBackend.Save)] = []
        for effect in backend.takeEffects() {
            switch effect {
            case .save(let namespace, let save): saves.append((namespace, save))
            case .push(let change, let listeners):
                deliveries.append(.push(SharedChange(change, isFirst: isListen), listeners))
            case .revoke(let path, let query, let listener):
                let message = RealtimeOutbox.Message.revoke(path, query, tag: listener.tag)
                deliveries.append(.message(message, listener.connection))
            }
        }
        deliveries += answers
        states.turned(from: before, hasChanged: !saves.isEmpty)
        var after = After()
        if states.isAhead {
            waiting.saves += saves
            waiting.deliveries += deliveries
            after.startsSaving = states.beginsSaving(isWaiting: !waiting.isEmpty)
        } else {
            ended = []
            after.replies = deliver(deliveries)
        }
        return after
    }

    /// Closes the group that waits; `nil` if the group is empty.
    mutating func takeGroup() -> Group? {
        states.closeGroup(isEmpty: waiting.isEmpty)
        if waiting.isEmpty { return nil }
        defer { waiting = Group() }
        return waiting
    }

    /// A group is on disk: delivers the messages and answers that waited for the group.
    mutating func saved(_ group: Group) -> [@Sendable (HearthError?) -> Void] {
        states.landed(isMoreWaiting: !waiting.isEmpty)
        if !states.isAhead { ended = [] }
        return deliver(group.deliveries)
    }

    /// A group did not get to the disk: takes the backend back to the state on disk.
    ///
    /// Callers get the error. Connections end, since their clients may hold changes that the disk
    /// does not have.
    mutating func lost(_ group: Group, _ error: HearthError) -> Loss {
        states.lost()
        var loss = Loss(ended: ended)
        for case .reply(let reply) in group.deliveries + waiting.deliveries {
            loss.replies.append(reply)
        }
        ended = []
        waiting = Group()
        for outbox in outboxes.all { outbox.put(.lost(error)) }
        return loss
    }

    private mutating func deliver(_ deliveries: [Delivery]) -> [@Sendable (HearthError?) -> Void] {
        var replies: [@Sendable (HearthError?) -> Void] = []
        for delivery in deliveries {
            switch delivery {
            case .push(let change, let listeners): outboxes.push(change, to: listeners)
            case .message(let message, let id): outboxes.put(message, to: id)
            case .reply(let reply): replies.append(reply)
            }
        }
        return replies
    }
}

extension RealtimeHostState.Delivery {
    /// Whether this answers a listen; the effects are then the first data.
    fileprivate var isOfListen: Bool {
        if case .message(.answer(.listening, _), _) = self { return true }
        return false
    }
}
