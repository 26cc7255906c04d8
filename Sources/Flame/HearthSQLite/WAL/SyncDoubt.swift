import Synchronization

/// What the connections of one store know of syncs that failed.
///
/// After a sync that failed, the system may show bytes that the disk does not have, and the next
/// sync succeeds all the same. So a later sync proves nothing of these bytes. Failures are counted,
/// so that a failure that comes during the mending stays in doubt.
final class SyncDoubt: Sendable {
    private let syncFailureCount = Atomic(0)
    /// How many of the failed syncs came before the WAL was written anew.
    private let mendedCount = Atomic(0)
    /// Whether a copy of the WAL into the file has failed, and SQLite still counts the frames that
    /// were copied before.
    ///
    /// SQLite syncs the file only behind a complete copy. So the sync that fails may have lost pages
    /// of earlier, partial copies too.
    let isOnCopies = Atomic<Bool>(false)
    private let copyFailures = Atomic(0)

    /// How many syncs of the WAL have failed.
    var failureCount: Int { syncFailureCount.load(ordering: .acquiring) }

    /// How many copies have failed. Whoever read pages before may have the file's in memory.
    var copyFailureCount: Int { copyFailures.load(ordering: .acquiring) }

    /// Whether a sync of the WAL has failed, and nobody has written the WAL anew since.
    var isOnWAL: Bool { failureCount != mendedCount.load(ordering: .acquiring) }

    /// Whether anything is in doubt.
    var isThere: Bool { isOnWAL || isOnCopies.load(ordering: .acquiring) }

    /// A sync of the WAL has failed.
    func syncFailed() { syncFailureCount.add(1, ordering: .acquiringAndReleasing) }

    /// A copy of the WAL into the file has failed.
    func copyFailed() {
        copyFailures.add(1, ordering: .acquiringAndReleasing)
        isOnCopies.store(true, ordering: .releasing)
    }

    /// The WAL was written anew after so many failures.
    func mended(_ failureCount: Int) { mendedCount.store(failureCount, ordering: .releasing) }
}
