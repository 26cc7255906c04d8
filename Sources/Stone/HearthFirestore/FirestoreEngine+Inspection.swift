import HashTreeCollections
package import HearthModel

/// What tests and operators may look at. Changes nothing.
extension FirestoreEngine {
    /// The documents in limbo that are being looked up, each with the target of its lookup.
    package var activeLimboTargets: [DocumentKey: TargetID] {
        Dictionary(limbo.active.map { ($0.value, $0.key) }) { first, _ in first }
    }

    /// The documents in limbo that wait for their lookup, first come first.
    package var enqueuedLimboKeys: [DocumentKey] { limbo.waiting }

    /// The wire id of each watched target on the open watch stream.
    package func wireTargetIDs() -> [TargetID: WireTargetID] {
        Dictionary(uniqueKeysWithValues: wireIDs.map { ($0.key, $0.value) })
    }

    /// About how much memory the documents take that came since the last snapshot.
    package var gatheredByteCount: Int { aggregator.byteCount }

    /// The target that a query with listeners was given.
    package func targetID(for query: Query) -> TargetID? { views[query]?.targetID }

    /// The results of a query about which the backend has yet to speak; empty if nobody listens.
    ///
    /// The backend has not named these documents for the target, and no write of this machine
    /// explains the documents: the write that made them match was acknowledged, withdrawn, or of
    /// another user.
    ///
    /// - Complexity: O(results that the backend did not name).
    package func undecidedKeys(of query: Query) -> Set<DocumentKey> {
        guard let view = views[query]?.view else { return [] }
        return Set(
            view.unnamedKeys.filter { key in
                view.acknowledged[key] != nil || view.documents[key]?.hasLocalMutations == false
            })
    }

    /// Documents of bundles that the cache has, and that views will be told of when the bundles have
    /// been taken whole.
    package var untoldKeys: Set<DocumentKey> { bundles.untoldKeys }

    /// How many batches the write pipeline holds: sent, or about to be.
    package var outstandingWriteCount: Int { pipeline.batches.count }

    /// The Firebase user whose queue and overlays count.
    package var user: UserID { local.user }

    /// The snapshot that the open stream has reached for a query's target.
    ///
    /// `nil` while the stream catches up, or if nobody listens.
    package func versionReached(of query: Query) -> SnapshotVersion? {
        views[query].flatMap { versionReached(of: $0.targetID) }
    }
}
