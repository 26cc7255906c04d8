/// How much a host holds at a time.
package struct HostLimits: Hashable, Sendable {
    /// Inputs that one session may have waiting. Some milliseconds of a busy client.
    package var quota = 256
    /// Inputs in one group, all behind a single `fsync`.
    ///
    /// With so many inputs the sync's cost no longer counts.
    package var groupCountMax = 256
    /// How long a group takes turns before the group ends.
    ///
    /// A bound is needed because every source in the group waits for the commit. With so long a
    /// group, too, the sync's cost no longer counts.
    package var groupTimeMax = Duration.milliseconds(20)
    /// Inputs in one group while the disk is full: only inputs that need no room form groups.
    package var sparingCountMax = 16
    /// How long background work steps back when somebody waits.
    package var backgroundDelay = Duration.milliseconds(10)
    /// How long background work steps back at most.
    ///
    /// Without this limit, a client that never pauses would let the cache grow for ever. A slice of
    /// some milliseconds each time takes a tenth of the engine.
    package var backgroundPatience = Duration.milliseconds(50)
    /// How long the host runs waiting inputs when the daemon is told to end.
    ///
    /// Clients repeat the remaining requests when they connect to the next daemon.
    package var closingTimeMax = Duration.seconds(2)
    /// The longest pause before the host retries a store that could not be opened or used.
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
