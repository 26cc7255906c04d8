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
    /// A snapshot that is behind by a moment is passed over without a word. If the snapshot holds an
    /// answer back, the silence's clock runs as for a backend that says nothing.
    mutating func snapshotPassedOver(
        _ version: SnapshotVersion, on number: StreamNumber, _ effects: inout Effects
    ) {
        let newest = local.globals.lastRemoteVersion
        noteLag(isNews: lag.passedOver(version, on: number, behind: newest), &effects)
        let pause = silence.passedOver(
            at: effects.now, isAnswerHeldBack: isBackendUp && isAnswerHeldBack)
        schedule(pause, &effects)
    }

    /// An answer was held back for as long as anybody waits: the backend counts as behind, by however
    /// little.
    mutating func answerOverdue(_ effects: inout Effects) {
        noteLag(isNews: lag.lasted(), &effects)
    }

    /// Whether the open stream has answered a listen whole, and the answer waits for a snapshot in order.
    var isAnswerHeldBack: Bool { watchStream.openNumber != nil && aggregator.holdsAnswerBack }

    /// A snapshot is in order, perhaps again.
    mutating func endLag(_ effects: inout Effects) {
        silence.caughtUp()
        let wasBehind = lag.isBehind
        lag.end()
        guard wasBehind else { return }
        connectionAnswered(&effects)
        apply(online.set(.online), &effects)
    }

    private mutating func noteLag(isNews: Bool, _ effects: inout Effects) {
        guard let refusal = lag.refusal else { return }
        silence.end()
        if isNews {
            effects.actions.append(.note(.backendBehind(refusal)))
            connectionFailed(refusal, &effects)
        }
        apply(online.fellSilent(), &effects)
    }
}
