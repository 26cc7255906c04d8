import ArgumentParser
import HearthServer

/// Every key of the configuration as a flag of the same name. All are texts here; what they must be,
/// the configuration knows.
struct ConfigurationFlags: ParsableArguments {
    @Option(
        name: .customLong("database.project"),
        help: ArgumentHelp("The project of clients that name no database.", valueName: "name"))
    var databaseProject: String?

    @Option(
        name: .customLong("database.name"),
        help: ArgumentHelp("The database of that project.", valueName: "name"))
    var databaseName: String?

    @Option(
        name: .customLong("database.countMax"),
        help: ArgumentHelp("Databases that may be open.", valueName: "n"))
    var databaseCountMax: String?

    @Option(
        name: .customLong("upstream.address"),
        help: ArgumentHelp("The backend.", valueName: "host:port"))
    var upstreamAddress: String?

    @Option(
        name: .customLong("upstream.emulator"),
        help: ArgumentHelp("An emulator instead: HOST:PORT or unix:PATH.", valueName: "address"))
    var upstreamEmulator: String?

    @Option(
        name: .customLong("upstream.isEnabled"),
        help: ArgumentHelp("Whether to connect at all.", valueName: "bool"))
    var upstreamIsEnabled: String?

    @Option(
        name: .customLong("upstream.user"),
        help: ArgumentHelp("Firebase's user to whom the queue belongs.", valueName: "id"))
    var upstreamUser: String?

    @Option(
        name: .customLong("upstream.trustedCertificates"),
        help: ArgumentHelp("Who vouches for the backend, in PEM.", valueName: "path"))
    var upstreamTrustedCertificates: String?

    @Option(
        name: .customLong("upstream.serverName"),
        help: ArgumentHelp("What the backend's certificate calls it.", valueName: "name"))
    var upstreamServerName: String?

    @OptionGroup(title: "Credentials")
    var credentials: CredentialsFlags

    @Option(
        name: .customLong("sockets.client"),
        help: ArgumentHelp("Where clients connect.", valueName: "path"))
    var socketsClient: String?

    @Option(
        name: .customLong("sockets.clientMode"),
        help: ArgumentHelp("Its permissions, such as 0660.", valueName: "mode"))
    var socketsClientMode: String?

    @Option(
        name: .customLong("sockets.control"),
        help: ArgumentHelp(
            "Where administrators connect, if not beside sockets.client.", valueName: "path"))
    var socketsControl: String?

    @Option(
        name: .customLong("sockets.controlMode"),
        help: ArgumentHelp("Its permissions, such as 0666.", valueName: "mode"))
    var socketsControlMode: String?

    @Option(
        name: .customLong("store.folder"),
        help: ArgumentHelp("Where the databases are kept.", valueName: "path"))
    var storeFolder: String?

    @Option(
        name: .customLong("store.isPersistent"),
        help: ArgumentHelp("Whether to keep anything on disk.", valueName: "bool"))
    var storeIsPersistent: String?

    @Option(
        name: .customLong("cache.collection"),
        help: ArgumentHelp("What leaves the cache: leastUsed, eager or never.", valueName: "policy")
    )
    var cacheCollection: String?

    @Option(
        name: .customLong("cache.byteCountMax"),
        help: ArgumentHelp("The size above which the least used leave.", valueName: "bytes"))
    var cacheByteCountMax: String?

    @Option(
        name: .customLong("queue.batchCountMax"),
        help: ArgumentHelp("Batches that may wait for the backend.", valueName: "n"))
    var queueBatchCountMax: String?

    @Option(
        name: .customLong("queue.byteCountMax"),
        help: ArgumentHelp("Bytes that may wait for the backend.", valueName: "bytes"))
    var queueByteCountMax: String?

    @Option(
        name: .customLong("queue.uidBatchCountMax"),
        help: ArgumentHelp("Batches of one Unix user that may wait.", valueName: "n"))
    var queueUIDBatchCountMax: String?

    @Option(
        name: .customLong("queue.uidByteCountMax"),
        help: ArgumentHelp("Bytes of one Unix user that may wait.", valueName: "bytes"))
    var queueUIDByteCountMax: String?

    @Option(
        name: .customLong("queue.exactlyOnce"),
        help: ArgumentHelp(
            "Where writes that hold only once are marked.", valueName: "collection"))
    var queueExactlyOnce: String?

    @Option(
        name: .customLong("queue.inDoubt"),
        help: ArgumentHelp("Unmarked ones in doubt: resend or deadLetter.", valueName: "word"))
    var queueInDoubt: String?

    @Option(
        name: .customLong("limits.clientCountMax"),
        help: ArgumentHelp("Clients that may be connected.", valueName: "n"))
    var limitsClientCountMax: String?

    @OptionGroup(title: "Limits of users and frames")
    var limits: LimitFlags

