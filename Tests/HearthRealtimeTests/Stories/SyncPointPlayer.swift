import HearthModel

@testable import HearthRealtime

/// Plays a story at some place of a tree, and compares what listeners hear.
struct SyncPointPlayer {
    private let base: RealtimePath
    private var tree = SyncTree()
    private var listeners: [Int64: ListenerName] = [:]
    /// What each callback listens to.
    private var targets: [Int64: [ListenTarget]] = [:]
    private var listenerCount: UInt64 = 0
    private var writes: [WriteID: WriteName] = [:]
    /// What the server was asked for, as a server would know it.
    private var listens: Set<ListenTarget> = []
    /// The step that is played, for messages.
    private var place = ""
    /// What was otherwise than the stories tell.
    private(set) var faults: [String] = []

    init(at base: RealtimePath) {
        self.base = base
    }

    /// Plays all steps; notes a fault where a listener hears something else.
    mutating func play(_ story: SyncPointStory) {
        for (number, step) in story.steps.enumerated() {
            place = "\(story.name), step \(number + 1) at \(base)"
            let heard = play(step.action)
            let expected = step.events.map { event in
                SyncPointStory.Event(
                    path: base.appending(event.path), kind: event.kind, key: event.key,
                    previousKey: event.previousKey, hash: event.hash)
            }
            // Events of one place may come in any order among the listeners there; places may not. A
            // listener that comes hears of its own query alone, in its order.
            let isRight =
                if case .listen = step.action {
                    heard == expected
                } else {
                    Self.runs(heard) == Self.runs(expected)
                }
            if !isRight { faults.append("\(place): \(heard) for \(expected)") }
        }
    }

    private static func runs(_ events: [SyncPointStory.Event]) -> [[SyncPointStory.Event: Int]] {
        var runs: [[SyncPointStory.Event: Int]] = []
        var last: RealtimePath?
        for event in events {
            if event.path != last { runs.append([:]) }
            last = event.path
            runs[runs.count - 1][event, default: 0] += 1
        }
        return runs
    }

    // MARK: Steps

    private mutating func play(_ action: SyncPointStory.Action) -> [SyncPointStory.Event] {
        switch action {
        case .nothing: return []
        case .listen(let path, let query, let callback):
            return listen(ListenTarget(base.appending(path), query), callback)
        case .unlisten(let path, let query, let callback):
            unlisten(ListenTarget(base.appending(path), query), callback)
            return []
        case .set(let place, let node, let isVisible):
            return events(
                of: write(
                    PendingWrite(nextWrite, set: place.below(base), to: node, isVisible: isVisible))
            )
        case .update(let path, let parts):
            return events(
                of: write(PendingWrite(nextWrite, update: base.appending(path), parts)))
        case .serverUpdate(let place, let node, nil):
            return events(of: tree.overwrite(place.below(base), node))
        case .serverUpdate(let place, let node, let tag?):
            return events(of: tree.overwrite(place.below(base), node, tag: tag))
        case .serverMerge(let path, let parts, nil):
            return events(of: tree.merge(base.appending(path), CompoundWrite(parts)))
        case .serverMerge(let path, let parts, let tag?):
            return events(of: tree.merge(base.appending(path), CompoundWrite(parts), tag: tag))
        case .settle(let id, let isReverted):
            return writes[id].map { events(of: tree.settle($0, isReverted: isReverted)) } ?? []
        }
    }

    private var nextWrite: WriteID { WriteID(Int64(writes.count)) }

    private mutating func write(_ write: PendingWrite) -> [SyncTree.Update] {
        writes[write.id] = write.name
        return tree.write(write)
    }

    private mutating func listen(_ target: ListenTarget, _ callback: Int64?)
        -> [SyncPointStory.Event]
    {
        listenerCount += 1
        let known = callback.flatMap { listeners[$0] }
        let listener = known ?? ListenerName(listenerCount)
        if let callback {
            listeners[callback] = listener
            targets[callback, default: []].append(target)
        }
        let joining = tree.listen(target, listener)
        follow(joining.actions)
        return EventGenerator(index: target.query.index)
            .initialEvents(of: joining.shown, isComplete: joining.isComplete)
            .map { Self.event($0, at: target.path) }
    }

    /// Without a query of its own, an unlisten is for whatever the callback listens to at the place.
    private mutating func unlisten(_ target: ListenTarget, _ callback: Int64) {
        guard let listener = listeners[callback] else { return }
        let ended = (targets[callback] ?? []).filter {
            $0 == target || (target.query.isDefault && $0.path == target.path)
        }
        for target in ended { follow(tree.unlisten(target, listener)) }
        targets[callback]?.removeAll { ended.contains($0) }
    }

    /// A server is never asked twice for the same, nor told to stop what it was not asked.
    private mutating func follow(_ actions: [ListenAction]) {
        for action in actions {
            switch action {
            case .listen(let target, _):
                if !listens.insert(target).inserted {
                    faults.append("\(place): the server is asked twice for \(target)")
                }
            case .unlisten(let target, _):
                if listens.remove(target) == nil {
                    faults.append("\(place): the server was not asked for \(target)")
                }
            }
        }
    }

    // MARK: Events

    private func events(of updates: [SyncTree.Update]) -> [SyncPointStory.Event] {
        updates.flatMap { update -> [SyncPointStory.Event] in
            let events = EventGenerator(index: update.query.index).events(
                of: update.outcome.changes, in: update.outcome.shown,
                isValueTold: update.outcome.isValueTold)
            return update.listeners.flatMap { _ in
                events.map { Self.event($0, at: update.path) }
            }
        }
    }

    private static func event(_ event: RealtimeEvent, at path: RealtimePath)
        -> SyncPointStory.Event
    {
        SyncPointStory.Event(
            path: path, kind: event.kind, key: event.key?.text,
            previousKey: event.previousKey?.text, hash: NodeHash.hash(of: event.node))
    }
}
