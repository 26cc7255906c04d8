import Hearth

/// Why a batch waits, in a sentence or two.
enum WaitingReason {
    /// The reason.
    ///
    /// - Parameter status: How the batch's database is; `nil` if that is not known.
    static func text(for batch: QueuedBatch, _ status: DaemonStatus?) -> String {
        if let held = batch.heldBy {
            return
                "It waits behind batch \(held), which is held: one user's writes keep their order."
        }
        switch batch.state {
        case .held: return "Somebody holds it. It goes once it is released."
        case .sentUnanswered: return "It was sent, and the backend has not answered."
        case .queued: return status.map { text(for: batch, at: $0) } ?? "It waits for its turn."
        }
    }

    private static func text(for batch: QueuedBatch, at status: DaemonStatus) -> String {
        if !status.isNetworkEnabled { return "An administrator keeps the daemon from the backend." }
        if !batch.user.utf8.elementsEqual(status.user.utf8) {
            let user = batch.user.isEmpty ? "nobody signed in" : "the user \(batch.user)"
            return "It was written for \(user), and goes when that is who is signed in."
        }
        guard let error = status.connectionError else { return "It waits for its turn." }
        let next = status.nextAttemptDelay.map { delay in
            " It is tried again in \(Int((delay / .seconds(1)).rounded(.up))) s."
        }
        return "The backend does not answer: \(error.message)\(next ?? "")"
    }
}
