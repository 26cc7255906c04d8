import HearthModel

/// What a later run needs to go on with the backend's time.
struct NotedTime: Hashable, Sendable {
    /// The last moment that answers may name.
    let bound: SnapshotVersion
    /// How far the backend's time is ahead of the machine's clock.
    let ahead: Duration
}

/// Up to where the disk knows that answers may name moments.
///
///     bound on disk  ----------|--------- lead ---------|
///     moments named  ..........now, and anew when half of the lead is used
///
/// A read names a moment and changes nothing, so no read waits for the disk. If the folder kept only the
/// moments of commits, an emulator that was started anew after a step of the clock would go back
/// behind what its clients have heard: they would pass over its snapshots, and a token of a moment
/// that comes a second time would hide what was written before. The disk therefore hears of a bound
/// ahead of the backend's time, at most once in half of the lead, and the emulator begins at the bound.
/// From there its time goes on (`SteadyClock`).
///
/// The first moment after a pause may be told some milliseconds before the disk knows its bound.
struct MomentReserve: Sendable {
    /// How far a new bound lies ahead: by so much at most does a crash put an emulator ahead.
    static let lead = Duration.seconds(1)

    private var bound: SnapshotVersion

    /// Begins with the newest moment that the disk knows.
    init(from bound: SnapshotVersion) {
        self.bound = bound
    }

    /// Moves the bound if the backend's time is near it or has passed it.
    ///
    /// - Returns: The new bound, for the disk; `nil` if the old one is good.
    mutating func extend(at now: Timestamp) -> SnapshotVersion? {
        guard now.advanced(by: Self.lead / 2) > bound.timestamp else { return nil }
        bound = SnapshotVersion(now.advanced(by: Self.lead).flooredToMicroseconds)
        return bound
    }
}
