package import Logging

/// A kind of message that the journal knows by an id of its own, with an entry in the catalog.
///
/// The raw value is the `MESSAGE_ID`, 128 random bits in hexadecimal; it never changes. What each
/// means for operators stands in `systemd/catalog/hearth.catalog`.
package enum JournalEvent: String, CaseIterable, Sendable {
    /// The daemon takes clients.
    case started = "1d79815b39554423a9913678030ee1ef"
    /// The daemon goes down, with its files closed in order.
    case stopping = "eb0a691b33c94b13b37872add1d66545"
    /// The cache's relation to the backend changed.
    case syncStateChanged = "9610f0b6cf2046d5b41c6ca6c235d047"
    /// Cache and backend are in step.
    case live = "002a838609a2482b83292aea0ce4501a"
    /// The backend cannot be reached.
    case wentOffline = "36a5fa82c35e403aa5b65f1646f4f76c"
    /// The backend refused a write for good.
    case writeRejected = "91c70c90bb07499cab902d38ed09f7e9"
    /// A write was put aside, because its answer was lost.
    case writeInDoubt = "5d0cf2b7a1c94c0f9d7e3a68b24f1e95"
    /// The backend refuses the marks of writes that hold only once.
    case markersDenied = "c3a96e0e58d1437fb2f4d90ba67c8e12"
    /// The backend refuses the fence of the Realtime Database's writes.
    case fenceDenied = "b1d8c4e9a35f47c08e2796d0fa41537c"
    /// Writes wait, because the backend has not noted the end of a connection.
    case fenceAwaited = "5c2e9f1ab07d4d6c9a34e8b61d0f7392"
    /// The backend of the Realtime Database never noted the end of a connection.
    case fenceLost = "e41b7d90c26a4f3b8d50a97c1f6e2834"
    /// A query of the Realtime Database has no index, so the whole place is downloaded.
    case indexMissing = "7f60b2c3d9184e5a95a8e1d7430cb6f2"
    /// The queue has reached its limit.
    case queueFull = "a5efe73450d24ccfb9f56c57d9ba1554"
    /// An administrator held, released, cancelled, edited, dropped or retried writes.
    case queueSteered = "777c7670f19504572ddbe1ddb53aa474"
    /// No usable credential.
    case credentialFailed = "27bce76b62ea47f88851d420d01e5f9c"
    /// The configuration was read again, or is wrong.
    case configurationRead = "f90d2dc18dcf45409b5f3d8b164cb73e"
    /// The disk cannot be written.
    case storeFailed = "95e933760bff412e8a14671d23fc410e"
    /// The database cannot be opened.
    case storeUnavailable = "58cc5a4dab894423b7e63c7bc63dcd7a"
    /// The store works again after a failure.
    case storeRecovered = "f541164dfa6d42abb2cc99e314815ad1"
    /// The file was damaged; a new file holds the data that could be saved.
    case storeRebuilt = "ee4b0b5b00224a10b2c62118e30b7bfb"
    /// The history of documents begins anew, because the damaged file has what was noted before.
    case historyBegunAnew = "35791319967598d5d4d59e742f875f09"
    /// The intake log differs from the log that the database left; accepted writes may be missing.
    case intakeLogLost = "5d1c90e27f3b4b6f9a6e6f0b8d25c3a1"
    /// A client made a request that the access rules do not allow.
    case clientRefused = "c71aee2808af4a7c94f3820d6c526f58"
    /// A client left too many answers unread.
    case slowClientDropped = "e189a90670304040855b6b38a29b8106"
    /// Clients cannot come in at a socket.
    case acceptFailed = "88ae5bc87ce394e0ba566fe6db9c8ade"
    /// Clients are accepted again.
    case acceptRecovered = "6cdf6a2425968c91c778439ece5e76d8"
    /// A program caused more lines than the journal takes of it.
    case linesLeftOut = "0f5b7c2e94d14a6b8e37c1d05a9f6b24"
    /// A pin ended, because the rules no longer let its user read the query, or because the results
    /// take too much.
    case pinEnded = "9c04e7b6d1a34f7e8a52b83f60cd1f27"
    /// The cache has a part of a bundle: the daemon ended, the client left, or the disk failed meanwhile.
    case bundleCut = "c7e3a05b9d1f4862b0947ae85f36d21c"
    /// Documents left the cache.
    case collected = "acc5097ddc084c59a527f2db50c8899c"
    /// A program has used up most of its budget of reads for the day.
    case budgetWarned = "6d0b5f9c41e74a7f8a3be2c95170d6e4"
    /// A program has used up its budget of reads for the day.
    case budgetReached = "b94e07d25c3f4d1aa6f81d3072ec5b98"
    /// The file was brought to a new version.
    case schemaMigrated = "2e2b83df580245ceaecd136db1527412"
    /// A backup of all stores was handed out.
    case backupMade = "6d0f3b9e5a1c4e27b8c4d97f20e6a135"
    /// A backup was put in the place of stores.
    case storesRestored = "a94c1e7d08b34f5fa2d6173e9b5c0f48"

    /// The key of a message's metadata under which its id travels to the log's handler.
    package static let metadataKey = "messageID"

    /// The message, without the particulars.
    package var message: Logger.Message {
        switch self {
        case .started: "started"
        case .stopping: "stopping"
        case .syncStateChanged: "sync state changed"
        case .live: "live"
        case .wentOffline: "went offline"
        case .writeRejected: "write rejected"
        case .writeInDoubt: "write in doubt"
        case .markersDenied: "markers refused"
        case .fenceDenied: "fence refused"
        case .fenceAwaited: "fence awaited"
        case .fenceLost: "fence lost"
        case .indexMissing: "query without an index"
        case .queueFull: "queue full"
        case .queueSteered: "queue steered"
        case .credentialFailed: "credential missing, refused or expired"
        case .configurationRead: "configuration read"
        case .storeFailed: "store failed"
        case .storeUnavailable: "store cannot be opened"
        case .storeRecovered: "store recovered"
        case .storeRebuilt: "damaged store set aside and rebuilt"
        case .historyBegunAnew: "history begins anew"
        case .intakeLogLost: "intake log lost"
        case .clientRefused: "client refused"
        case .slowClientDropped: "slow client dropped"
        case .acceptFailed: "no client can be accepted"
        case .acceptRecovered: "clients are accepted again"
        case .linesLeftOut: "lines left out"
        case .pinEnded: "pin ended"
        case .bundleCut: "bundle cut off"
        case .collected: "cache collected"
        case .budgetWarned: "budget of reads nearly used up"
        case .budgetReached: "budget of reads used up"
        case .schemaMigrated: "store brought to a new version"
        case .backupMade: "backup made"
        case .storesRestored: "stores restored from a backup"
        }
    }

    /// How much it matters, unless the case at hand says otherwise.
    package var level: Logger.Level {
        switch self {
        case .started, .stopping, .configurationRead, .collected: .info
        case .syncStateChanged, .live, .queueSteered, .schemaMigrated, .storeRecovered,
            .backupMade, .acceptRecovered:
            .notice
        case .wentOffline, .clientRefused, .slowClientDropped, .markersDenied, .fenceDenied,
            .fenceAwaited, .indexMissing, .budgetWarned, .budgetReached, .pinEnded, .storesRestored,
            .historyBegunAnew, .bundleCut, .linesLeftOut:
            .warning
        case .writeRejected, .writeInDoubt, .fenceLost, .queueFull, .credentialFailed,
            .acceptFailed:
            .error
        case .storeFailed, .storeUnavailable, .storeRebuilt, .intakeLogLost: .critical
        }
    }
}

extension Logger {
    /// Writes down an event with its particulars.
    ///
    /// - Parameters:
    ///   - event: The event, which has the message.
    ///   - fields: Particulars by the names of `JournalField`.
    ///   - level: The level; `nil` for the event's own.
    ///   - file: Where the call stands in the source, as `function` and `line` are; for the log's
    ///     backend alone.
    package func record(
        _ event: JournalEvent, _ fields: [JournalField: String] = [:],
        level: Logger.Level? = nil, file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) {
        var metadata = Logger.Metadata()
        for (field, value) in fields { metadata[field.rawValue] = "\(value)" }
        metadata[JournalEvent.metadataKey] = "\(event.rawValue)"
        log(
            level: level ?? event.level, event.message, metadata: metadata, file: file,
            function: function, line: line)
    }
}
