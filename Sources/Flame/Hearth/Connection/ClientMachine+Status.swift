import HearthWire

/// Listeners to the daemon's state.
extension ClientMachine {
    /// The listeners, in no order.
    var statusListeners: [OperationID] {
        entries.compactMap { id, entry in
            if case .status = entry.operation { id } else { nil }
        }
    }

    /// A listener begins.
    mutating func listenToStatus(
        _ id: OperationID, _ scope: StatusScope, at now: Duration
    ) -> [Action] {
        pulse.watched(at: now)
        return begin(id, .status(scope), at: now) + (state == .open ? [.resume(id)] : [])
    }

    /// Pings a daemon that says nothing while somebody listens to its state, and gives the connection up if
    /// the ping has no answer.
    mutating func feelPulse(at now: Duration) -> [Action] {
        switch pulse.timePassed(now: now, hasUnaccepted: changeCount > 0) {
        case .ask?:
            // Nobody waits for the answer itself: the client notes that bytes have come.
            guard let frame = try? codec.frame(of: .session(.ping), number: nextNumber()) else {
                preconditionFailure("An empty request could not be encoded")
            }
            return [.send(frame)]
        case .gone?: return [.disconnect]
        case nil: return []
        }
    }
}
