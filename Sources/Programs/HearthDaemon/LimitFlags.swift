import ArgumentParser

/// The limits of Unix users, and of what comes and goes on a connection, as flags.
struct LimitFlags: ParsableArguments {
    @Option(
        name: .customLong("limits.uidClientCountMax"),
        help: ArgumentHelp("Clients of one Unix user that may be connected.", valueName: "n"))
    var uidClientCountMax: String?

    @Option(
        name: .customLong("limits.uidListenerCountMax"),
        help: ArgumentHelp("Listeners of all clients of one Unix user.", valueName: "n"))
    var uidListenerCountMax: String?

    @Option(
        name: .customLong("limits.uidRequestCountMax"),
        help: ArgumentHelp(
            "Requests without an answer of all clients of one Unix user.", valueName: "n"))
    var uidRequestCountMax: String?

    @Option(
        name: .customLong("limits.unreadByteCountMax"),
        help: ArgumentHelp("Bytes of replies that a client may leave unread.", valueName: "bytes"))
    var unreadByteCountMax: String?

    @Option(
        name: .customLong("limits.frameByteCountMax"),
        help: ArgumentHelp("Bytes of one frame that a client sends.", valueName: "bytes"))
    var frameByteCountMax: String?

    @Option(
        name: .customLong("limits.frameSecondsMax"),
        help: ArgumentHelp("How long a client may take to end a frame.", valueName: "seconds"))
    var frameSecondsMax: String?

    @OptionGroup(title: "Limits of memory and doors")
    var held: HeldLimitFlags
}
