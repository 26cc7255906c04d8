package import HearthModel

/// Gives each accepted batch a time that the backend's own times can follow.
///
///     now = newest time heard + uptime since, less a 2,000th
///
/// A time is heard later than it was true, and a machine's clock runs fast by far less than a
/// 2,000th. So `now` never runs ahead of the backend, whatever the wall clock says. Before the
/// backend is heard, promises are steps of a microsecond from the last promise, or from a fixed
/// time long ago. No promise is beyond the year 9999, whatever a damaged file tells of times.
package struct PromisedClock: Hashable, Sendable {
    private struct Anchor: Hashable, Sendable {
        let heardAt: Int64
        let uptime: Duration
    }

    /// Where promises begin if no time of the backend was ever heard: the year 2000.
    package static let first = Timestamp(seconds: 946_684_800, nanoseconds: 0)

    /// How long the machine has been up, asleep or not, counted from any beginning.
    package var uptime = Duration.zero
    /// The last promise; before the first one, the epoch.
    package private(set) var last = Timestamp(seconds: 0, nanoseconds: 0)
    private var anchor: Anchor?

    /// A clock that has heard and promised nothing.
    package init() {}

    /// Goes on from what a store has kept.
    package mutating func resume(after last: Timestamp) {
        let capped = min(last.microseconds, Timestamp.promisedMicroseconds.upperBound)
        guard capped > self.last.microseconds else { return }
        self.last = Timestamp(promising: capped)
    }

    /// The backend has told a time of its own.
    package mutating func heard(_ version: SnapshotVersion) {
        let heardAt = version.timestamp.microseconds
        // The backend has no time beyond those; a damaged file may have.
        guard Timestamp.promisedMicroseconds.contains(heardAt), heardAt > now ?? 0 else { return }
        anchor = Anchor(heardAt: heardAt, uptime: uptime)
    }

    /// A lower bound of the backend's present time, in microseconds; `nil` if nothing was heard.
    private var now: Int64? {
        guard let anchor else { return nil }
        let passed = max(uptime - anchor.uptime, .zero)
        return Self.capped(anchor.heardAt + Self.microseconds(of: passed - passed / 2_000))
    }

    /// Promises a time behind every earlier promise and behind a document's version.
    package mutating func promise(after version: SnapshotVersion) -> Timestamp {
        let earliest = now ?? Self.first.microseconds
        let behind = Self.capped(max(last.microseconds, version.timestamp.microseconds))
        last = Timestamp(promising: Self.capped(max(earliest, behind + 1)))
        return last
    }

    private static func capped(_ microseconds: Int64) -> Int64 {
        min(microseconds, Timestamp.promisedMicroseconds.upperBound)
    }

    private static func microseconds(of duration: Duration) -> Int64 {
        let parts = duration.components
        return parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000
    }
}
