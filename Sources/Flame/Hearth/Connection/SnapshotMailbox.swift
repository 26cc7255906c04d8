import HearthModel
import Synchronization

/// Holds what a listener has not been shown yet: never more than one update, however slow it is.
///
/// Updates that come while one waits are joined with it: the listener then sees the newest state,
/// and as changed everything that differs from what it saw last.
final class SnapshotMailbox: Sendable {
    typealias News = Result<ViewUpdate, FirestoreError>

    private struct State {
        var update: ViewUpdate?
        var error: FirestoreError?
        var isFinished = false
    }

    private let state = Mutex(State())

    /// An empty mailbox.
    init() {}

    /// Puts news in.
    ///
    /// - Returns: Whether the mailbox was empty, so that its owner must be woken.
    func put(_ news: News) -> Bool {
        state.withLock { state in
            let wasEmpty = state.update == nil && state.error == nil
            switch news {
            case .success(let next):
                state.update = state.update.map { $0.followed(by: next) } ?? next
            case .failure(let error):
                state.error = error
            }
            return wasEmpty
        }
    }

    /// Takes out what is there, the update before the error; `nil` if there is nothing.
    func take() -> News? {
        state.withLock { state in
            if let update = state.update {
                state.update = nil
                return .success(update)
            }
            defer { state.error = nil }
            return state.error.map { .failure($0) }
        }
    }

    /// Whether there is nothing to take.
    var isEmpty: Bool { state.withLock { $0.update == nil && $0.error == nil } }

    /// Throws away what is there and all that comes.
    func finish() {
        state.withLock { state in
            state.isFinished = true
            state.update = nil
            state.error = nil
        }
    }

    /// Whether the owner wants no more.
    var isFinished: Bool { state.withLock { $0.isFinished } }
}
