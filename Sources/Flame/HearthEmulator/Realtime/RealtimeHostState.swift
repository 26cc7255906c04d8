import HearthBackend
import HearthModel

/// What the host's lock guards: the backend, and what is on its way to the disk.
///
///     backend   as it is
///     flying    as it was when the group that is being written was closed
///     saved     as it is on disk; `nil` if nothing differs from `backend`
///
/// All that anybody is told waits behind the disk once anything does, so that whoever has seen a change will
/// see it after a crash.
struct RealtimeHostState: Sendable {
    /// What is to be told, to one place.
    enum Delivery: Sendable {
        /// To listeners, the same to all.
        case push(PushedChange, [RealtimeListener])
        /// To one connection.
        case message(RealtimeOutbox.Message, RealtimeConnectionID)
        /// To a caller who waits for no more than this; with an error if it is not kept.
        case reply(@Sendable (HearthError?) -> Void)
    }

    /// Changes that go to disk together, and what is told once they are there.
    struct Group: Sendable {
        var saves: [(RealtimeNamespace, RealtimeBackend.Save)] = []
        var deliveries: [Delivery] = []

        var isEmpty: Bool { saves.isEmpty && deliveries.isEmpty }
    }

    /// What a turn leaves to be done outside the lock.
    struct After {
        var replies: [@Sendable (HearthError?) -> Void] = []
        /// Whether the disk must be told that something waits.
        var startsSaving = false
    }

    var backend: RealtimeBackend
    private let isKept: Bool
    private var saved: RealtimeBackend?
    private var flying: RealtimeBackend?
    private var waiting = Group()
    private var isSaving = false
    private var outboxes: [RealtimeConnectionID: RealtimeOutbox] = [:]
    private var lastConnection: UInt64 = 0

    /// Begins with a backend.
    ///
    /// - Parameter isKept: Whether there is a disk.
    init(_ backend: RealtimeBackend, isKept: Bool) {
        self.backend = backend
        self.isKept = isKept
    }

    /// Opens a connection whose messages go to an outbox.
    mutating func open(
        _ outbox: RealtimeOutbox, in namespace: RealtimeNamespace, by caller: RealtimeCaller
    ) -> RealtimeConnectionID {
        lastConnection += 1
        let id = RealtimeConnectionID(lastConnection)
        outboxes[id] = outbox
        backend.connect(id, to: namespace, as: caller)
        saved?.connect(id, to: namespace, as: caller)
        flying?.connect(id, to: namespace, as: caller)
        return id
    }

    /// Forgets where a connection's messages go.
    mutating func close(_ id: RealtimeConnectionID) {
        outboxes[id] = nil
    }

    /// Lets a call have its turn.
    ///
    /// - Parameter body: Changes the backend, and says what is told after the effects of that.
    mutating func take(_ body: (inout RealtimeHostState) -> [Delivery]) -> After {
        let before = isKept && saved == nil ? backend : nil
        let answers = body(&self)
        var deliveries: [Delivery] = []
        var saves: [(RealtimeNamespace, RealtimeBackend.Save)] = []
        for effect in backend.takeEffects() {
            switch effect {
            case .save(let namespace, let save): saves.append((namespace, save))
            case .push(let change, let listeners): deliveries.append(.push(change, listeners))
            case .revoke(let path, let query, let listener):
                let message = RealtimeOutbox.Message.revoke(path, query, tag: listener.tag)
                deliveries.append(.message(message, listener.connection))
            }
        }
        deliveries += answers
        if let before, !saves.isEmpty { saved = before }
        var after = After()
        if saved == nil {
            after.replies = deliver(deliveries)
        } else {
            waiting.saves += saves
            waiting.deliveries += deliveries
            after.startsSaving = !isSaving && !waiting.isEmpty
            if after.startsSaving { isSaving = true }
        }
        return after
    }

    /// Closes the group that waits; `nil` if nothing does.
    mutating func takeGroup() -> Group? {
        if waiting.isEmpty {
            isSaving = false
            return nil
        }
        defer { waiting = Group() }
        flying = backend
        return waiting
    }

    /// A group is on disk: whoever waited is told.
    mutating func saved(_ group: Group) -> [@Sendable (HearthError?) -> Void] {
        saved = waiting.isEmpty ? nil : flying
        flying = nil
        return deliver(group.deliveries)
    }

    /// A group did not get to the disk: everything is again as the disk has it, callers are told so, and
    /// connections end, since what they hold may never have been.
    mutating func lost(
        _ group: Group, _ error: HearthError
    ) -> [@Sendable (HearthError?) -> Void] {
        if let saved { backend = saved }
        saved = nil
        flying = nil
        var replies: [@Sendable (HearthError?) -> Void] = []
        for case .reply(let reply) in group.deliveries + waiting.deliveries {
            replies.append(reply)
        }
        waiting = Group()
        for outbox in outboxes.values { outbox.put(.lost(error)) }
        return replies
    }

    private func deliver(_ deliveries: [Delivery]) -> [@Sendable (HearthError?) -> Void] {
        var replies: [@Sendable (HearthError?) -> Void] = []
        for delivery in deliveries {
            switch delivery {
            case .push(let change, let listeners):
                let shared = SharedChange(change)
                for listener in listeners {
                    outboxes[listener.connection]?.put(.push(shared, tag: listener.tag))
                }
            case .message(let message, let id): outboxes[id]?.put(message)
            case .reply(let reply): replies.append(reply)
            }
        }
        return replies
    }
}
