package import HearthModel

/// What the aggregator must know of the targets being watched.
package protocol WatchedTargets {
    /// Whether a target is watched still.
    func isWatched(_ id: TargetID) -> Bool
    /// What is kept of a target; `nil` if it is not watched any more.
    func targetData(of id: TargetID) -> TargetData?
    /// Whether the backend has named a document for a target so far.
    func isRemoteKey(_ key: DocumentKey, of id: TargetID) -> Bool
    /// How many it has named.
    func remoteKeyCount(of id: TargetID) -> Int
    /// All that it has named. O(documents of the target).
    func remoteKeys(of id: TargetID) -> [DocumentKey]
}
