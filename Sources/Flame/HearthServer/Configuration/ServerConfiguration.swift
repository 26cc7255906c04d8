package import HearthEngine
package import HearthFirestore
package import HearthModel
import HearthSQLite
package import Logging

/// What the daemon does, and within which limits.
package struct ServerConfiguration: Sendable {
    /// A socket's place and permissions.
    package struct Socket: Hashable, Sendable {
        /// The socket's path; `nil` for no socket.
        package var path: String?
        /// The permissions of the socket's file.
        package var mode: UInt32

        /// Places a socket.
        package init(path: String?, mode: UInt32) {
            self.path = path
            self.mode = mode
        }

        /// The path of the control socket beside a client socket at another path than usual.
        ///
        /// The control socket is control.sock beside hearth.sock, and NAME-control.sock beside
        /// NAME.sock.
        package static func control(beside client: String) -> String {
            path("control", beside: client)
        }

        /// The path of another socket beside a client socket, called as the control socket is.
        static func path(_ other: String, beside client: String) -> String {
            let end = client.lastIndex(of: "/").map(client.index(after:)) ?? client.startIndex
            let (folder, name) = (client[..<end], client[end...])
            if name == "hearth.sock" { return folder + other + ".sock" }
            let stem = name.hasSuffix(".sock") ? name.dropLast(".sock".count) : name
            return folder + stem + "-\(other).sock"
        }
    }

    /// The database of clients that name none.
    package var database: DatabaseID?
    /// The name of that database within its project.
    package internal(set) var databaseName = DatabaseID.defaultName
    /// Databases that may be open.
    package var databaseCountMax = 64
    /// Seconds after which the daemon closes an unused database.
    package var databaseIdleSeconds = 60
    /// The backend, as `host:port`.
    package var upstreamAddress = "firestore.googleapis.com:443"
    /// An emulator instead of the backend.
    package var emulator: String?
    /// Whether to connect at all.
    package var isUpstreamEnabled = true
    /// The file in PEM with the authorities to trust; `nil` for the machine's authorities.
    package var trustedCertificates: String?
    /// The backend's name in its certificate, if the name is not the address's host.
    package var serverName: String?
    /// The instances of the Realtime Database.
    package var realtime: RealtimeConfiguration
    /// Who we are to the backend.
    package var credentials: CredentialsConfiguration
    /// Firebase's user to whom queue and overlays belong at the start.
    package var user = UserID.unauthenticated
    /// Where clients connect.
    package var clientSocket: Socket
    /// Where administrators connect.
    package var controlSocket: Socket
    /// How the gateway serves the official clients.
    package var gateway: GatewayConfiguration
    /// Where the databases are kept; `nil` to keep everything in memory.
    package var storeFolder: String?
    /// Which documents leave the cache.
    var cacheCollection = CacheCollection.leastUsed
    /// The size above which the least used documents leave the cache, in bytes.
    var cacheByteCountMax = 100 << 20
    /// What is pinned, and how much users may pin.
    package var pins = PinConfiguration()
    /// Who may do what; `nil` if there are no rules, and the client socket's permissions count.
    package var access: AccessPolicy?
    /// How much may wait for the backend.
    package var queueLimits = QueueLimits()
    /// The budgets of programs, units and users, and how long the ledger keeps its rows.
    package var ledgerTerms = LedgerTerms()
    /// Whether, and how much, the history of documents is kept.
    package var historyTerms = HistoryTerms()
    /// The limits of clients, and of the memory that the daemon holds for clients.
    package var limits = SessionLimits()
    /// What an engine's host holds at a time.
    package var host = HostLimits()
    /// Threads for sockets.
    package var loopCount = 2
    /// The least important messages that are logged.
    package var logLevel = Logger.Level.info
    /// The values of the keys that were set, by their names.
    package private(set) var values: [String: ConfigurationLayer.Value] = [:]
    /// What decided between the emulator and the backend, for the log.
    package internal(set) var upstreamOrigin = "the default"

    /// The defaults in these surroundings.
    package init(_ surroundings: Surroundings = Surroundings(environment: [:], isRoot: false)) {
        clientSocket = Socket(
            path: surroundings.socketFolder.map { $0 + "/hearth.sock" }, mode: 0o660)
        controlSocket = Socket(
            path: surroundings.socketFolder.map { $0 + "/control.sock" }, mode: 0o666)
        gateway = GatewayConfiguration(besides: clientSocket.path)
        storeFolder = surroundings.stateFolder
        credentials = CredentialsConfiguration(surroundings)
        realtime = RealtimeConfiguration(surroundings)
        if let emulator = surroundings.emulator {
            self.emulator = emulator
            upstreamOrigin = Surroundings.emulatorVariable
        }
    }

    /// Joins layers, the later ones over the earlier ones.
    ///
    /// - Parameters:
    ///   - layers: The layers, the earliest first.
    ///   - unread: The files that could not be read and may have access rules. For each a rule of
    ///     the file's name denies everything.
    ///   - surroundings: What the defaults depend on.
    /// - Returns: The configuration, and what was wrong. A wrong value is left out.
    package static func join(
        _ layers: [ConfigurationLayer], unread: [String] = [], in surroundings: Surroundings
    ) -> (configuration: ServerConfiguration, problems: [ConfigurationProblem]) {
        var configuration = ServerConfiguration(surroundings)
        var reader = ConfigurationReader(layers)
        configuration.read(reader)
        configuration.access = reader.readAccess(unread: unread)
        return (configuration, reader.problems)
    }

    private mutating func read(_ reader: ConfigurationReader) {
        values = reader.values
        for key in ConfigurationTable.keys {
            if let value = values[key.name] { key.take(value, &self) }
        }
    }
}

extension ServerConfiguration {
    /// Words for what leaves the cache.
    enum CacheCollection: String, CaseIterable {
        case leastUsed
        case eager
        case never
    }

    /// Which documents leave the cache.
    package var collection: CollectionPolicy {
        switch cacheCollection {
        case .leastUsed: .leastUsed(cacheByteCountMax: cacheByteCountMax)
        case .eager: .eager
        case .never: .leastUsed(cacheByteCountMax: nil)
        }
    }

    /// Documents that each program may have read from the backend in a day.
    var readBudget: Int {
        get { Int(clamping: ledgerTerms.readBudget) }
        set { ledgerTerms.readBudget = UInt64(clamping: newValue) }
    }

    /// Documents that all programs of one Unix user may have read from the backend in a day.
    var uidReadBudget: Int {
        get { Int(clamping: ledgerTerms.uidReadBudget) }
        set { ledgerTerms.uidReadBudget = UInt64(clamping: newValue) }
    }

    /// How soon a database that cannot be opened is tried again, in seconds.
    var openRetrySeconds: Int {
        get { Int(host.openRetryDelay.components.seconds) }
        set { host.openRetryDelay = .seconds(newValue) }
    }
}
