package import HearthEngine
package import HearthFirestore
package import HearthModel

/// What the daemon does, and within which limits.
package struct ServerConfiguration: Sendable {
    /// A socket's place and permissions.
    package struct Socket: Hashable, Sendable {
        /// Where it is; `nil` for none.
        package var path: String?
        /// Who may connect.
        package var mode: UInt32

        /// Places a socket.
        package init(path: String?, mode: UInt32) {
            self.path = path
            self.mode = mode
        }

        /// Where the control socket of a daemon is whose client socket was put somewhere else:
        /// control.sock beside hearth.sock, NAME-control.sock beside NAME.sock.
        package static func control(beside client: String) -> String {
            let end = client.lastIndex(of: "/").map(client.index(after:)) ?? client.startIndex
            let (folder, name) = (client[..<end], client[end...])
            if name == "hearth.sock" { return folder + "control.sock" }
            let stem = name.hasSuffix(".sock") ? name.dropLast(".sock".count) : name
            return folder + stem + "-control.sock"
        }
    }

    /// The database of clients that name none.
    package var database: DatabaseID?
    /// The name of that database within its project.
    package private(set) var databaseName = DatabaseID.defaultName
    /// Databases that may be open.
    package var databaseCountMax = 64
    /// Seconds after which a database that nobody uses is closed.
    package var databaseIdleSeconds = 60
    /// The backend, as `host:port`.
    package var upstreamAddress = "firestore.googleapis.com:443"
    /// An emulator instead of the backend.
    package var emulator: String?
    /// Whether to connect at all.
    package var isUpstreamEnabled = true
    /// The file in PEM that names who vouches for the backend; `nil` for whom the machine trusts.
    package var trustedCertificates: String?
    /// What the backend's certificate calls it, if not the address's host.
    package var serverName: String?
    /// Who we are to the backend.
    package var credentials: CredentialsConfiguration
    /// Firebase's user to whom queue and overlays belong at the start.
    package var user = UserID.unauthenticated
    /// Where clients connect.
    package var clientSocket: Socket
    /// Where administrators connect.
    package var controlSocket: Socket
    /// Where the databases are kept; `nil` to keep everything in memory.
    package var storeFolder: String?
    /// Which documents leave the cache.
    package var collection = CollectionPolicy.leastUsed(cacheByteCountMax: 100 << 20)
    /// Who may do what; `nil` if there are no rules, and the client socket's permissions count.
    package var access: AccessPolicy?
    /// How much may wait for the backend.
    package var queueLimits = QueueLimits()
    /// What clients may do, and what they may make the daemon hold.
    package var limits = SessionLimits()
    /// What an engine's host holds at a time.
    package var host = HostLimits()
    /// Threads for sockets.
    package var loopCount = 2
    /// The least important messages that are logged.
    package var logLevel = "info"
    /// The values of the keys that were set.
    package private(set) var values: [ConfigurationKey: ConfigurationLayer.Value] = [:]
    /// What decided between the emulator and the backend, for the log.
    package private(set) var upstreamOrigin = "the default"

    /// The defaults in these surroundings.
    package init(_ surroundings: Surroundings = Surroundings(environment: [:], isRoot: false)) {
        clientSocket = Socket(
            path: surroundings.socketFolder.map { $0 + "/hearth.sock" }, mode: 0o660)
        controlSocket = Socket(
            path: surroundings.socketFolder.map { $0 + "/control.sock" }, mode: 0o666)
        storeFolder = surroundings.stateFolder
        credentials = CredentialsConfiguration(surroundings)
        if let emulator = surroundings.emulator {
            self.emulator = emulator
            upstreamOrigin = Surroundings.emulatorVariable
        }
    }

    /// Joins layers, the later ones over the earlier ones.
    ///
    /// - Returns: The configuration, and what was wrong. A wrong value is left out.
    package static func join(_ layers: [ConfigurationLayer], in surroundings: Surroundings) -> (
        configuration: ServerConfiguration, problems: [ConfigurationProblem]
    ) {
        var configuration = ServerConfiguration(surroundings)
        var reader = ConfigurationReader(layers)
        configuration.read(&reader)
        return (configuration, reader.problems)
    }

    private mutating func read(_ reader: inout ConfigurationReader) {
        values = reader.values
        if let name = reader.text(.databaseName) { databaseName = name }
        if let project = reader.text(.databaseProject), !project.isEmpty {
            database = DatabaseID(project: project, database: databaseName)
        }
        reader.number(.databaseCountMax, &databaseCountMax)
        reader.number(.databaseIdleSeconds, &databaseIdleSeconds)
        readUpstream(&reader)
        credentials.read(&reader)
        reader.socket(.socketsClient, .socketsClientMode, &clientSocket)
        if let client = reader.text(.socketsClient), !client.isEmpty {
            controlSocket.path = Socket.control(beside: client)
        }
        reader.socket(.socketsControl, .socketsControlMode, &controlSocket)
        if let folder = reader.text(.storeFolder) { storeFolder = folder }
        if reader.flag(.storeIsPersistent) == false { storeFolder = nil }
        readCollection(&reader)
        access = reader.readAccess()
        reader.number(.queueBatchCountMax, &queueLimits.batchCountMax)
        reader.number(.queueByteCountMax, &queueLimits.byteCountMax)
        reader.number(.queueUIDBatchCountMax, &queueLimits.uidBatchCountMax)
        reader.number(.queueUIDByteCountMax, &queueLimits.uidByteCountMax)
        if let path = reader.text(.queueExactlyOnce), !path.isEmpty {
            queueLimits.lostAnswers.markers = try? ResourcePath(parsing: path)
        }
        if let word = reader.text(.queueInDoubt) {
            queueLimits.lostAnswers.inDoubt = LostAnswerPolicy.InDoubt(rawValue: word) ?? .resend
        }
        readLimits(&reader)
        reader.number(.engineWaitingInputCountMax, &host.quota)
        reader.number(.engineGroupInputCountMax, &host.groupCountMax)
        if let seconds = reader.number(.engineOpenRetrySeconds) {
            host.openRetryDelay = .seconds(seconds)
        }
        reader.number(.serverLoopCount, &loopCount)
        if let level = reader.text(.logLevel) { logLevel = level }
    }

    private mutating func readLimits(_ reader: inout ConfigurationReader) {
        reader.number(.limitsClientCountMax, &limits.clientCountMax)
        reader.number(.limitsUIDClientCountMax, &limits.uidClientCountMax)
        reader.number(.limitsUIDListenerCountMax, &limits.uidListenerCountMax)
        reader.number(.limitsUIDRequestCountMax, &limits.uidRequestCountMax)
        reader.number(.limitsUnreadByteCountMax, &limits.unreadByteCountMax)
        reader.number(.limitsFrameByteCountMax, &limits.frameByteCountMax)
        reader.number(.limitsFrameSecondsMax, &limits.frameSecondsMax)
        reader.number(.limitsListenerCountMax, &limits.listenerCountMax)
        reader.number(.limitsRequestCountMax, &limits.requestCountMax)
        reader.number(.limitsUnreadReplyCountMax, &limits.unreadReplyCountMax)
        reader.number(.limitsGreetingSecondsMax, &limits.greetingSecondsMax)
        reader.number(.limitsReservedClientCount, &limits.reservedClientCount)
        reader.number(.limitsGuestClientCountMax, &limits.guestClientCountMax)
        reader.number(.limitsUIDGuestClientCountMax, &limits.uidGuestClientCountMax)
        reader.number(.limitsUIDDatabaseCountMax, &limits.uidDatabaseCountMax)
        reader.number(.limitsHeldByteCountMax, &limits.memory.byteCountMax)
        reader.number(.limitsUIDHeldByteCountMax, &limits.memory.uidByteCountMax)
        reader.number(.limitsBundleByteCountMax, &limits.memory.bundleByteCountMax)
        reader.number(.limitsBundleSecondsMax, &limits.memory.bundleSecondsMax)
    }

    /// The configuration wins over the environment.
    private mutating func readUpstream(_ reader: inout ConfigurationReader) {
        if let address = reader.text(.upstreamAddress) {
            upstreamAddress = address
            emulator = nil
            upstreamOrigin = ConfigurationKey.upstreamAddress.rawValue
        }
        if let address = reader.text(.upstreamEmulator) {
            emulator = address.isEmpty ? nil : address
            upstreamOrigin = ConfigurationKey.upstreamEmulator.rawValue
        }
        if let isEnabled = reader.flag(.upstreamIsEnabled) { isUpstreamEnabled = isEnabled }
        reader.name(.upstreamTrustedCertificates, &trustedCertificates)
        reader.name(.upstreamServerName, &serverName)
        if let user = reader.text(.upstreamUser) { self.user = UserID(user) }
    }

    private mutating func readCollection(_ reader: inout ConfigurationReader) {
        var byteCountMax = 100 << 20
        reader.number(.cacheByteCountMax, &byteCountMax)
        switch reader.text(.cacheCollection) ?? "leastUsed" {
        case "eager": collection = .eager
        case "never": collection = .leastUsed(cacheByteCountMax: nil)
        default: collection = .leastUsed(cacheByteCountMax: byteCountMax)
        }
    }
}
