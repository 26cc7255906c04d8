import HearthModel
import HearthWire
import Synchronization

/// Listens for the observers of one `Database`, and calls them on the thread of callbacks.
final class Observers: Sendable {
    private struct State {
        var table = ObserverTable()
        var kept: [ListenTarget: ClientMachine.OperationID] = [:]
        var lastReader: ObserverTable.ReaderID = 0
    }

    /// Whether the machine is connected to the backend.
    private static let connected = RealtimePath.info.appending(ChildKey(unchecked: "connected"))
    private static let lastHandle = Atomic<DatabaseHandle>(0)

    private let client: Client
    private let state = Mutex(State())
    /// Held over a change of the table and the call of the client that the change asks for, so that
    /// the end of a listen never overtakes its beginning. News takes `state` alone.
    private let order = Mutex(())

    init(_ client: Client) {
        self.client = client
    }

    /// A handle that no observer of this process has had.
    static func nextHandle() -> DatabaseHandle {
        lastHandle.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Begins to tell an observer.
    func add(_ observer: ObserverTable.Observer, to target: ListenTarget) {
        let isDue = order.withLock { _ in
            let operation = client.nextOperation()
            let (mustListen, isDue) = state.withLock {
                $0.table.add(observer, to: target, operation: operation)
            }
            if mustListen { listen(operation, to: target) }
            return isDue
        }
        if isDue { schedule(target) }
    }

    /// Begins to follow a query for a loop, which asks with `read`.
    func follow(
        _ target: ListenTarget, wantsChildren: Bool, wake: @escaping @Sendable () -> Void
    ) -> ObserverTable.ReaderID {
        order.withLock { _ in
            let operation = client.nextOperation()
            let (id, mustListen) = state.withLock { state in
                state.lastReader += 1
                let mustListen = state.table.add(
                    state.lastReader, to: target, operation: operation,
                    wantsChildren: wantsChildren, wake: wake)
                return (state.lastReader, mustListen)
            }
            if mustListen { listen(operation, to: target) }
            return id
        }
    }

    /// What a loop has not been told yet; `nil` for nothing.
    ///
    /// - Throws: The error that ended the listen.
    func read(
        _ id: ObserverTable.ReaderID
    ) throws -> (events: [RealtimeEvent], view: IndexedNode)? {
        try state.withLock { try $0.table.read(id) }
    }

    /// A loop has ended.
    func unfollow(_ id: ObserverTable.ReaderID) {
        order.withLock { _ in
            if let ended = state.withLock({ $0.table.remove(id) }) { client.end(ended) }
        }
    }

    /// A loop has gone, on a thread that may hold a lock of ours.
    func unfollowSoon(_ id: ObserverTable.ReaderID) {
        client.callbacks.enqueue { self.unfollow(id) }
    }

    /// Removes one observer of a query, or all.
    func remove(_ handle: DatabaseHandle?, at target: ListenTarget) {
        let removed = order.withLock { _ in
            let (ended, removed) = state.withLock { $0.table.remove(handle, at: target) }
            for operation in ended { client.end(operation) }
            return removed
        }
        withExtendedLifetime(removed) {}  // Until here, where no lock is held.
    }

    /// Keeps a query in step without an observer, or ends that.
    func keep(_ target: ListenTarget, _ isKept: Bool) {
        order.withLock { _ in
            let old = state.withLock { $0.kept[target] }
            if isKept, old == nil {
                let operation = client.nextOperation()
                state.withLock { $0.kept[target] = operation }
                client.observe(operation, target, .silent) { [weak self] news in
                    if case .failure(let error) = news {
                        self?.keepingFailed(target, operation, error)
                    }
                }
            } else if !isKept, let old {
                state.withLock { $0.kept[target] = nil }
                client.end(old)
            }
        }
    }

    private func keepingFailed(
        _ target: ListenTarget, _ operation: ClientMachine.OperationID, _ error: FirestoreError
    ) {
        ClientLog.note("\(target.path) is not kept in step: \(error)")
        state.withLock { state in
            if state.kept[target] == operation { state.kept[target] = nil }
        }
    }

    private func listen(_ operation: ClientMachine.OperationID, to target: ListenTarget) {
        client.observe(operation, target, .observer) { [weak self] news in
            switch news {
            case .success(.view(let news)): self?.received(news, target, operation)
            case .success(.beginning(let news)):
                self?.received(news, target, operation, asFirst: true)
            case .success(.unconnected):
                self?.isUnconnected(target, operation, asFirst: true)
            case .success(.interrupted):
                self?.isUnconnected(target, operation, asFirst: false)
            case .failure(let error): self?.failed(DatabaseError(error), target, operation)
            }
        }
    }

    /// Without the daemon the program is not connected, and nobody else tells it.
    ///
    /// - Parameter asFirst: Whether the call tells only the state before anything was heard.
    private func isUnconnected(
        _ target: ListenTarget, _ operation: ClientMachine.OperationID, asFirst: Bool
    ) {
        guard target.path == Self.connected else { return }
        let news = ViewNews(
            target, .whole(Node(.bool(false))), isComplete: true, isValueTold: true)
        received(news, target, operation, asFirst: asFirst)
    }

    private func received(
        _ news: ViewNews, _ target: ListenTarget, _ operation: ClientMachine.OperationID,
        asFirst: Bool = false
    ) {
        let (isDue, wakes) = state.withLock {
            $0.table.received(news, for: target, operation, asFirst: asFirst)
        }
        if isDue { schedule(target) }
        for wake in wakes { wake() }
    }

    private func failed(
        _ error: DatabaseError, _ target: ListenTarget, _ operation: ClientMachine.OperationID
    ) {
        let (observers, wakes) = state.withLock { $0.table.failed(error, for: target, operation) }
        for case let cancel? in observers.map(\.cancel) {
            client.callbacks.enqueue { cancel(error) }
        }
        for wake in wakes { wake() }
    }

    private func schedule(_ target: ListenTarget) {
        client.callbacks.enqueue { [weak self] in self?.deliver(target) }
    }

    private func deliver(_ target: ListenTarget) {
        for call in state.withLock({ $0.table.deliver(target) }) {
            let isThere = order.withLock { _ in
                let (isThere, ended) = state.withLock { $0.table.begin(call) }
                if let ended { client.end(ended) }
                return isThere
            }
            if isThere { call.observer.tell(call.event, call.view) }
        }
    }
}
