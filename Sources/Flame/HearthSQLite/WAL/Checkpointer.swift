import Dispatch
import HearthEngine
import Synchronization

/// Syncs the WAL and copies the WAL into the file beside the writer, so that no commit has to.
///
/// The checkpointer has a connection and a thread of its own. A copy takes nothing from a writer or
/// a reader. Pages that cannot be copied yet, because of a reader, are left to the next copy.
///
/// The WAL begins anew with the first commit after a complete copy. Only the writer can complete a
/// copy: when few pages are left, the writer commits its open transaction and copies the rest
/// itself. A writer that never pauses would outrun the copies, so the writer lets the copies go
/// first for a while when the WAL is very long.
final class Checkpointer: Sendable {
    private struct State {
        var progress = WALProgress()
        /// The WAL's pages with the last commit.
        var walPageCount = 0
        /// How often the WAL had begun anew by then.
        var walNumber = 0
        var isRunning = false
        /// Kept from copy to copy: opening one costs as much as a commit.
        var connection: Connection?
        /// What the last commit led to.
        var committed: StoreVersion
        /// The last version that is on the disk for certain.
        var synced: StoreVersion
        /// How many runs have failed since the last that did not.
        var failureCount = 0
        /// When the writer may go on, unless the run is over before.
        var resumesAt: ContinuousClock.Instant?
        /// Whether the writer waits for the end of the run.
        var isAwaited = false

        /// What is due now.
        mutating func step() -> WALProgress.Step {
            progress.step(at: walPageCount, of: walNumber)
        }
    }

    /// Whether a commit now, however small, would let the WAL begin anew. Any thread may look.
    let awaitsCommit = Atomic<Bool>(false)

    private let path: String
    private let doubt: SyncDoubt
    private let queue = DispatchQueue(label: "hearth.store.checkpoints", qos: .utility)
    /// Signalled once for each run that ends while the writer waits for it.
    private let ending = DispatchSemaphore(value: 0)
    private let state: Mutex<State>

    /// Looks after the WAL of a database that is on the disk with a version.
    ///
    /// - Parameter doubt: What the writer knows of syncs that failed.
    init(path: String, version: StoreVersion, doubt: SyncDoubt = SyncDoubt()) {
        self.path = path
        self.doubt = doubt
        state = Mutex(State(committed: version, synced: version))
    }

    /// Decides what a commit should do about the WAL; starts a sync or a copy that is due.
    ///
    /// - Parameters:
    ///   - version: What the commit led to.
    ///   - pageCount: The WAL's length with the commit.
    ///   - number: How often the WAL has begun anew.
    ///   - mustSync: Whether somebody waits for the commit to be on the disk.
    /// - Returns: Whether the committer should copy the rest itself.
    func committed(
        _ version: StoreVersion, walPageCount pageCount: Int, of number: Int, mustSync: Bool
    ) -> Bool {
        let (step, mustStart) = state.withLock { state -> (WALProgress.Step, Bool) in
            awaitsCommit.store(false, ordering: .relaxed)
            state.committed = version
            state.walPageCount = pageCount
            state.walNumber = number
            let step = state.step()
            guard !state.isRunning, !hasFailed else { return (.wait, false) }
            let isLeftAlone = state.failureCount >= StoreLimits.copyFailureCountMax
            if isLeftAlone, step == .copy, pageCount >= StoreLimits.walPageCountMax {
                return (.finish, false)
            }
            guard step != .finish, step == .copy || mustSync else { return (step, false) }
            state.isRunning = true
            return (step, true)
        }
        if mustStart { queue.async { [self] in run() } }
        return step == .finish
    }

    /// Notes how long the writer was at work, which decides whether the writer should pause.
    func worked(for duration: Duration) {
        state.withLock { state in
            let pause = WALProgress.pause(after: duration, at: state.walPageCount)
            state.resumesAt = pause > .zero ? .now + pause : nil
        }
    }

