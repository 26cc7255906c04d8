import HearthModel

/// The observers of one `Database`, by query: each query is listened to once.
///
/// The table only keeps account; `Observers` listens and calls.
struct ObserverTable: Sendable {
    typealias OperationID = ClientMachine.OperationID
    typealias ReaderID = UInt64

    /// A closure that is told events of one kind.
    struct Observer: Sendable {
        /// Names the observer.
        let handle: DatabaseHandle
        /// What the observer is told.
        let kind: DataEventType
        /// Whether the observer ends with its first event.
        let isSingle: Bool
        /// Tells an event, with the view that the event belongs to.
        let tell: @Sendable (RealtimeEvent, IndexedNode) -> Void
        /// Tells why the observer has ended.
        let cancel: (@Sendable (any Error) -> Void)?
        /// Whether the observer has been told nothing yet.
        fileprivate(set) var isNew = true

        /// An observer that has been told nothing.
        init(
            handle: DatabaseHandle, kind: DataEventType, isSingle: Bool = false,
            tell: @escaping @Sendable (RealtimeEvent, IndexedNode) -> Void,
            cancel: (@Sendable (any Error) -> Void)?
        ) {
            self.handle = handle
            self.kind = kind
            self.isSingle = isSingle
            self.tell = tell
            self.cancel = cancel
        }
    }

    /// A call that is to be made now, if its observer is still there then.
    struct Call: Sendable {
        let target: ListenTarget
        let observer: Observer
        let event: RealtimeEvent
        let view: IndexedNode
    }

    /// A loop that asks for events itself.
    private struct Reader {
        var follower = EventFollower()
        let wantsChildren: Bool
        let wake: @Sendable () -> Void
        var fault: DatabaseError?
    }

    private struct Entry {
        let operation: OperationID
        var observed: ObservedNode
        /// Of the observers that are not new.
        var follower = EventFollower(startsOver: false)
        var observers: [Observer] = []
        var readers: Set<ReaderID> = []
        /// Whether a delivery is on its way to the thread of callbacks.
        var isScheduled = false

        var isUnused: Bool { observers.isEmpty && readers.isEmpty }
    }

    private var entries: [ListenTarget: Entry] = [:]
    private var readers: [ReaderID: (target: ListenTarget, reader: Reader)] = [:]

    /// Nobody observes anything.
    init() {}

    /// The queries that are observed.
    var targets: Set<ListenTarget> { Set(entries.keys) }

    private func wantsChildren(_ entry: Entry) -> Bool {
        entry.observers.contains { $0.kind != .value }
            || entry.readers.contains { readers[$0]?.reader.wantsChildren == true }
    }

    // MARK: Coming

    /// An observer comes.
    ///
    /// - Parameter operation: The listen to begin if this is the query's first observer.
    /// - Returns: Whether the listen must begin, and whether a delivery must be scheduled.
    mutating func add(
        _ observer: Observer, to target: ListenTarget, operation: OperationID
    ) -> (mustListen: Bool, isDue: Bool) {
        let mustListen = prepare(target, operation)
        entries[target]?.observers.append(observer)
        return (mustListen, schedule(target))
    }

    /// A loop comes, which asks for events with `read`.
    ///
    /// - Parameter wake: Tells that there may be events.
    /// - Returns: Whether the listen must begin.
    mutating func add(
        _ id: ReaderID, to target: ListenTarget, operation: OperationID, wantsChildren: Bool,
        wake: @escaping @Sendable () -> Void
    ) -> Bool {
        let mustListen = prepare(target, operation)
        entries[target]?.readers.insert(id)
        readers[id] = (target, Reader(wantsChildren: wantsChildren, wake: wake))
        return mustListen
    }

    private mutating func prepare(_ target: ListenTarget, _ operation: OperationID) -> Bool {
        guard entries[target] == nil else { return false }
        entries[target] = Entry(
            operation: operation, observed: ObservedNode(by: target.query.index))
        return true
    }

    // MARK: Going

    /// Observers at a place go: one, or all.
    ///
    /// - Parameters:
    ///   - handle: The observer; `nil` for all.
    ///   - target: The query that they observe. If the query is the default one, the observers of
    ///     every query of its place are looked through.
    /// - Returns: The listens that nobody needs any more, and the observers. An observer may hold
    ///   the last reference to its database: the caller must let go of them outside its locks.
    mutating func remove(
        _ handle: DatabaseHandle?, at target: ListenTarget
    ) -> (ended: [OperationID], removed: [Observer]) {
        let candidates =
            target.query.isDefault
            ? entries.keys.filter { $0.path == target.path } : [target]
        var removed: [Observer] = []
        let ended = candidates.compactMap { candidate in
            let observers = entries[candidate]?.observers ?? []
            let isRemoved = { (observer: Observer) in handle == nil || observer.handle == handle }
            removed += observers.filter(isRemoved)
            entries[candidate]?.observers.removeAll(where: isRemoved)
            return endIfUnused(candidate)
        }
        return (ended, removed)
    }

