package import HearthEngine
package import HearthModel

/// Notices a backend whose time is behind what the cache has.
///
///     in order --a snapshot more than 30 s too old--> behind --a snapshot in order--> in order
///     in order --a snapshot too old, 10 s of waiting--> behind
///
/// The cache takes no snapshot that is older than the newest one it has had: listeners would go back
/// in time. The hosted service's time goes back by moments at most, if one server answers after another.
/// The clock of a machine with an emulator may go back by any time, and nothing that the emulator says
/// would be shown until the clock has made up for the step. A lag of moments is worth a word only if
/// somebody waits for what the snapshots hold back (`BackendSilence` counts how long).
package struct BackendLag: Sendable {
    /// A snapshot that was passed over.
    private struct Passed: Sendable {
        let stream: StreamNumber
        /// By how much it was too old.
        let lag: Duration
        /// What it was too old for.
        let newest: SnapshotVersion
    }

    /// By how much a snapshot may be too old without a word about it, if nobody waits.
    package static let bound = Duration.seconds(30)

    /// Why nothing of the backend is shown, and what would help; `nil` if the backend's time is in order.
    package private(set) var refusal: HearthError?
    /// The stream on which this was told last.
    private var stream: StreamNumber?
    /// The last snapshot that was passed over since the last one in order.
    private var passed: Passed?

    /// Whether the backend's time is behind.
    package var isBehind: Bool { refusal != nil }

    /// The backend's time is in order.
    package init() {}

    /// A snapshot came that is older than the cache's newest snapshot.
    ///
    /// A backend that is behind stays so until a snapshot is in order, though it be behind by little.
    ///
    /// - Parameters:
    ///   - snapshot: The moment of the snapshot.
    ///   - number: The stream that brought the snapshot.
    ///   - newest: The newest moment that the cache has.
    /// - Returns: Whether that is to be told: once for each stream.
    package mutating func passedOver(
        _ snapshot: SnapshotVersion, on number: StreamNumber, behind newest: SnapshotVersion
    ) -> Bool {
        let last = Passed(
            stream: number, lag: newest.timestamp.since(snapshot.timestamp), newest: newest)
        passed = last
        guard isBehind || last.lag > Self.bound else { return false }
        return note(last)
    }

    /// Somebody has waited long enough for a snapshot in order: a lag of moments counts as well.
    ///
    /// - Returns: As `passedOver`; `false` too if the last snapshot was in order.
    package mutating func lasted() -> Bool {
        guard let passed else { return false }
        return note(passed)
    }

    /// A snapshot was in order, or the cache has forgotten what it had.
    package mutating func end() {
        refusal = nil
        stream = nil
        passed = nil
    }

    private mutating func note(_ last: Passed) -> Bool {
        guard stream != last.stream else { return false }
        stream = last.stream
        refusal = .behind(by: last.lag, last.newest)
        return true
    }
}

extension HearthError {
    /// The backend tells of a time that is over for the cache.
    fileprivate static func behind(by lag: Duration, _ newest: SnapshotVersion) -> HearthError {
        let seconds = lag.components.seconds
        let amount = seconds > 0 ? "\(seconds) s" : "less than a second"
        return HearthError(
            code: .unavailable,
            message:
                "The backend's time is \(amount) behind what the cache has, as after a clock "
                + "that was set back, so the cache takes nothing from the backend. Wait until the backend's "
                + "time is \(newest.timestamp), or clear cache and queue: clearPersistence() in a program that "
                + "is alone.")
    }
}
