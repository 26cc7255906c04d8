import HearthModel

/// The keys for the daemon's databases, sockets, threads and messages.
extension ConfigurationTable {
    static let database = ConfigurationSection(
        "database",
        keys: [
            .taken(
                "project", .project, "name", "The project of clients that name no database."
            ) { project, configuration in
                guard !project.isEmpty else { return }
                configuration.database = DatabaseID(
                    project: project, database: configuration.databaseName)
            }.told(
                """
                The project of clients that name no database. If it is not set, the key of the \
                service account or the metadata server of a machine of Google's names it; if \
                neither does, `hearth status` says so, and each client must name one.
                """),
            .taken(
                "name", .database, "name", "The database of that project."
            ) { name, configuration in
                configuration.databaseName = name
                configuration.database = configuration.database.map {
                    DatabaseID(project: $0.project, database: name)
                }
            }.shown(.text(DatabaseID.defaultName)),
            .count(
                "countMax", \.databaseCountMax, 1...1_024, of: .daemon,
                "Databases that may be open."
            ).told(
                """
                Databases that may be open at once; each costs a thread, a file, a connection and \
                up to 11 MiB of memory.
                """),
            .seconds(
                "idleSeconds", \.databaseIdleSeconds, 1...86_400, of: .database,
                "After which an unused database is closed."
            ).told(
                """
                How long no program must have used a database, other than the one above, until it \
                is closed. A database whose queue is not empty stays open, and is opened at the \
                start. A database that nobody ever wrote to leaves no file behind.
                """),
        ])

    static let sockets = ConfigurationSection(
        "sockets",
        keys: [
            .taken("client", .text, "path", "Where clients connect.") { path, configuration in
                configuration.clientSocket.path = path.isEmpty ? nil : path
                if !path.isEmpty {
                    configuration.controlSocket.path =
                        ServerConfiguration.Socket.control(beside: path)
                    configuration.gateway.place(besides: path)
                }
            }.told(
                """
                Where clients connect. If systemd passes a socket named "client", that one counts. \
                Else the default is hearth.sock in $RUNTIME_DIRECTORY, in /run/hearth for root, or \
                in $XDG_RUNTIME_DIR/hearth.
                """
            ).shown(.text("/run/hearth/hearth.sock")),
            .mode("clientMode", \.clientSocket.mode, "Its permissions, such as 0660.")
                .told("Its permissions, in octal digits."),
            .text(
                "control", "path", \.controlSocket.path,
                "Where administrators connect, if not beside sockets.client."
            ).told(
                """
                Where administrators connect; systemd's is named "control". If `client` is set, \
                the default is beside it: control.sock beside hearth.sock, NAME-control.sock \
                beside NAME.sock.
                """
            ).shown(.text("/run/hearth/control.sock")),
            .mode("controlMode", \.controlSocket.mode, "Its permissions, such as 0666.").told(
                """
                Its permissions. Everyone may ask; only root and the daemon's own user may change \
                anything.
                """),
        ])

    static let store = ConfigurationSection(
        "store",
        keys: [
            .taken("folder", .text, "path", "Where the databases are kept.") {
                $1.storeFolder = $0
            }.told(
                """
                Where the databases are kept. The default is $STATE_DIRECTORY, /var/lib/hearth for \
                root, or $XDG_STATE_HOME/hearth.
                """
            ).shown(.text("/var/lib/hearth")),
            ConfigurationKey(
                "isPersistent", .flag, "bool", "Whether to keep anything on disk."
            ) { value, configuration in
                if case .flag(false) = value { configuration.storeFolder = nil }
            }.told(
                """
                Whether to keep anything on disk. If not, queued writes are lost when the daemon \
                ends.
                """
            ).shown(.flag(true)),
        ])

    static let cache = ConfigurationSection(
        "cache",
        keys: [
            .choice(
                "collection", "policy", \.cacheCollection,
                "What leaves the cache: leastUsed, eager or never."
            ).told(
                """
                Which documents leave the cache: "leastUsed" above a size, "eager" as soon as \
                nobody needs them, "never".
                """),
            .bytes(
                "byteCountMax", \.cacheByteCountMax, 1_048_576...(1 << 46), of: .database,
                "The size above which the least used leave."
            ).told("The size above which the least used leave."),
        ])

    static let engine = ConfigurationSection(
        "engine",
        keys: [
            .count(
                "waitingInputCountMax", \.host.quota, 1...1_000_000, of: .client,
                "Inputs of one session in the mailbox."
            ).told(
                """
                Requests of one client that may wait for the engine; then the daemon stops reading \
                from the client.
                """),
            .count(
                "groupInputCountMax", \.host.groupCountMax, 1...1_000_000, of: .database,
                "Inputs committed together."
            ).told("Requests, of all clients, that are made durable together."),
            .seconds(
                "openRetrySeconds", \.openRetrySeconds, 1...3_600, of: .database,
                "How soon to try again to open a store."
            ).told("How soon a database that cannot be opened is tried again."),
        ])

    static let server = ConfigurationSection(
        "server",
        keys: [
            .count("loopCount", \.loopCount, 1...16, of: .daemon, "Threads for sockets.")
        ])

    static let log = ConfigurationSection(
        "log", takesEffectAtOnce: true,
        keys: [
            .choice(
                "level", "level", \.logLevel, "The least important messages that are logged."
            ).told(
                """
                The least important messages that are logged: trace, debug, info, notice, \
                warning, error, critical.
                """)
        ])
}
