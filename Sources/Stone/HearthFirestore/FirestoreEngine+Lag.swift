import HearthEngine
import HearthModel

/// A backend whose time went back: the streams stand, and what they bring is too old for the cache.
///
/// The engine counts as offline until a snapshot is in order: reads and new listeners are answered from
/// the cache, and the backend's words make nobody wait. The streams stay, since the backend commits
/// writes all the same, and its time will come.
extension FirestoreEngine {
    /// A snapshot is older than the cache's newest snapshot, and would take views back in time.
    ///
    /// A snapshot that is behind by a moment is passed over without a word.
    mutating func snapshotPassedOver(
        _ version: SnapshotVersion, on number: StreamNumber, _ effects: inout Effects
    ) {
        let newest = local.globals.lastRemoteVersion
        let isNews = lag.passedOver(version, on: number, behind: newest)
        guard let refusal = lag.refusal else { return }
        if isNews {
            effects.actions.append(.note(.backendBehind(refusal)))
            connectionFailed(refusal, &effects)
        }
        apply(online.fellSilent(), &effects)
    }

    /// A snapshot is in order again.
    mutating func endLag(_ effects: inout Effects) {
        lag.end()
        connectionAnswered(&effects)
        apply(online.set(.online), &effects)
    }
}
