package import HearthFirestore
package import HearthModel

/// The timers of an engine under test: they run out when the test says so, in the order due.
package struct TimerTable: Sendable {
    private struct Entry: Sendable {
        let dueAt: Timestamp
        let order: Int
    }

    private var entries: [TimerID: Entry] = [:]
    private var scheduledCount = 0

    /// No timer runs.
    package init() {}

    /// Whether a timer runs.
    package func contains(_ timer: TimerID) -> Bool { entries[timer] != nil }

    /// The timers that run, the next due first; of two due at once the one scheduled first.
    package var pending: [TimerID] {
        entries.sorted { left, right in
            left.value.dueAt != right.value.dueAt
                ? left.value.dueAt < right.value.dueAt : left.value.order < right.value.order
        }.map(\.key)
    }

    /// When a timer runs out.
    package func dueAt(_ timer: TimerID) -> Timestamp? { entries[timer]?.dueAt }

    /// Starts a timer, or moves it.
    package mutating func schedule(_ timer: TimerID, at moment: Timestamp) {
        scheduledCount += 1
        entries[timer] = Entry(dueAt: moment, order: scheduledCount)
    }

    /// Stops a timer, if it runs.
    package mutating func cancel(_ timer: TimerID) {
        entries[timer] = nil
    }
}
