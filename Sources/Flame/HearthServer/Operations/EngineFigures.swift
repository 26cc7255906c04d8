package import HearthEngine

/// What an engine has done since its start, for monitoring. Only ever grows.
package struct EngineFigures: Hashable, Sendable {
    /// Writes that became durable here and were confirmed to programs; a resent write counts again.
    package var acceptedCount: UInt64 = 0
    /// Batches that the backend committed.
    package var committedCount: UInt64 = 0
    /// Batches that the backend refused for good.
    package var rejectedCount: UInt64 = 0
    /// Requests of programs that were refused here.
    package var refusedCount: UInt64 = 0
    /// Snapshots that were handed to listeners.
    package var snapshotCount: UInt64 = 0
    /// Runs of the collection of unused documents.
    package var collectionCount: UInt64 = 0
    /// Documents that these removed.
    package var collectedDocumentCount: UInt64 = 0
    /// Documents that the backend billed, and what they would have cost without the daemon.
    package var documentReads = LedgerSums()
    /// How much processor time a turn took. What a turn waits for, such as the disk, does not count.
    package var turns = DurationHistogram(ends: DurationHistogram.workEnds)
    /// How long a group of turns took to become durable.
    package var storeCommits = DurationHistogram()
    /// How long the backend took to commit a batch that was sent.
    package var upstreamCommits = DurationHistogram()

    /// Nothing yet.
    package init() {}

    /// Counts what somebody is told.
    mutating func count(_ reply: ReplyKind) {
        switch reply {
        case .accepted: acceptedCount += 1
        case .refused: refusedCount += 1
        case .snapshots(let count): snapshotCount += UInt64(count)
        case .other: break
        }
    }

    /// Adds what was done since.
    package mutating func add(_ other: EngineFigures) {
        acceptedCount += other.acceptedCount
        committedCount += other.committedCount
        rejectedCount += other.rejectedCount
        refusedCount += other.refusedCount
        snapshotCount += other.snapshotCount
        collectionCount += other.collectionCount
        collectedDocumentCount += other.collectedDocumentCount
        documentReads.add(other.documentReads)
        turns.add(other.turns)
        storeCommits.add(other.storeCommits)
        upstreamCommits.add(other.upstreamCommits)
    }
}
