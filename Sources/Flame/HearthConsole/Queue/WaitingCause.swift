import Hearth
import HearthModel

/// Why a batch waits, as far as many batches can share the reason. The raw values are the page's words.
package enum WaitingCause: String, CaseIterable, Sendable {
    /// An administrator holds the batch.
    case held
    /// The batch waits behind a held batch of the same user.
    case behindHeld
    /// The batch was sent, and the backend has not answered.
    case sent
    /// An administrator keeps the daemon from the backend.
    case networkOff
    /// The batch was written for a Firebase user who is not signed in.
    case otherUser
    /// The backend does not answer.
    case backendAway
    /// Only the batches in front of the batch keep the batch back.
    case turn

    /// The cause of a batch's waiting.
    ///
    /// - Parameters:
    ///   - user: The Firebase user who is signed in; empty for nobody.
    ///   - isNetworkEnabled: Whether an administrator lets the daemon connect.
    ///   - isBackendAway: Whether the last attempt to reach the backend has failed.
    package init(
        of batch: QueuedBatch, user: String, isNetworkEnabled: Bool, isBackendAway: Bool
    ) {
        switch batch.state {
        case .held: self = .held
        case .sentUnanswered: self = .sent
        case .queued where batch.heldBy != nil: self = .behindHeld
        case .queued where !isNetworkEnabled: self = .networkOff
        case .queued where !batch.user.utf8.elementsEqual(user.utf8): self = .otherUser
        case .queued: self = isBackendAway ? .backendAway : .turn
        }
    }

    /// The cause, by how the batch's database is; `nil` if that is not known.
    init(of batch: QueuedBatch, _ status: DaemonStatus?) {
        self.init(
            of: batch, user: status?.user ?? batch.user,
            isNetworkEnabled: status?.isNetworkEnabled ?? true,
            isBackendAway: status?.connectionError != nil)
    }

    /// The cause that a page names.
    ///
    /// - Throws: `HearthError` `invalidArgument` for a word that is none.
    init(named name: String) throws(HearthError) {
        guard let cause = WaitingCause(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw .argument("Batches wait for one of these causes: \(names).")
        }
        self = cause
    }
}
