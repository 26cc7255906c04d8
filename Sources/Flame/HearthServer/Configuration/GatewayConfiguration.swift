/// How the gateway serves the official clients of Firestore.
package struct GatewayConfiguration: Hashable, Sendable {
    /// Where reads are answered from.
    package enum Reads: String, CaseIterable, Sendable {
        /// The backend; the cache while the backend cannot be reached.
        case serverFirst = "server-first"
        /// The cache; the backend for what the cache does not know.
        case cacheFirst = "cache-first"
        /// The backend alone.
        case server
    }

    /// When a write is answered.
    package enum Writes: String, CaseIterable, Sendable {
        /// When the backend has committed the write; at once while the backend cannot be reached.
        case committedIfOnline = "committed-if-online"
        /// When the write is durable on this machine.
        case accepted
        /// When the backend has committed the write; refused while the backend cannot be reached.
        case committed
    }

    /// The status of a call that needs a backend which cannot be reached.
    package enum OfflineStatus: String, CaseIterable, Sendable {
        /// Not tried again by Google's server clients, so that a program hears at once.
        case failedPrecondition
        /// Tried again by the clients, for minutes.
        case unavailable
    }

    /// Whether there is a gateway.
    package var isEnabled = true
    /// The socket whose calls are answered as `reads` and `writes` say; `nil` for none.
    package var socket: String?
    /// The socket that answers from the cache first and accepts writes; `nil` for none.
    package var localSocket: String?
    /// The TCP port that is answered as `socket` is; `nil` for none.
    package var address: LoopbackAddress?
    /// Where reads are answered from, unless a call says otherwise.
    package var reads = Reads.serverFirst
    /// When writes are answered, unless a call says otherwise.
    package var writes = Writes.committedIfOnline
    /// How long a write waits for the backend before it is answered as accepted.
    package var patienceMilliseconds = 2_000
    /// Calls of one Unix user that the backend answers through the daemon at a time.
    package var forwardCountMax = 64
    /// The status of a call that needs a backend which cannot be reached.
    package var offlineStatus = OfflineStatus.failedPrecondition

    /// The defaults, with sockets beside the client socket if it has a place.
    init(besides clientSocket: String?) {
        place(besides: clientSocket)
    }

    /// The same, where a reload changes nothing: the sockets are as they were.
    func placed(as old: GatewayConfiguration) -> GatewayConfiguration {
        var new = self
        new.isEnabled = old.isEnabled
        new.socket = old.socket
        new.localSocket = old.localSocket
        new.address = old.address
        return new
    }

    /// Places the sockets beside a client socket: `firestore.sock` beside `hearth.sock`, and
    /// `NAME-firestore.sock` beside `NAME.sock`.
    mutating func place(besides clientSocket: String?) {
        socket = clientSocket.map { ServerConfiguration.Socket.path("firestore", beside: $0) }
        localSocket = clientSocket.map {
            ServerConfiguration.Socket.path("firestore-local", beside: $0)
        }
    }
}

extension ConfigurationTable {
    static let gateway = ConfigurationSection(
        "gateway",
        introduction: """
            Google's own clients of Firestore, which find the daemon by the environment variable \
            FIRESTORE_EMULATOR_HOST=unix:/run/hearth/firestore.sock. [access] says who may do \
            what, as for all programs; the daemon does not look at the tokens of these clients.
            """,
        keys: keysOfPlaces + keysOfAnswers)

    private static let keysOfPlaces: [ConfigurationKey] = [
        .flag("isEnabled", \.gateway.isEnabled, "Whether official clients are served."),
        .text("socket", "path", \.gateway.socket, "Where official clients connect.").told(
            """
            Where official clients connect, with the permissions of sockets.clientMode; empty for \
            nowhere. If systemd passes a socket named "firestore", that one counts. Else the \
            default is beside sockets.client: firestore.sock beside hearth.sock, \
            NAME-firestore.sock beside NAME.sock.
            """
        ).shown(.text("/run/hearth/firestore.sock")),
        .text(
            "localSocket", "path", \.gateway.localSocket,
            "Where official clients connect that want the cache first."
        ).told(
            """
            Where official clients connect whose reads come from the cache first and whose writes \
            are answered as soon as they are durable here; empty for nowhere. The default is beside \
            sockets.client, with "firestore-local" for "firestore".
            """
        ).shown(.text("/run/hearth/firestore-local.sock")),
        .taken(
            "address", .loopback, "host:port", "A TCP port for clients without Unix sockets."
        ) { text, configuration in
            configuration.gateway.address = LoopbackAddress(text)
        }.told(
            """
            A TCP port of the loopback interface, such as "127.0.0.1:8085", for clients that know \
            no Unix sockets, such as Node's, Java's and JavaScript's. Empty for none. The kernel \
            is asked which Unix user has connected; the program's unit stays unknown, so a rule \
            for a unit allows it nothing.
            """),
    ]

    private static let keysOfAnswers: [ConfigurationKey] = [
        .choice(
            "reads", "mode", \.gateway.reads,
            "Where reads are answered from, such as server-first."
        ).told(
            """
            Where reads are answered from: "server-first", the backend, and the cache while the \
            backend cannot be reached; "cache-first", the cache, and the backend for what the cache \
            does not know; "server", the backend alone. A call may say otherwise by the metadata \
            hearth-reads.
            """
        ).takingEffectAtOnce(),
        .choice(
            "writes", "mode", \.gateway.writes,
            "When writes are answered, such as accepted."
        ).told(
            """
            When writes are answered: "committed-if-online", when the backend has committed them, \
            or at once while the backend cannot be reached; "accepted", when they are durable \
            here; "committed", when the backend has committed them, and this mode refuses writes \
            while the backend cannot be reached. A call may say otherwise by the metadata \
            hearth-writes.
            """
        ).takingEffectAtOnce(),
        .milliseconds(
            "patienceMilliseconds", \.gateway.patienceMilliseconds, 1...600_000, of: .client,
            "How long a write waits for the backend."
        ).told(
            """
            How long a write in the mode "committed-if-online" waits for the backend before it is \
            answered as accepted; at most half of the time that the client gives.
            """
        ).takingEffectAtOnce(),
        .count(
            "uidForwardCountMax", \.gateway.forwardCountMax, 1...1_024, of: .user,
            "Calls of one Unix user that are handed through."
        ).told(
            """
            Calls that the programs of one Unix user may have at the backend at a time, for \
            example calls of transactions. Further calls are refused.
            """
        ).takingEffectAtOnce(),
        .choice(
            "offlineStatus", "status", \.gateway.offlineStatus,
            "Of what needs the backend: failedPrecondition or unavailable."
        ).told(
            """
            The status of a call that needs the backend while it cannot be reached: \
            "failedPrecondition", so that a program hears at once, because no server client tries \
            again; or "unavailable", and the clients try again, for minutes.
            """
        ).takingEffectAtOnce(),
    ]
}
