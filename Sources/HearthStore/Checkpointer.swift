import Dispatch
import HearthFirestore
import Synchronization

/// Copies the log into the file beside the writer, so that no commit has to.
///
/// It has a connection and a thread of its own. A copy takes nothing from a writer or a reader; what
/// it cannot have yet, because somebody still reads it, is left to the next one.
final class Checkpointer: Sendable {
    private let path: String
    private let queue = DispatchQueue(label: "hearth.store.checkpoints", qos: .utility)
    private let isRunning = Atomic(false)

    init(path: String) {
        self.path = path
    }

    /// Starts a copy, unless one is running.
    func start() {
        guard isRunning.exchange(true, ordering: .acquiringAndReleasing) == false else { return }
        queue.async { [self] in
            defer { isRunning.store(false, ordering: .releasing) }
            // Nothing is lost if it fails: the log keeps all, and the next copy meets the same disk.
            try? copy()
        }
    }

    /// Waits for a running copy.
    func finish() { queue.sync {} }

    private func copy() throws(StoreError) {
        let connection = try Connection(path: path, isReadOnly: false)
        try connection.execute("PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(PASSIVE)")
    }
}
