import HearthModel
import Synchronization

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
