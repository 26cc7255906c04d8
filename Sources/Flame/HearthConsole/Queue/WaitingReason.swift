import Hearth

/// Why a batch waits, in a sentence or two.
enum WaitingReason {
    /// The reason.
    ///
    /// - Parameter status: How the batch's database is; `nil` if that is not known.
    static func text(for batch: QueuedBatch, _ status: DaemonStatus?) -> String {
        switch WaitingCause(of: batch, status) {
        case .held:
            let front = batch.heldBy.map { ", and batch \($0) in front of it" }
            return "Somebody holds it\(front ?? ""). It goes once it is released."
        case .behindHeld:
            let front = batch.heldBy.map { "batch \($0)" } ?? "a batch"
            return "It waits behind \(front), which is held: one user's writes keep their order."
        case .sent: return "It was sent, and the backend has not answered."
        case .networkOff: return "An administrator keeps the daemon from the backend."
        case .otherUser:
            let user = batch.user.isEmpty ? "nobody signed in" : "the user \(batch.user)"
            return "It was written for \(user), and goes when that is who is signed in."
        case .backendAway: return absence(status)
        case .turn: return "It waits for its turn."
        }
    }

    private static func absence(_ status: DaemonStatus?) -> String {
        let next = status?.nextAttemptDelay.map { delay in
            " It is tried again in \(Int((delay / .seconds(1)).rounded(.up))) s."
        }
        return "The backend does not answer: \(status?.connectionError?.message ?? "")\(next ?? "")"
    }
}
