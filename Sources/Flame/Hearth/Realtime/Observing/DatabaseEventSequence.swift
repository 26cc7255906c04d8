import HearthModel
import Synchronization

/// The events of a query: what is there soon, then what changes.
///
///     for try await room in ref.child("rooms").values { ... }
///     for try await event in ref.child("log").events(.childAdded) { ... }
///
/// Each loop is an observer of its own, which ends when the loop's iterator goes or the task is
/// cancelled. A loop that is slower than the changes is told less of them, but never an old state
/// as the newest.
public struct DatabaseEventSequence<Element: Sendable>: AsyncSequence, Sendable {
    private let query: DatabaseQuery
    private let types: Set<DataEventType>
    private let element: @Sendable (DatabaseEvent) -> Element

    init(
        _ query: DatabaseQuery, _ types: Set<DataEventType>,
        element: @escaping @Sendable (DatabaseEvent) -> Element
    ) {
        self.query = query
        self.types = types
        self.element = element
    }

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            reader: EventReader(query, wantsChildren: types.contains { $0 != .value }),
            query: query, types: types, element: element)
    }

    /// One observer, for one loop.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: EventReader
        fileprivate let query: DatabaseQuery
        fileprivate let types: Set<DataEventType>
        fileprivate let element: @Sendable (DatabaseEvent) -> Element
        private var events: ArraySlice<DatabaseEvent> = []

        fileprivate init(
            reader: EventReader, query: DatabaseQuery, types: Set<DataEventType>,
            element: @escaping @Sendable (DatabaseEvent) -> Element
        ) {
            self.reader = reader
            self.query = query
            self.types = types
            self.element = element
        }

        /// Waits for the next event; `nil` if the task was cancelled.
        ///
        /// - Throws: `DatabaseError` once, when the observer has failed.
        public mutating func next() async throws -> Element? {
            while true {
                if Task.isCancelled { return nil }
                if let event = events.popFirst() { return element(event) }
                guard let (news, view) = try await reader.next() else { return nil }
                events =
                    news.filter { types.contains(DataEventType($0.kind)) }.map { event in
                        DatabaseEvent(
                            type: DataEventType(event.kind),
                            snapshot: query.snapshot(of: event, in: view),
                            previousSiblingKey: event.previousKey?.text)
                    }[...]
            }
        }
    }
}

extension DatabaseQuery {
    /// The value now and after every change, for `for try await`.
    public var values: DatabaseEventSequence<DataSnapshot> {
        DatabaseEventSequence(self, [.value]) { $0.snapshot }
    }

    /// The events of some kinds, for `for try await`.
    public func events(_ types: DataEventType...) -> DatabaseEventSequence<DatabaseEvent> {
        DatabaseEventSequence(self, Set(types)) { $0 }
    }
}

/// An observer whose owner asks for the events.
private final class EventReader: Sendable {
    private struct State {
        var id: ObserverTable.ReaderID?
        var fault: DatabaseError?
        var mayHaveNews = false
        var isFinished = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let observers: Observers
    private let state = Mutex(State())

    init(_ query: DatabaseQuery, wantsChildren: Bool) {
        observers = query.database.observers
        do throws(DatabaseError) {
            let target = try query.validated()
            let id = observers.follow(target, wantsChildren: wantsChildren) { [weak self] in
                self?.wake { $0.mayHaveNews = true }
            }
            state.withLock { state in
                state.id = id
                state.mayHaveNews = true
            }
        } catch {
            state.withLock { $0.fault = error }
        }
    }

    deinit {
        if let id = state.withLock({ $0.id }) { observers.unfollowSoon(id) }
    }

    /// Waits for events; `nil` after an error, or when the task is cancelled.
    func next() async throws -> (events: [RealtimeEvent], view: IndexedNode)? {
        while true {
            if Task.isCancelled { finish() }
            let (id, fault) = state.withLock { state in
                state.mayHaveNews = false
                defer { state.fault = nil }
                return (state.isFinished ? nil : state.id, state.fault)
            }
            if let fault { throw fault }
            guard let id else { return nil }
            do {
                if let news = try observers.read(id) { return news }
            } catch {
                finish()
                throw error
            }
            await withTaskCancellationHandler {
                await wait()
            } onCancel: {
                finish()
            }
        }
    }

    private func finish() {
        let id = state.withLock { state in
            defer { state.id = nil }
            return state.id
        }
        if let id { observers.unfollow(id) }
        wake { $0.isFinished = true }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    private func wait() async {
        await withCheckedContinuation { continuation in
            // News may have come since `next` looked; then do not sleep.
            let isDue = state.withLock { state in
                if state.isFinished || state.mayHaveNews { return true }
                state.waiting = continuation
                return false
            }
            if isDue { continuation.resume() }
        }
    }
}
