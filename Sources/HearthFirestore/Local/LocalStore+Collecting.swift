import HashTreeCollections
import HearthModel

/// One round of collecting the least used, which goes on from slice to slice.
struct CollectionRound: Sendable {
    /// What was last used at or before this goes.
    let bound: ListenSequenceNumber
    /// How far the documents of no target have been looked at.
    var place = CollectionPlace()
    /// Targets forgotten so far.
    var targetCount = 0
    /// Documents forgotten so far.
    var documentCount = 0
}

/// How the least used are collected.
///
/// - Source: firestore `local/lru_garbage_collector`.
package enum CollectionLimits {
    /// The part of targets and documents of no target that one round forgets at most.
    package static let percentile = 10
    /// How many of them, at most, are counted off to find where the round ends.
    package static let sequenceCountMax = 1_000
    /// How long after the start the first round may begin.
    package static let firstDelay = Duration.seconds(60)
    /// How long between rounds.
    package static let period = Duration.seconds(300)
    /// Documents of no target that one slice looks at: ten to twenty milliseconds.
    package static let sliceCountMax = 250
    /// Documents that one slice lets go of a forgotten target: a few milliseconds.
    package static let releaseCountMax = 500
    /// Documents of which the end of a view notes that they were in use: some milliseconds.
    package static let releasedCountMax = 1_000
    /// Targets that one slice forgets.
    package static let sliceTargetCountMax = 20
    /// How long a slice leaves the others to themselves.
    package static let slicePause = Duration.milliseconds(3)
}

extension LocalStore {
    /// Begins a round, if the cache is larger than `byteCountMax`.
    ///
    /// - Parameter percentile: The part of targets and documents of no target to forget.
    func beginCollection(
        cacheByteCountMax byteCountMax: Int, percentile: Int, _ store: any FirestoreTransaction
    ) throws(StoreError) -> CollectionRound? {
        guard try store.cacheByteCount() > byteCountMax else { return nil }
        try store.enter(.collectGarbage)
        let count = min(
            try store.collectableCount() * percentile / 100, CollectionLimits.sequenceCountMax)
        guard count > 0, let bound = try store.sequenceNumber(ofLeastUsed: count) else {
            return nil
        }
        return CollectionRound(bound: bound)
    }

    /// Does a slice of a round: forgets targets, lets go of their documents, forgets documents.
    ///
    /// - Returns: Whether the round is done.
    func collectSlice(
        _ round: inout CollectionRound, _ store: any FirestoreTransaction,
        isShown: (DocumentKey) -> Bool
    ) throws(StoreError) -> Bool {
        try store.enter(.collectGarbage)
        let targetCount = try store.removeTargets(
            usedUpTo: round.bound, except: Set(targets.keys),
            limit: CollectionLimits.sliceTargetCountMax)
        round.targetCount += targetCount
        let releasedCount = try store.releaseDroppedKeys(limit: CollectionLimits.releaseCountMax)
        if targetCount == CollectionLimits.sliceTargetCountMax
            || releasedCount == CollectionLimits.releaseCountMax
        {
            return false  // Their documents belong to no target only when all have been let go.
        }
        round.documentCount += try store.removeOrphans(
            usedUpTo: round.bound, from: &round.place, limit: CollectionLimits.sliceCountMax,
            isPinned: isShown)
        return round.place.isAtEnd
    }
}
