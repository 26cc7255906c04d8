import Dispatch
import HearthFirestore
import Synchronization

/// Syncs the log and copies it into the file beside the writer, so that no commit has to.
///
/// It has a connection and a thread of its own. A copy takes nothing from a writer or a reader; what
/// it cannot have yet, because somebody still reads it, is left to the next one. The log begins anew
/// with the first commit after all of it was copied, which only the writer itself can bring about: when
/// all is copied but the little that follows, it commits that and copies it itself.
final class Checkpointer: Sendable {
    private struct State {
        var progress = LogProgress()
        /// The log's pages with the last commit.
        var logPageCount = 0
        var isRunning = false
        /// Kept from copy to copy: opening one costs as much as a commit.
        var connection: Connection?
        /// What the last commit led to.
        var committed: StoreVersion
        /// What of it is on the disk for certain.
        var synced: StoreVersion
        var hasFailed = false
    }

    /// Whether a commit now, however small, would let the log begin anew. Any thread may look.
    let awaitsCommit = Atomic<Bool>(false)

    private let path: String
    private let queue = DispatchQueue(label: "hearth.store.checkpoints", qos: .utility)
    private let state: Mutex<State>

    /// Looks after the log of a database that is on the disk with a version.
    init(path: String, version: StoreVersion) {
        self.path = path
        state = Mutex(State(committed: version, synced: version))
    }

    /// What a commit should do about the log that it left; starts a sync or a copy if one is due.
    ///
    /// - Parameters:
    ///   - version: What the commit led to.
    ///   - pageCount: The log's length with it.
    ///   - mustSync: Whether somebody waits for it to be on the disk.
    /// - Returns: Whether the committer should copy the rest itself.
    func committed(_ version: StoreVersion, logPageCount pageCount: Int, mustSync: Bool) -> Bool {
        let (step, mustStart) = state.withLock { state in
            awaitsCommit.store(false, ordering: .relaxed)
            state.committed = version
            state.logPageCount = pageCount
            let step = state.progress.step(at: pageCount)
            guard !state.isRunning, !state.hasFailed, step != .finish, step == .copy || mustSync
            else { return (step, false) }
            state.isRunning = true
            return (step, true)
        }
        if mustStart { queue.async { [self] in run() } }
        return step == .finish
    }

    /// Notes that the writer itself has synced all up to a version.
    func synced(_ version: StoreVersion) {
        state.withLock { $0.synced = max($0.synced, version) }
    }

    /// Notes what a copy by the writer itself came to.
    func copied(_ progress: LogProgress) {
        state.withLock { $0.progress = progress }
    }

    /// What is on the disk for certain.
    var syncedVersion: StoreVersion { state.withLock { $0.synced } }

    /// Whether a sync has failed, so that nothing here goes on before the writer has mended the log.
    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// The log was mended: all that was committed is on the disk.
    func mended() {
        state.withLock { state in
            state.hasFailed = false
            state.synced = state.committed
        }
    }

    /// Waits for a running copy and closes the connection. Nothing may be committed after it.
    func finish() {
        queue.sync { state.withLock { $0.connection = nil } }
    }

    private func run() {
        var connection = state.withLock { $0.connection }
        repeat {
            let (version, isCopyDue) = state.withLock { state in
                (state.committed, state.progress.step(at: state.logPageCount) != .wait)
            }
            do throws(StoreError) {
                let used: Connection
                if let connection { used = connection } else { used = try open() }
                connection = used
                try used.syncLog()
                synced(version)
                let progress = isCopyDue ? try used.copyLog() : nil
                state.withLock { $0.progress = progress ?? $0.progress }
            } catch {
                // Nothing is lost if it fails: the log keeps all, and the next copy meets the same disk.
                let hasFailed = connection?.hasFailedSync ?? false
                connection = nil
                state.withLock { state in
                    state.connection = nil
                    state.hasFailed = hasFailed
                    state.isRunning = false
                }
                return
            }
        } while state.withLock { goesOn(&$0, connection) }
    }

    /// Whether commits have come meanwhile that are to be copied; if not, the run is over.
    private func goesOn(_ state: inout State, _ connection: Connection?) -> Bool {
        let isDue = state.progress.step(at: state.logPageCount) != .wait
        let isCaughtUp = state.progress.pageCount == state.logPageCount
        if isDue, !isCaughtUp, !state.progress.isHeldBack { return true }
        state.connection = connection
        state.isRunning = false
        awaitsCommit.store(
            isCaughtUp && state.progress.isLong && !state.progress.isHeldBack, ordering: .relaxed)
        return false
    }

    private func open() throws(StoreError) -> Connection {
        let connection = try Connection(path: path, isReadOnly: false)
        // Reading makes the connection find the log; without it there is nothing to copy.
        try connection.execute("PRAGMA synchronous = FULL; SELECT version FROM store")
        try connection.takeLog()
        return connection
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

    /// Whether the log should begin anew.
    var isLong: Bool { pageCount >= StoreLimits.logRestartPageCount }
    /// Whether somebody still read what a copy would have replaced.
    var isHeldBack: Bool { copiedCount < pageCount }

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
