import HearthModel
package import HearthWire

/// A listener to the daemon's state.
struct StatusListener: Sendable {
    /// Listeners of one session. A change is told to all of them in one go.
    static let countMax = 64

    /// How much the listener is told.
    let scope: StatusScope
    /// What the listener was told last, as far as that makes news; `nil` before the first state.
    var told: [StatusReport]?
    /// Whether the first state has been found out.
    var isAnswered = false
    /// Whether the client has ended the listener.
    ///
    /// Until the first state has been found out, the listener keeps its number and its room. Otherwise
    /// a client that begins and ends listeners could have the daemon look any number of times.
    var isOver = false

    /// About how many bytes are kept for the listener.
    var byteCount: Int { (told?.count ?? 0) * ClientMemory.statusByteCount }
}

/// Listeners to the daemon's state: the machine decides what is news to each.
extension SessionMachine {
    /// The client asks how the daemon is, now and whenever that changes.
    ///
    /// The session follows the daemon's changes before the daemon answers the question, so the
    /// client misses no change in between.
    mutating func listenToStatus(_ scope: StatusScope, _ number: UInt64) -> [Action] {
        guard statusListeners.count < StatusListener.countMax else {
            return [.reply(.failed(.tooManyStatusListeners), number)]
        }
        owed[number] = .statusListener
        statusListeners[number] = StatusListener(scope: scope)
        return [
            .followStatus(statusScopes),
            .ask(.inquiry(scope.inquiry, ofUser: seenUser), number),
        ]
    }

    /// The client ends a subscription; `nil` if the number is no listener to the daemon's state.
    mutating func unlistenedToStatus(_ number: UInt64) -> [Action]? {
        guard let listener = statusListeners[number] else { return nil }
        statusListeners[number]?.isOver = true
        if listener.isAnswered { forgetStatusListener(number) }
        return [.followStatus(statusScopes), .forgetNews(number)]
    }

    /// The daemon's state may have changed.
    ///
    /// - Parameter reports: The databases of the scope as they are now.
    package mutating func told(_ reports: [StatusReport], of scope: StatusScope) -> [Action] {
        let listeners = statusListeners.filter { $0.value.scope == scope && !$0.value.isOver }
        return tell(reports, of: scope, to: listeners.keys.sorted())
    }

    /// What a listener asked for at first has been found out.
    mutating func reportedStatus(_ event: Event, _ number: UInt64) -> [Action] {
        guard let listener = statusListeners[number] else { return [] }
        if listener.isOver {
            forgetStatusListener(number)
            return []
        }
        guard case .report(let report) = event, let statuses = report.statuses else {
            forgetStatusListener(number)
            return [.followStatus(statusScopes), .forgetNews(number), .reply(event, number)]
        }
        statusListeners[number]?.isAnswered = true
        return tell(statuses, of: listener.scope, to: [number])
    }

    /// The scopes of the listeners that want to be told.
    private var statusScopes: Set<StatusScope> {
        Set(statusListeners.values.lazy.filter { !$0.isOver }.map(\.scope))
    }

    private mutating func forgetStatusListener(_ number: UInt64) {
        statusListeners[number] = nil
        owed[number] = nil
    }

    /// Tells listeners of one scope, as far as the state is news to them.
    private mutating func tell(
        _ reports: [StatusReport], of scope: StatusScope, to numbers: [UInt64]
    ) -> [Action] {
        guard !numbers.isEmpty else { return [] }
        let allowed = allowed(reports)
        let essence = allowed.map(scope.essence)
        guard let report = Report(allowed, in: scope) else { return [] }
        var actions: [Action] = []
        for number in numbers where statusListeners[number]?.told != essence {
            statusListeners[number]?.told = essence
            actions.append(.status(report, number))
        }
        return actions
    }
}

extension HearthError {
    fileprivate static let tooManyStatusListeners = HearthError(
        code: .resourceExhausted,
        message: "This session has \(StatusListener.countMax) listeners to the daemon's state, the "
            + "limit. Let one listener tell all who want to know.")
}