    /// Lets a running copy go first, if the WAL is so long that the writer should pause.
    ///
    /// Returns at once when the run ends or fails, and does not wait in vain: if no copy is
    /// running, or a reader holds the WAL back.
    ///
    /// - Returns: Whether the writer waited.
    @discardableResult
    func pause() -> Bool {
        let limit: DispatchTime? = state.withLock { state in
            guard let time = state.resumesAt, state.isRunning, !state.progress.isHeldBack else {
                return nil
            }
            state.resumesAt = nil
            let rest = ContinuousClock.now.duration(to: time)
            guard rest > .zero else { return nil }
            state.isAwaited = true
            return .now() + .nanoseconds(Int(rest / .nanoseconds(1)))
        }
        guard let limit else { return false }
        guard ending.wait(timeout: limit) == .timedOut else { return true }
        let isSignalled = state.withLock { state in
            defer { state.isAwaited = false }
            return !state.isAwaited
        }
        if isSignalled { ending.wait() }
        return true
    }

    /// How many copies beside the writer have failed since the last that did not.
    var failureCount: Int { state.withLock { $0.failureCount } }

    /// Notes that the writer itself has synced all up to a version.
    func synced(_ version: StoreVersion) {
        state.withLock { $0.synced = max($0.synced, version) }
    }

    /// Notes what a copy by the writer itself came to: `nil` if it failed, and is tried again much later.
    func copied(_ progress: WALProgress?) {
        state.withLock { state in
            state.progress =
                progress
                ?? WALProgress(
                    pageCount: state.walPageCount, copiedCount: state.progress.copiedCount)
            state.progress.number = state.walNumber
        }
    }

    /// What is on the disk for certain; nothing while a sync that failed casts doubt on the WAL.
    var syncedVersion: StoreVersion {
        hasFailed ? StoreVersion(0) : state.withLock { $0.synced }
    }

    /// Whether a sync has failed, on whichever connection, so that nothing here goes on before the
    /// writer has mended the WAL.
    var hasFailed: Bool { doubt.isOnWAL }

    /// The WAL was mended: all that was committed is on the disk.
    func mended() {
        state.withLock { $0.synced = $0.committed }
    }

    /// Waits for a running copy.
    func waitForCopy() {
        queue.sync {}
    }

    /// Waits for a running copy and closes the connection. Nothing may be committed after it.
    func finish() {
        queue.sync { state.withLock { $0.connection = nil } }
    }

    private func run() {
        var connection = state.withLock { $0.connection }
        repeat {
            let (version, number, isCopyDue) = state.withLock { state in
                (state.committed, state.walNumber, state.step() != .wait)
            }
            do throws(StoreError) {
                let used: Connection
                if let connection { used = connection } else { used = try open() }
                connection = used
                try used.syncWAL()
                // A sync that failed on the writer's connection may have taken the error away from
                // this one.
                guard !hasFailed else { throw .io("the writer could not sync the log") }
                synced(version)
                let progress = isCopyDue ? try used.copyWAL() : nil
                state.withLock { state in
                    state.failureCount = 0
                    // What was copied may be of the WAL before.
                    guard var progress, state.walNumber == number else { return }
                    progress.number = number
                    progress.isSynced = progress.pageCount == state.walPageCount
                    state.progress = progress
                }
            } catch {
                // Nothing is lost if it fails: the WAL keeps all, and the next copy meets the same disk.
                connection = nil
                state.withLock { state in
                    state.connection = nil
                    state.failureCount += 1
                    end(&state)
                }
                return
            }
        } while state.withLock { goesOn(&$0, connection) }
    }

    /// Whether commits have come meanwhile that are to be copied; if not, the run is over.
    private func goesOn(_ state: inout State, _ connection: Connection?) -> Bool {
        let isDue = state.step() != .wait
        let isCaughtUp = state.progress.pageCount == state.walPageCount
        if isDue, !isCaughtUp, !state.progress.isHeldBack { return true }
        state.connection = connection
        end(&state)
        awaitsCommit.store(
            isCaughtUp && state.progress.isLong && !state.progress.isHeldBack, ordering: .relaxed)
        return false
    }

    private func end(_ state: inout State) {
        state.isRunning = false
        guard state.isAwaited else { return }
        state.isAwaited = false
        ending.signal()
    }

    private func open() throws(StoreError) -> Connection {
        let connection = try Connection(path: path, isReadOnly: false)
        try connection.execute("PRAGMA synchronous = FULL")
        try connection.takeWAL(doubt)
        return connection
    }
}
