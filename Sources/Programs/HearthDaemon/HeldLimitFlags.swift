import ArgumentParser
import HearthServer

/// The limits of what clients make the daemon hold, and of those who come in without rights, as flags.
struct HeldLimitFlags: ParsableArguments {
    @Option(
        name: .customLong("limits.heldByteCountMax"),
        help: ArgumentHelp("Bytes that are held for all clients.", valueName: "bytes"))
    var heldByteCountMax: String?

    @Option(
        name: .customLong("limits.uidHeldByteCountMax"),
        help: ArgumentHelp("Bytes that are held for the clients of one user.", valueName: "bytes"))
    var uidHeldByteCountMax: String?

    @Option(
        name: .customLong("limits.bundleByteCountMax"),
        help: ArgumentHelp("Bytes of the bundles that a client has begun.", valueName: "bytes"))
    var bundleByteCountMax: String?

    @Option(
        name: .customLong("limits.bundleSecondsMax"),
        help: ArgumentHelp("How long the next part of a bundle may take.", valueName: "seconds"))
    var bundleSecondsMax: String?

    @Option(
        name: .customLong("limits.reservedClientCount"),
        help: ArgumentHelp("Clients that only administrators may connect.", valueName: "n"))
    var reservedClientCount: String?

    @Option(
        name: .customLong("limits.guestClientCountMax"),
        help: ArgumentHelp("Clients of those whom no rule allows anything.", valueName: "n"))
    var guestClientCountMax: String?

    @Option(
        name: .customLong("limits.uidGuestClientCountMax"),
        help: ArgumentHelp("The same of one Unix user.", valueName: "n"))
    var uidGuestClientCountMax: String?

    @Option(
        name: .customLong("limits.uidDatabaseCountMax"),
        help: ArgumentHelp("Databases that one Unix user may have opened.", valueName: "n"))
    var uidDatabaseCountMax: String?

    @Option(
        name: .customLong("database.idleSeconds"),
        help: ArgumentHelp("After which an unused database is closed.", valueName: "seconds"))
    var databaseIdleSeconds: String?

    /// The value of one of these keys; `nil` for any other, and for a flag that was not given.
    func value(of key: ConfigurationKey) -> String? {
        let values: [ConfigurationKey: String?] = [
            .limitsHeldByteCountMax: heldByteCountMax,
            .limitsUIDHeldByteCountMax: uidHeldByteCountMax,
            .limitsBundleByteCountMax: bundleByteCountMax,
            .limitsBundleSecondsMax: bundleSecondsMax,
            .limitsReservedClientCount: reservedClientCount,
            .limitsGuestClientCountMax: guestClientCountMax,
            .limitsUIDGuestClientCountMax: uidGuestClientCountMax,
            .limitsUIDDatabaseCountMax: uidDatabaseCountMax,
            .databaseIdleSeconds: databaseIdleSeconds,
        ]
        return values[key] ?? nil
    }
}
