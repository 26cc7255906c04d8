import Synchronization

/// What the connections of one store know of syncs that failed.
///
/// After a sync that failed, the system may show bytes that the disk does not have, and the next
/// sync succeeds all the same. So a later sync proves nothing of these bytes. Whoever clears a doubt
/// takes the doubt away before the mending, and puts the doubt back if the mending fails: a failure
/// that comes meanwhile counts.
final class SyncDoubt: Sendable {
    /// Whether a sync of the WAL has failed, and nobody has written the WAL anew since.
    let isOnWAL = Atomic<Bool>(false)
    /// Whether a copy of the WAL into the file has failed, and SQLite still counts the frames that
    /// were copied before.
    ///
    /// SQLite syncs the file only behind a complete copy. So the sync that fails may have lost pages
    /// of earlier, partial copies too.
    let isOnCopies = Atomic<Bool>(false)

    /// Whether anything is in doubt.
    var isThere: Bool {
        isOnWAL.load(ordering: .acquiring) || isOnCopies.load(ordering: .acquiring)
    }
}
