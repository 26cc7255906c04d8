import HearthModel
import Synchronization

/// The snapshots of a query or a document: the first soon, then one for each change.
///
///     for try await rooms in db.collection("rooms").snapshots { ... }
///
/// Each loop has a listener of its own. The listener ends when the loop's iterator goes or the task
/// is cancelled. A loop that is slower than the changes skips states, but no change:
/// `documentChanges` lists all differences from the snapshot that the loop saw last.
public struct SnapshotSequence<Element: Sendable>: AsyncSequence, Sendable {
    private let client: Client
    private let query: Result<HearthModel.Query, FirestoreError>
    private let options: SnapshotListenOptions
    private let element: @Sendable (ViewUpdate) -> Element

    init(
        client: Client, query: HearthModel.Query, options: SnapshotListenOptions,
        element: @escaping @Sendable (ViewUpdate) -> Element
    ) {
        self.init(client: client, query: .success(query), options: options, element: element)
    }

    init(
        client: Client, query: Result<HearthModel.Query, FirestoreError>,
        options: SnapshotListenOptions, element: @escaping @Sendable (ViewUpdate) -> Element
    ) {
        self.client = client
        self.query = query
        self.options = options
        self.element = element
    }

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            listener: SnapshotListener(client: client, query: query, options: options),
            element: element)
    }

    /// One listener, for one loop.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let listener: SnapshotListener
        fileprivate let element: @Sendable (ViewUpdate) -> Element

        /// Waits for the next snapshot; `nil` if the task was cancelled.
        ///
        /// - Throws: `FirestoreError` once, when the listener has failed.
        public mutating func next() async throws -> Element? {
            try await listener.next().map(element)
        }
    }
}

/// A listener whose owner asks for each update.
final class SnapshotListener: Sendable {
    private struct State {
        var isFinished = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let client: Client
    private let id: Client.OperationID
    private let mailbox = SnapshotMailbox()
    private let state = Mutex(State())

    init(
        client: Client, query: Result<HearthModel.Query, FirestoreError>,
        options: SnapshotListenOptions
    ) {
        self.client = client
        id = client.nextOperation()
        switch query {
        case .success(let query):
            client.listen(id, to: query, options.wire) { [weak self] news in self?.put(news) }
        case .failure(let error):
            _ = mailbox.put(.failure(error))
        }
    }

    deinit {
        client.end(id)
    }

    /// Waits for an update; `nil` after an error, or when the task is cancelled.
    ///
    /// - Throws: `FirestoreError` once, when the listener has failed.
    func next() async throws -> ViewUpdate? {
        while true {
            if Task.isCancelled { finish() }
            if state.withLock({ $0.isFinished }) { return nil }
            switch mailbox.take() {
            case .success(let update)?:
                return update
            case .failure(let error)?:
                finish()
                throw error
            case nil:
                await withTaskCancellationHandler {
                    await wait()
                } onCancel: {
                    finish()
                }
            }
        }
    }

    private func put(_ news: SnapshotMailbox.News) {
        guard mailbox.put(news) else { return }
        wake()
    }

    private func finish() {
        mailbox.finish()
        client.end(id)
        state.withLock { $0.isFinished = true }
        wake()
    }

    private func wake() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    private func wait() async {
        await withCheckedContinuation { continuation in
            // News may have come since `next` looked into the mailbox; then do not sleep.
            let isDue = state.withLock { state in
                if state.isFinished || !mailbox.isEmpty { return true }
                state.waiting = continuation
                return false
            }
            if isDue { continuation.resume() }
        }
    }
}
