package import HearthWire

/// A listener to the daemon's state.
struct StatusListener: Sendable {
    /// How much the listener is told.
    let scope: StatusScope
    /// What the listener was told last, as far as that makes news; `nil` before the first state.
    var told: [StatusReport]?

    /// About how many bytes are kept for the listener.
    var byteCount: Int { (told?.count ?? 0) * ClientMemory.statusByteCount }
}

/// Listeners to the daemon's state: the machine decides what is news to each.
extension SessionMachine {
    /// The client asks how the daemon is, now and whenever that changes.
    ///
    /// The daemon tells of changes before it answers what the client asks, so that no change is
    /// missed between the two.
    mutating func listenToStatus(_ scope: StatusScope, _ number: UInt64) -> [Action] {
        owed[number] = .statusListener
        statusListeners[number] = StatusListener(scope: scope)
        return [
            .followStatus(statusScopes),
            .ask(.inquiry(scope.inquiry, ofUser: seenUser), number),
        ]
    }

    /// The client ends a subscription; `nil` if the number is no listener to the daemon's state.
    mutating func unlistenedToStatus(_ number: UInt64) -> [Action]? {
        guard statusListeners.removeValue(forKey: number) != nil else { return nil }
        owed[number] = nil
        return [.followStatus(statusScopes), .forgetNews(number)]
    }

    /// The daemon's state may have changed.
    ///
    /// - Parameter reports: The databases of the scope as they are now.
    package mutating func told(_ reports: [StatusReport], of scope: StatusScope) -> [Action] {
        let numbers = statusListeners.filter { $0.value.scope == scope }.keys.sorted()
        return numbers.flatMap { tell(reports, $0) }
    }

    /// What a listener asked for at first has been found out.
    mutating func reportedStatus(_ event: Event, _ number: UInt64) -> [Action] {
        guard case .report(let report) = event, let statuses = report.statuses else {
            let forgotten = unlistenedToStatus(number) ?? []
            return forgotten + [.reply(event, number)]
        }
        return tell(statuses, number)
    }

    private var statusScopes: Set<StatusScope> { Set(statusListeners.values.map(\.scope)) }

    private mutating func tell(_ reports: [StatusReport], _ number: UInt64) -> [Action] {
        guard let listener = statusListeners[number] else { return [] }  // It ended meanwhile.
        let allowed = allowed(reports)
        let essence = allowed.map(listener.scope.essence)
        guard essence != listener.told, let report = Report(allowed, in: listener.scope) else {
            return []
        }
        statusListeners[number]?.told = essence
        return [.status(report, number)]
    }
}
