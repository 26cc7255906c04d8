import HearthWire
import Synchronization

/// Whether a bundle is being loaded, is loaded, or cannot be.
public enum LoadBundleTaskState: Hashable, Sendable {
    /// The bundle cannot be loaded. Nothing of the bundle is stored.
    case error
    /// The daemon loads the bundle.
    case inProgress
    /// The whole bundle is stored, or was stored before.
    case success
}

/// How far the loading of a bundle has come.
public struct LoadBundleTaskProgress: Hashable, Sendable {
    /// Documents that the daemon has received; in the end all of them, as with Google's SDKs, though the
    /// bundle was skipped.
    public let documentsLoaded: Int
    /// Documents in the bundle.
    public let totalDocuments: Int
    /// Bytes that the daemon has received.
    public let bytesLoaded: Int
    /// Bytes of the bundle: as the bundle says of itself while it comes, and at least what has come; in
    /// the end as many as there were.
    public let totalBytes: Int
    /// Whether the bundle is being loaded, is loaded, or cannot be.
    public let state: LoadBundleTaskState
    /// Whether the daemon has taken nothing of the bundle, because the bundle, or a newer one of its name, was
    /// loaded before. Never told of a bundle without documents.
    public let wasSkipped: Bool

    static let start = LoadBundleTaskProgress(
        documentsLoaded: 0, totalDocuments: 0, bytesLoaded: 0, totalBytes: 0, state: .inProgress)

    init(
        documentsLoaded: Int, totalDocuments: Int, bytesLoaded: Int, totalBytes: Int,
        state: LoadBundleTaskState, wasSkipped: Bool = false
    ) {
        self.documentsLoaded = documentsLoaded
        self.totalDocuments = totalDocuments
        self.bytesLoaded = bytesLoaded
        self.totalBytes = totalBytes
        self.state = state
        self.wasSkipped = wasSkipped
    }

    init(_ progress: Event.BundleProgress) {
        let wasSkipped =
            progress.isFinished && progress.documentsLoaded == 0 && progress.totalDocuments > 0
        self.init(
            documentsLoaded: wasSkipped ? progress.totalDocuments : progress.documentsLoaded,
            totalDocuments: progress.totalDocuments, bytesLoaded: progress.bytesLoaded,
            totalBytes: progress.totalBytes, state: progress.isFinished ? .success : .inProgress,
            wasSkipped: wasSkipped)
    }

    /// The same numbers with the state `error`.
    var failed: LoadBundleTaskProgress {
        LoadBundleTaskProgress(
            documentsLoaded: documentsLoaded, totalDocuments: totalDocuments,
            bytesLoaded: bytesLoaded, totalBytes: totalBytes, state: .error)
    }
}

/// A bundle that is being loaded.
public final class LoadBundleTask: Sendable {
    /// The number of an observer, which `removeObserverWith` takes.
    public typealias LoadBundleObserverHandle = Int

    private struct State {
        var progress = LoadBundleTaskProgress.start
        var error: (any Error)?
        var lastHandle = 0
        var observers: [Int: @Sendable (LoadBundleTaskProgress) -> Void] = [:]
        var completions: [@Sendable (LoadBundleTaskProgress, (any Error)?) -> Void] = []
    }

    private let state = Mutex(State())
    private let callbacks: CallbackThread

    init(callbacks: CallbackThread) {
        self.callbacks = callbacks
    }

    /// Calls `observer` with the progress now, and whenever it changes, on a thread of Hearth's.
    @discardableResult
    public func addObserver(
        _ observer: @escaping @Sendable (LoadBundleTaskProgress) -> Void
    ) -> LoadBundleObserverHandle {
        state.withLock { state in
            state.lastHandle += 1
            state.observers[state.lastHandle] = observer
            let progress = state.progress
            callbacks.enqueue { observer(progress) }
            return state.lastHandle
        }
    }

    /// Ends the calls of one observer.
    public func removeObserverWith(handle: LoadBundleObserverHandle) {
        state.withLock { $0.observers[handle] = nil }
    }

    /// Ends the calls of all observers.
    public func removeAllObservers() {
        state.withLock { $0.observers = [:] }
    }

    /// The progress now and whenever it changes, until the bundle is loaded or cannot be.
    public var updates: AsyncStream<LoadBundleTaskProgress> {
        AsyncStream { continuation in
            let handle = addObserver { progress in
                continuation.yield(progress)
                if progress.state != .inProgress { continuation.finish() }
            }
            continuation.onTermination = { _ in self.removeObserverWith(handle: handle) }
        }
    }

    /// Calls `completion` when the bundle is loaded or cannot be.
    func whenDone(
        _ completion: @escaping @Sendable (LoadBundleTaskProgress, (any Error)?) -> Void
    ) {
        state.withLock { state in
            if state.progress.state == .inProgress {
                state.completions.append(completion)
            } else {
                let (progress, error) = (state.progress, state.error)
                callbacks.enqueue { completion(progress, error) }
            }
        }
    }

    // MARK: From the daemon

    func moved(to progress: LoadBundleTaskProgress) {
        state.withLock { state in
            state.progress = progress
            for observer in state.observers.values { callbacks.enqueue { observer(progress) } }
        }
    }

    func finished(_ result: Result<LoadBundleTaskProgress, any Error>) {
        state.withLock { state in
            switch result {
            case .success(let progress): state.progress = progress
            case .failure(let error):
                state.progress = state.progress.failed
                state.error = error
            }
            let (progress, error) = (state.progress, state.error)
            for observer in state.observers.values { callbacks.enqueue { observer(progress) } }
            for completion in state.completions {
                callbacks.enqueue { completion(progress, error) }
            }
            state.observers = [:]
            state.completions = []
        }
    }
}
