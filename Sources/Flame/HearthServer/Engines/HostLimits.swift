/// How much a host holds at a time.
package struct HostLimits: Hashable, Sendable {
    /// Inputs that one session may have waiting. Some milliseconds of a busy client.
    package var quota = 256
    /// Inputs in one group, and so behind one `fsync`. Enough that the sync no longer counts.
    package var groupCountMax = 256
    /// How long a group takes turns before it ends, because all who are in it wait for its commit. Enough,
    /// too, that the sync no longer counts.
    package var groupTimeMax = Duration.milliseconds(20)
    /// Inputs in one group while the disk is full: those that need no room go together.
    package var sparingCountMax = 16
    /// How long work that can wait steps back when somebody waits.
    package var backgroundDelay = Duration.milliseconds(10)
    /// How long it steps back at most. Else a client that never pauses would have the cache grow without
    /// bound; a slice of some milliseconds each time is a tenth of the engine.
    package var backgroundPatience = Duration.milliseconds(50)
    /// How long what waits is run when the daemon is told to end. What is left then is asked for again by
    /// whoever connects to the next one.
    package var closingTimeMax = Duration.seconds(2)
    /// How long at most until a store that could not be opened or used is tried again.
    package var openRetryDelay = Duration.seconds(5)
    /// How long the opening of a store may take, with all that brings it to a new version, before it
    /// counts as hanging. Some GB on a slow disk.
    package static let openingTimeMax = Duration.seconds(1_800)
    /// How often the store is looked after. Seldom enough to cost nothing, often enough that a
    /// large deletion gives its space back within the hour.
    package var maintenancePeriod = Duration.seconds(60)

    /// The defaults.
    package init() {}
}
