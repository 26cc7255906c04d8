import HearthEngine
import HearthFirestore
import HearthWire

/// Everything that can be configured: in a file, or by a flag of the same name.
package enum ConfigurationKey: String, CaseIterable, Sendable {
    case databaseProject = "database.project"
    case databaseName = "database.name"
    case databaseCountMax = "database.countMax"
    case databaseIdleSeconds = "database.idleSeconds"
    case upstreamAddress = "upstream.address"
    case upstreamEmulator = "upstream.emulator"
    case upstreamIsEnabled = "upstream.isEnabled"
    case upstreamUser = "upstream.user"
    case upstreamTrustedCertificates = "upstream.trustedCertificates"
    case upstreamServerName = "upstream.serverName"
    case credentialsSource = "credentials.source"
    case credentialsFile = "credentials.file"
    case credentialsFolder = "credentials.folder"
    case credentialsTokens = "credentials.tokens"
    case credentialsQuotaProject = "credentials.quotaProject"
    case credentialsAPIKey = "credentials.apiKey"
    case credentialsSignIn = "credentials.signIn"
    case credentialsEmail = "credentials.email"
    case credentialsPasswordFile = "credentials.passwordFile"
    case credentialsCustomTokenFile = "credentials.customTokenFile"
    case socketsClient = "sockets.client"
    case socketsClientMode = "sockets.clientMode"
    case socketsControl = "sockets.control"
    case socketsControlMode = "sockets.controlMode"
    case storeFolder = "store.folder"
    case storeIsPersistent = "store.isPersistent"
    case cacheCollection = "cache.collection"
    case cacheByteCountMax = "cache.byteCountMax"
    case queueBatchCountMax = "queue.batchCountMax"
    case queueByteCountMax = "queue.byteCountMax"
    case queueUIDBatchCountMax = "queue.uidBatchCountMax"
    case queueUIDByteCountMax = "queue.uidByteCountMax"
    case queueExactlyOnce = "queue.exactlyOnce"
    case queueInDoubt = "queue.inDoubt"
    case limitsClientCountMax = "limits.clientCountMax"
    case limitsUIDClientCountMax = "limits.uidClientCountMax"
    case limitsUIDListenerCountMax = "limits.uidListenerCountMax"
    case limitsUIDRequestCountMax = "limits.uidRequestCountMax"
    case limitsReservedClientCount = "limits.reservedClientCount"
    case limitsGuestClientCountMax = "limits.guestClientCountMax"
    case limitsUIDGuestClientCountMax = "limits.uidGuestClientCountMax"
    case limitsUIDDatabaseCountMax = "limits.uidDatabaseCountMax"
    case limitsHeldByteCountMax = "limits.heldByteCountMax"
    case limitsUIDHeldByteCountMax = "limits.uidHeldByteCountMax"
    case limitsBundleByteCountMax = "limits.bundleByteCountMax"
    case limitsBundleSecondsMax = "limits.bundleSecondsMax"
    case limitsListenerCountMax = "limits.listenerCountMax"
    case limitsRequestCountMax = "limits.requestCountMax"
    case limitsUnreadReplyCountMax = "limits.unreadReplyCountMax"
    case limitsUnreadByteCountMax = "limits.unreadByteCountMax"
    case limitsFrameByteCountMax = "limits.frameByteCountMax"
    case limitsFrameSecondsMax = "limits.frameSecondsMax"
    case limitsGreetingSecondsMax = "limits.greetingSecondsMax"
    case engineWaitingInputCountMax = "engine.waitingInputCountMax"
    case engineGroupInputCountMax = "engine.groupInputCountMax"
    case engineOpenRetrySeconds = "engine.openRetrySeconds"
    case serverLoopCount = "server.loopCount"
    case logLevel = "log.level"

    /// What kind of value a key takes.
    package enum Kind: Hashable, Sendable {
        /// Any text.
        case text
        /// An id in the name of a database.
        case name
        /// The path of a collection, or nothing.
        case collection
        /// A whole number of a range.
        case number(ClosedRange<Int>)
        /// Yes or no.
        case flag
        /// One of some words.
        case choice([String])
        /// The permissions of a file, such as `0660`.
        case mode
    }

    /// What kind of value it takes.
    package var kind: Kind {
        switch self {
        case .databaseProject, .databaseName: .name
        case .queueExactlyOnce: .collection
        case .queueInDoubt: .choice(LostAnswerPolicy.InDoubt.allCases.map(\.rawValue))
        case .upstreamAddress, .upstreamEmulator, .upstreamUser,
            .upstreamTrustedCertificates, .upstreamServerName, .credentialsFile,
            .credentialsFolder, .credentialsQuotaProject, .credentialsAPIKey, .credentialsEmail,
            .credentialsPasswordFile, .credentialsCustomTokenFile, .socketsClient, .socketsControl,
            .storeFolder:
            .text
        case .credentialsSource:
            .choice(CredentialsConfiguration.Source.allCases.map(\.rawValue))
        case .credentialsSignIn:
            .choice(CredentialsConfiguration.SignIn.allCases.map(\.rawValue))
        case .credentialsTokens: .choice(["selfSigned", "exchanged"])
        case .upstreamIsEnabled, .storeIsPersistent: .flag
        case .socketsClientMode, .socketsControlMode: .mode
        case .cacheCollection: .choice(["leastUsed", "eager", "never"])
        case .logLevel:
            .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"])
        case .cacheByteCountMax: .number(1_048_576...(1 << 46))
        case .queueBatchCountMax, .queueUIDBatchCountMax: .number(1...(1 << 40))
        case .queueByteCountMax, .queueUIDByteCountMax: .number(1_024...(1 << 46))
        case .databaseCountMax, .limitsUIDDatabaseCountMax: .number(1...1_024)
        case .databaseIdleSeconds: .number(1...86_400)
        case .limitsReservedClientCount: .number(0...1_000_000)
        case .limitsHeldByteCountMax, .limitsUIDHeldByteCountMax: .number(1_048_576...(1 << 40))
        case .limitsBundleByteCountMax: .number(65_536...(1 << 32))
        case .serverLoopCount: .number(1...16)
        case .limitsGreetingSecondsMax, .limitsFrameSecondsMax, .limitsBundleSecondsMax,
            .engineOpenRetrySeconds:
            .number(1...3_600)
        case .limitsFrameByteCountMax: .number(65_536...WireLimits.frameByteCountMax)
        case .limitsUnreadByteCountMax: .number(65_536...(1 << 32))
        case .limitsClientCountMax, .limitsUIDClientCountMax, .limitsUIDListenerCountMax,
            .limitsUIDRequestCountMax, .limitsListenerCountMax, .limitsRequestCountMax,
            .limitsUnreadReplyCountMax, .limitsGuestClientCountMax, .limitsUIDGuestClientCountMax,
            .engineWaitingInputCountMax, .engineGroupInputCountMax:
            .number(1...1_000_000)
        }
    }
}
