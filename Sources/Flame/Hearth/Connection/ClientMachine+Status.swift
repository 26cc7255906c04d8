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
        begin(id, .status(scope), at: now)
    }
}
