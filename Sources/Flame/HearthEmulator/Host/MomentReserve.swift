import HearthModel

/// Up to where the disk knows that answers may name moments.
///
///     bound on disk  ----------|--------- lead ---------|
///     moments named  ..........now, and anew when half of the lead is used
///
/// A read names a moment and changes nothing, so no read waits for the disk. If the folder kept only the
/// moments of commits, an emulator that was started anew after a step of the clock would go back
/// behind what its clients have heard: they would pass over its snapshots, and a token of a moment
/// that comes a second time would hide what was written before. The disk therefore hears of a bound
/// ahead of the clock, at most once in half of the lead, and the emulator begins at the bound.
///
/// The first moment after a pause may be told some milliseconds before the disk knows its bound.
struct MomentReserve: Sendable {
    /// How far a new bound lies ahead: so far at most is an emulator ahead of the time after a crash.
    static let lead = Duration.seconds(4)

    private var bound: SnapshotVersion

    /// Begins with the newest moment that the disk knows.
    init(from bound: SnapshotVersion) {
        self.bound = bound
    }

    /// Moves the bound if it is near or passed.
    ///
    /// A clock that was set back moves nothing: the backend names no new moment until the clock
    /// has made up for the step, except for commits, which the disk has anyway.
    ///
    /// - Returns: The new bound, for the disk; `nil` if the old one is good.
    mutating func extend(at now: Timestamp) -> SnapshotVersion? {
        guard now.advanced(by: Self.lead / 2) > bound.timestamp else { return nil }
        bound = SnapshotVersion(now.advanced(by: Self.lead).flooredToMicroseconds)
        return bound
    }
}
