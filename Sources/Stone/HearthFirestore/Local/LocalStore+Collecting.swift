import HashTreeCollections
import HearthEngine
import HearthModel

/// A collection of the least used, which goes on from slice to slice.
///
/// Rounds follow each other until the cache is small enough.
///
///     round: forgets everything last used at or before its bound, unless somebody needs it
///     next round: the bound moves on, at most to where the collection began
struct CollectionRun: Sendable {
    /// How large the cache may be.
    let byteCountMax: Int
    /// The percentage of the collectable targets and documents that one round forgets.
    let percentile: Int
    /// Bytes that the store has besides the cache, and bytes that listeners or pins need.
    let neededByteCount: Int
    /// The bound of the last round: the collection leaves later uses alone, and so comes to an end.
    let lastBound: ListenSequenceNumber
    /// The present round's bound: everything last used at or before the bound goes.
    var bound: ListenSequenceNumber = .min
    /// How far the documents of no target have been looked at.
    var place = CollectionPlace()
    /// Whether the present round forgot a target: its documents may be anywhere before the place.
    var hasDroppedTargets = false
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
    /// How long between looks at the size of a cache that is well below its limit.
    package static let period = Duration.seconds(60)
    /// How long between looks at the size of a cache that is near its limit.
    ///
    /// Also for a cache above the limit, if somebody needs the contents.
    package static let nearPeriod = Duration.seconds(10)
    /// Documents of no target that one slice looks at: ten to twenty milliseconds.
    package static let sliceCountMax = 250
    /// Documents that one slice lets go of a forgotten target: a few milliseconds.
    package static let releaseCountMax = 500
    /// Documents that the end of a view, or a program, notes as used at once: some milliseconds.
    package static let releasedCountMax = 1_000
    /// Targets that one slice forgets.
    package static let sliceTargetCountMax = 20
    /// How long the engine pauses between slices for other work.
    package static let slicePause = Duration.milliseconds(3)
}

extension LocalStore {
    /// Begins to collect, if the cache is larger than `byteCountMax`.
    ///
    /// - Parameters:
    ///   - keptByteCount: About how many bytes of the cache listeners or pins need. These bytes
    ///     stay and do not count.
    ///   - percentile: The percentage of targets and documents of no target that one round forgets.
    func beginCollection(
        cacheByteCountMax byteCountMax: Int, keptByteCount: @autoclosure () -> Int,
        percentile: Int, _ store: any FirestoreTransaction
    ) throws(StoreError) -> CollectionRun? {
        guard try store.cacheByteCount() > byteCountMax else { return nil }
        try store.enter(.collectGarbage)
        var collection = CollectionRun(
            byteCountMax: byteCountMax, percentile: percentile,
            neededByteCount: try store.otherByteCount() + keptByteCount(),
            lastBound: globals.sequenceNumber)
        return try beginRound(of: &collection, store) ? collection : nil
    }

    /// Begins the next round, if the cache is too large still and more of it may go.
    func beginRound(
        of collection: inout CollectionRun, _ store: any FirestoreTransaction
    ) throws(StoreError) -> Bool {
        let byteCount = try store.cacheByteCount() - collection.neededByteCount
        guard byteCount > collection.byteCountMax else { return false }
        let part = try store.collectableCount() * collection.percentile / 100
        let bound = try store.sequenceNumber(
            ofLeastUsed: min(max(part, 1), CollectionLimits.sequenceCountMax),
            after: collection.bound)
        guard let bound, collection.bound < collection.lastBound else { return false }
        collection.bound = min(bound, collection.lastBound)
        collection.place =
            collection.hasDroppedTargets ? CollectionPlace() : collection.place.goingOn
        collection.hasDroppedTargets = false
        return true
    }

    /// Does a slice of a round: forgets targets, lets go of their documents, forgets documents.
    ///
    /// - Returns: Whether the round is done.
    func collectSlice(
        _ collection: inout CollectionRun, _ store: any FirestoreTransaction,
        isShown: (DocumentKey) -> Bool
    ) throws(StoreError) -> Bool {
        try store.enter(.collectGarbage)
        let targetCount = try store.removeTargets(
            usedUpTo: collection.bound, except: Set(targets.keys),
            limit: CollectionLimits.sliceTargetCountMax)
        collection.targetCount += targetCount
        if targetCount > 0 { collection.hasDroppedTargets = true }
        let releasedCount = try store.releaseDroppedKeys(limit: CollectionLimits.releaseCountMax)
        if targetCount == CollectionLimits.sliceTargetCountMax
            || releasedCount == CollectionLimits.releaseCountMax
        {
            return false  // Their documents belong to no target only when all have been let go.
        }
        collection.documentCount += try store.removeOrphans(
            usedUpTo: collection.bound, from: &collection.place,
            limit: CollectionLimits.sliceCountMax, isPinned: isShown)
        return collection.place.isAtEnd
    }
}
