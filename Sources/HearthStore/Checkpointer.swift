import Dispatch
import HearthFirestore
import Synchronization

/// Copies the log into the file beside the writer, so that no commit has to.
///
/// It has a connection and a thread of its own. A copy takes nothing from a writer or a reader; what
/// it cannot have yet, because somebody still reads it, is left to the next one. The log begins anew
/// with the first commit after all of it was copied, which only the writer itself can bring about.
final class Checkpointer: Sendable {
    private struct State {
        var progress = LogProgress()
        var isRunning = false
        /// Kept from copy to copy: opening one costs as much as a commit.
        var connection: Connection?
    }

    private let path: String
    private let queue = DispatchQueue(label: "hearth.store.checkpoints", qos: .utility)
    private let state = Mutex(State())

    init(path: String) {
        self.path = path
    }

    /// What a commit that left a log of so many pages should do about it; starts a copy if one is due.
    ///
    /// - Returns: Whether the committer should copy the rest itself.
    func committed(logPageCount pageCount: Int) -> Bool {
        let (step, mustStart) = state.withLock { state in
            let step = state.progress.step(at: pageCount)
            guard !state.isRunning, step == .copy else { return (step, false) }
            state.isRunning = true
            return (step, true)
        }
        if mustStart { start() }
        return step == .finish
    }

    /// Notes what a copy by the writer itself came to.
    func copied(_ progress: LogProgress) {
        state.withLock { $0.progress = progress }
    }

    /// Waits for a running copy and closes the connection. Nothing may be committed after it.
    func finish() {
        queue.sync { state.withLock { $0.connection = nil } }
    }

    private func start() {
        queue.async { [self] in
            var connection = state.withLock { $0.connection }
            // Nothing is lost if it fails: the log keeps all, and the next copy meets the same disk.
            let progress = try? copy(by: &connection)
            state.withLock { state in
                if let progress { state.progress = progress }
                state.connection = progress == nil ? nil : connection
                state.isRunning = false
            }
        }
    }

    private func copy(by kept: inout Connection?) throws(StoreError) -> LogProgress {
        let connection: Connection
        if let kept {
            connection = kept
        } else {
            connection = try Connection(path: path, isReadOnly: false)
            // Reading makes the connection find the log; without it there is nothing to copy.
            try connection.execute("PRAGMA synchronous = FULL; SELECT version FROM store")
            kept = connection
        }
        return try connection.copyLog()
    }
}

/// How far the log has been copied into the file.
struct LogProgress: Hashable {
    /// What is due after a commit.
    enum Step: Hashable {
        /// Nothing.
        case wait
        /// A copy beside the writer.
        case copy
        /// A copy of the little that is left, by the writer, so that the log begins anew.
        case finish
    }

    /// The log's pages when the last copy ended.
    var pageCount = 0
    /// Of these, the ones that were copied.
    var copiedCount = 0

    /// What is due when the log has so many pages. Counts from the last copy, complete or not: what
    /// a reader held back then is tried again with the next.
    mutating func step(at count: Int) -> Step {
        if count < pageCount { self = LogProgress() }  // The log has begun anew.
        let newCount = count - pageCount
        let isLong = count >= StoreLimits.logRestartPageCount
        if isLong, copiedCount == pageCount, newCount <= StoreLimits.logTailPageCountMax {
            return .finish
        }
        if count >= StoreLimits.logPageCountMax, newCount >= StoreLimits.checkpointPageCount {
            return .finish
        }
        let due = isLong ? StoreLimits.logTailPageCountMax : StoreLimits.checkpointPageCount
        return newCount >= due ? .copy : .wait
    }
}