    /// A loop goes.
    mutating func remove(_ id: ReaderID) -> OperationID? {
        guard let target = readers.removeValue(forKey: id)?.target else { return nil }
        entries[target]?.readers.remove(id)
        return endIfUnused(target)
    }

    private mutating func endIfUnused(_ target: ListenTarget) -> OperationID? {
        guard let entry = entries[target], entry.isUnused else { return nil }
        entries[target] = nil
        return entry.operation
    }

    // MARK: What the daemon says

    /// News of a view has come.
    ///
    /// - Parameter asFirst: Whether the news counts only if nothing has been heard before.
    /// - Returns: Whether a delivery must be scheduled, and the loops to wake.
    mutating func received(
        _ news: ViewNews, for target: ListenTarget, _ operation: OperationID, asFirst: Bool = false
    ) -> (isDue: Bool, wakes: [@Sendable () -> Void]) {
        if asFirst, entries[target]?.observed.hasBegun == true { return (false, []) }
        // Taken out during the change, so that the waiting news is not copied.
        guard entries[target]?.operation == operation,
            var entry = entries.removeValue(forKey: target)
        else { return (false, []) }  // Ended while the news was on the way.
        let difference = entry.observed.received(news, wantsChildren: wantsChildren(entry))
        entry.follower.absorb(difference, in: entry.observed)
        entries[target] = entry
        var wakes: [@Sendable () -> Void] = []
        for id in entry.readers {
            readers[id]?.reader.follower.absorb(difference, in: entry.observed)
            if let wake = readers[id]?.reader.wake { wakes.append(wake) }
        }
        return (schedule(target), wakes)
    }

    /// A listen has failed: its observers and loops end.
    mutating func failed(
        _ error: DatabaseError, for target: ListenTarget, _ operation: OperationID
    ) -> (observers: [Observer], wakes: [@Sendable () -> Void]) {
        guard let entry = entries[target], entry.operation == operation else { return ([], []) }
        entries[target] = nil
        var wakes: [@Sendable () -> Void] = []
        for id in entry.readers {
            readers[id]?.reader.fault = error
            if let wake = readers[id]?.reader.wake { wakes.append(wake) }
        }
        return (entry.observers, wakes)
    }

    // MARK: Telling

    /// Whether a delivery must be scheduled: there is something to tell, and none is on its way.
    private mutating func schedule(_ target: ListenTarget) -> Bool {
        guard let entry = entries[target], !entry.isScheduled, entry.observed.hasBegun,
            !entry.observers.isEmpty
        else { return false }
        let isDue =
            entry.observers.contains(where: \.isNew) || entry.follower.isDue(in: entry.observed)
        entries[target]?.isScheduled = isDue
        return isDue
    }

    /// The calls that are due: changes for observers that know the node before, and everything for
    /// new observers.
    mutating func deliver(_ target: ListenTarget) -> [Call] {
        guard var entry = entries.removeValue(forKey: target) else { return [] }
        entry.isScheduled = false
        let old = entry.observers.filter { !$0.isNew }
        let new = entry.observers.filter(\.isNew)
        let view = entry.observed.view
        var calls: [Call] = []
        func call(_ observers: [Observer], _ events: [RealtimeEvent]) {
            for event in events {
                let kind = DataEventType(event.kind)
                for observer in observers where observer.kind == kind {
                    calls.append(
                        Call(target: target, observer: observer, event: event, view: view))
                }
            }
        }
        call(
            old,
            entry.follower.take(
                from: entry.observed, wantsChildren: old.contains { $0.kind != .value }))
        if !new.isEmpty, entry.observed.hasBegun {
            call(
                new,
                EventFollower.initialEvents(
                    of: entry.observed, wantsChildren: new.contains { $0.kind == .childAdded }))
            for place in entry.observers.indices { entry.observers[place].isNew = false }
        }
        entries[target] = entry
        return calls
    }

    /// A call is about to be made.
    ///
    /// - Returns: Whether the observer is still there, and the listen that ends with it.
    mutating func begin(_ call: Call) -> (isThere: Bool, ended: OperationID?) {
        let handle = call.observer.handle
        guard entries[call.target]?.observers.contains(where: { $0.handle == handle }) == true
        else { return (false, nil) }
        guard call.observer.isSingle else { return (true, nil) }
        entries[call.target]?.observers.removeAll { $0.handle == handle }
        return (true, endIfUnused(call.target))
    }

    /// What a loop has not been told yet.
    ///
    /// - Throws: The error that ended the listen.
    mutating func read(
        _ id: ReaderID
    ) throws(DatabaseError) -> (events: [RealtimeEvent], view: IndexedNode)? {
        guard let (target, reader) = readers[id] else { return nil }
        if let fault = reader.fault {
            readers[id] = nil
            throw fault
        }
        guard let entry = entries[target], reader.follower.isDue(in: entry.observed) else {
            return nil
        }
        let events = readers[id]?.reader.follower.take(
            from: entry.observed, wantsChildren: reader.wantsChildren)
        return events.map { ($0, entry.observed.view) }
    }
}
