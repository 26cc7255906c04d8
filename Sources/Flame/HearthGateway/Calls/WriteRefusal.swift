import HearthFirestore
import HearthModel

/// Why writes are not done: in the backend's words where the backend has said or would say so.
struct WriteRefusal: Error, Hashable {
    /// The status and the text.
    let error: HearthError
    /// The gateway's own reason; `nil` for one that the backend could have.
    let reason: GatewayError.Reason?

    /// The backend's reason, or one in its words.
    init(_ error: HearthError) {
        self.error = error
        reason = nil
    }

    /// A reason of the gateway's own.
    init(_ refusal: GatewayError) {
        error = refusal.error
        reason = refusal.reason
    }

    /// What the engine has against queueing writes.
    ///
    /// A full queue gets a status that no client tries again: a program that waits for minutes is no
    /// help against an outage of hours.
    init(ofEngine error: HearthError, for mutations: [Mutation]) {
        let isUnknown = mutations.contains { error == .cannotJudge($0.key) }
        switch error.code {
        case .resourceExhausted:
            let full = HearthError(code: .failedPrecondition, message: error.message)
            self.init(GatewayError(full, because: .queueFull))
        case .failedPrecondition where isUnknown:
            self.init(GatewayError(error, because: .notCached))
        default:
            self.init(error)
        }
    }
}

extension GatewayCall {
    /// Refuses the call because its writes are not done.
    func fail(_ refusal: WriteRefusal) {
        if let reason = refusal.reason {
            fail(GatewayError(refusal.error, because: reason))
        } else {
            fail(refusal.error)
        }
    }
}
