import HearthWire

extension ConfigurationTable {
    /// The rows of these limits.
    static let limits = ConfigurationSection(
        "limits", takesEffectAtOnce: true, keys: limitsOfClients + limitsOfMemory + limitsOfRequests
    )

    private static let countRange = 1...1_000_000

    private static let limitsOfClients: [ConfigurationKey] = [
        .count(
            "clientCountMax", \.limits.clientCountMax, countRange, of: .daemon,
            "Clients that may be connected."
        ).told("Clients that may be connected at once."),
        .count(
            "uidClientCountMax", \.limits.uidClientCountMax, countRange, of: .user,
            "Clients of one Unix user that may be connected."
        ).told("Clients of one Unix user that may be connected at once."),
        .count(
            "reservedClientCount", \.limits.reservedClientCount, 0...1_000_000, of: .daemon,
            "Clients that only administrators may connect."
        ).told(
            """
            Of clientCountMax, so many are for root and administrators alone, who always get in by \
            the control socket besides.
            """),
        .count(
            "guestClientCountMax", \.limits.guestClientCountMax, countRange, of: .daemon,
            "Clients of those whom no rule allows anything."
        ).told(
            "Clients of those whom no rule of [access] allows anything: they may ask for the status."
        ),
        .count(
            "uidGuestClientCountMax", \.limits.uidGuestClientCountMax, countRange, of: .user,
            "The same of one Unix user."),
        .count(
            "uidDatabaseCountMax", \.limits.uidDatabaseCountMax, 1...1_024, of: .user,
            "Databases that one Unix user may have opened."
        ).told(
            "Databases that the programs of one Unix user may have open at a time."),
        .count(
            "uidKeptPlaceCountMax", \.limits.uidKeptPlaceCountMax, 0...10_000, of: .user,
            "Places that one Unix user may have kept for good."
        ).told(
            """
            Places of the Realtime Database that one Unix user may have kept in step for good, by \
            `hearth rtdb keep`.
            """),
    ]

    private static let limitsOfMemory: [ConfigurationKey] = [
        .bytes(
            "heldByteCountMax", \.limits.memory.byteCountMax, 1_048_576...(1 << 40), of: .daemon,
            "Bytes that are held for all clients."
        ).told(
            """
            Bytes that the daemon holds for all clients: frames and bundles that have begun, \
            requests without an answer, and what waits to be read. Above it a client of the Unix \
            user who holds most is disconnected. `hearth clients` tells what each holds.
            """),
        .bytes(
            "uidHeldByteCountMax", \.limits.memory.uidByteCountMax, 1_048_576...(1 << 40),
            of: .user, "Bytes that are held for the clients of one user."
        ).told(
            """
            The same for all clients of one Unix user; the client that goes beyond it is \
            disconnected.
            """),
        .bytes(
            "bundleByteCountMax", \.limits.memory.bundleByteCountMax, 65_536...(1 << 32),
            of: .client, "Bytes of the bundles that a client has begun."
        ).told("Bytes of the bundles that one client has begun to load."),
        .seconds(
            "bundleSecondsMax", \.limits.memory.bundleSecondsMax, 1...3_600, of: .client,
            "How long the next part of a bundle may take."
        ).told("How long a client may take from one part of a bundle to the next."),
        .bytes(
            "sharedReadByteCount", \.limits.sharedReadByteCount,
            0...SharedReadLayout.byteCountMax, of: .database,
            "Bytes of the file in memory where programs read hot documents; 0 for none."
        ).told(
            """
            Bytes of the file in memory where programs that may read the whole default database \
            read hot documents by themselves; the file of another database has a thirty-second \
            part of it. It takes memory once such a program has connected. 0 switches the files off: programs then \
            ask the daemon.
            """),
    ]

    private static let limitsOfRequests: [ConfigurationKey] = [
        .count(
            "uidListenerCountMax", \.limits.uidListenerCountMax, countRange, of: .user,
            "Listeners of all clients of one Unix user."),
        .count(
            "listenerCountMax", \.limits.listenerCountMax, countRange, of: .client,
            "Listeners of one session."
        ).told("Listeners of one client."),
        .count(
            "requestCountMax", \.limits.requestCountMax, countRange, of: .client,
            "Requests of one session without an answer."
        ).told(
            """
            Requests of one client that have no answer yet. Listeners and accepted writes do not \
            count.
            """),
        .count(
            "uidRequestCountMax", \.limits.uidRequestCountMax, countRange, of: .user,
            "Requests without an answer of all clients of one Unix user."
        ).told("The same of all clients of one Unix user."),
        .count(
            "unreadReplyCountMax", \.limits.unreadReplyCountMax, countRange, of: .client,
            "Replies that a client may leave unread."
        ).told(
            """
            Replies that one client may leave unread before the daemon disconnects the client.
            """),
        .bytes(
            "unreadByteCountMax", \.limits.unreadByteCountMax, 65_536...(1 << 32), of: .client,
            "Bytes of replies that a client may leave unread."
        ).told(
            """
            Bytes of replies that one client may leave unread before the daemon disconnects the \
            client. The same number bounds the answers to reads that wait before further reads are \
            refused; one answer of any size may always wait.
            """),
        .bytes(
            "frameByteCountMax", \.limits.frameByteCountMax,
            65_536...WireLimits.frameByteCountMax, of: .client,
            "Bytes of one frame that a client sends."
        ).told("Bytes of one frame that a client sends: of its largest request."),
        .seconds(
            "frameSecondsMax", \.limits.frameSecondsMax, 1...3_600, of: .client,
            "How long a client may take to end a frame."
        ).told("How long a client may take to end a frame that it has begun."),
        .seconds(
            "greetingSecondsMax", \.limits.greetingSecondsMax, 1...3_600, of: .client,
            "How long a client may take to greet."
        ).told("How long a client may take to say Hello."),
    ]
}
