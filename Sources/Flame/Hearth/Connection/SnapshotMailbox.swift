import HearthModel
import Synchronization

/// Holds the update that a listener has not seen yet: at most one, however slow the listener is.
///
/// The mailbox joins a new update with those that wait. The listener then sees the newest state, and all
/// changes since the state that the listener saw last.
final class SnapshotMailbox: Sendable {
    typealias News = Result<ViewUpdate, FirestoreError>

    private struct State {
        var updates: UnseenUpdates?
        var error: FirestoreError?
        var isFinished = false
    }

    private let state = Mutex(State())

    /// An empty mailbox.
    init() {}

    /// Puts news in.
    ///
    /// - Returns: Whether the mailbox was empty. If so, the caller must wake the mailbox's owner.
    func put(_ news: News) -> Bool {
        state.withLock { state in
            let wasEmpty = state.updates == nil && state.error == nil
            switch news {
            case .success(let next):
                if state.updates?.append(next) == nil { state.updates = UnseenUpdates(next) }
            case .failure(let error):
                state.error = error
            }
            return wasEmpty
        }
    }

    /// Takes out the update or, if there is no update, the error; `nil` if the mailbox is empty.
    func take() -> News? {
        let (updates, error) = state.withLock { state -> (UnseenUpdates?, FirestoreError?) in
            defer { state.updates = nil }
            guard state.updates == nil else { return (state.updates, nil) }
            defer { state.error = nil }
            return (nil, state.error)
        }
        if let updates { return .success(updates.joined) }
        return error.map { .failure($0) }
    }

    /// Whether there is nothing to take.
    var isEmpty: Bool { state.withLock { $0.updates == nil && $0.error == nil } }

    /// Throws away the news in the mailbox and all later news.
    func finish() {
        state.withLock { state in
            state.isFinished = true
            state.updates = nil
            state.error = nil
        }
    }

    /// Whether the owner wants no more.
    var isFinished: Bool { state.withLock { $0.isFinished } }
}