    @Option(
        name: .customLong("limits.listenerCountMax"),
        help: ArgumentHelp("Listeners of one session.", valueName: "n"))
    var limitsListenerCountMax: String?

    @Option(
        name: .customLong("limits.requestCountMax"),
        help: ArgumentHelp("Requests of one session without an answer.", valueName: "n"))
    var limitsRequestCountMax: String?

    @Option(
        name: .customLong("limits.unreadReplyCountMax"),
        help: ArgumentHelp("Replies that a client may leave unread.", valueName: "n"))
    var limitsUnreadReplyCountMax: String?

    @Option(
        name: .customLong("limits.greetingSecondsMax"),
        help: ArgumentHelp("How long a client may take to greet.", valueName: "seconds"))
    var limitsGreetingSecondsMax: String?

    @Option(
        name: .customLong("engine.waitingInputCountMax"),
        help: ArgumentHelp("Inputs of one session in the mailbox.", valueName: "n"))
    var engineWaitingInputCountMax: String?

    @Option(
        name: .customLong("engine.groupInputCountMax"),
        help: ArgumentHelp("Inputs committed together.", valueName: "n"))
    var engineGroupInputCountMax: String?

    @Option(
        name: .customLong("engine.openRetrySeconds"),
        help: ArgumentHelp("How soon to try again to open a store.", valueName: "seconds"))
    var engineOpenRetrySeconds: String?

    @Option(
        name: .customLong("server.loopCount"),
        help: ArgumentHelp("Threads for sockets.", valueName: "n"))
    var serverLoopCount: String?

    @Option(
        name: .customLong("log.level"),
        help: ArgumentHelp("The least important messages that are logged.", valueName: "level"))
    var logLevel: String?

    /// The flags that were given.
    var values: [ConfigurationKey: String] {
        var values: [ConfigurationKey: String] = [:]
        for key in ConfigurationKey.allCases { values[key] = value(of: key) }
        return values
    }

    private func value(of key: ConfigurationKey) -> String? {
        switch key {
        case .databaseProject: databaseProject
        case .databaseName: databaseName
        case .databaseCountMax: databaseCountMax
        case .upstreamAddress: upstreamAddress
        case .upstreamEmulator: upstreamEmulator
        case .upstreamIsEnabled: upstreamIsEnabled
        case .upstreamUser: upstreamUser
        case .upstreamTrustedCertificates: upstreamTrustedCertificates
        case .upstreamServerName: upstreamServerName
        case .credentialsSource, .credentialsFile, .credentialsFolder, .credentialsTokens,
            .credentialsQuotaProject, .credentialsAPIKey, .credentialsSignIn, .credentialsEmail,
            .credentialsPasswordFile, .credentialsCustomTokenFile:
            credentials.value(of: key)
        case .socketsClient: socketsClient
        case .socketsClientMode: socketsClientMode
        case .socketsControl: socketsControl
        case .socketsControlMode: socketsControlMode
        case .storeFolder: storeFolder
        case .storeIsPersistent: storeIsPersistent
        case .cacheCollection: cacheCollection
        case .cacheByteCountMax: cacheByteCountMax
        case .queueBatchCountMax: queueBatchCountMax
        case .queueByteCountMax: queueByteCountMax
        case .queueUIDBatchCountMax: queueUIDBatchCountMax
        case .queueUIDByteCountMax: queueUIDByteCountMax
        case .queueExactlyOnce: queueExactlyOnce
        case .queueInDoubt: queueInDoubt
        case .limitsClientCountMax: limitsClientCountMax
        case .limitsUIDClientCountMax: limits.uidClientCountMax
        case .limitsUIDListenerCountMax: limits.uidListenerCountMax
        case .limitsUIDRequestCountMax: limits.uidRequestCountMax
        case .limitsUnreadByteCountMax: limits.unreadByteCountMax
        case .limitsFrameByteCountMax: limits.frameByteCountMax
        case .limitsFrameSecondsMax: limits.frameSecondsMax
        case .databaseIdleSeconds, .limitsHeldByteCountMax, .limitsUIDHeldByteCountMax,
            .limitsBundleByteCountMax, .limitsBundleSecondsMax, .limitsReservedClientCount,
            .limitsGuestClientCountMax, .limitsUIDGuestClientCountMax, .limitsUIDDatabaseCountMax:
            limits.held.value(of: key)
        case .limitsListenerCountMax: limitsListenerCountMax
        case .limitsRequestCountMax: limitsRequestCountMax
        case .limitsUnreadReplyCountMax: limitsUnreadReplyCountMax
        case .limitsGreetingSecondsMax: limitsGreetingSecondsMax
        case .engineWaitingInputCountMax: engineWaitingInputCountMax
        case .engineGroupInputCountMax: engineGroupInputCountMax
        case .engineOpenRetrySeconds: engineOpenRetrySeconds
        case .serverLoopCount: serverLoopCount
        case .logLevel: logLevel
        }
    }
}
