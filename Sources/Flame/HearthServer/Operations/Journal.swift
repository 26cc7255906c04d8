import HearthEngine
import HearthFirestore
import HearthModel
import Logging
import Synchronization

/// Writes down what operators should know of one database. Never a document's content.
final class Journal: Sendable {
    let logger: Logger
    private let key: EngineKey
    private let throttle: JournalThrottle
    /// Whether the last thing told of the connection is that there is none, or nothing yet.
    private let wasOffline = Mutex(true)

    /// Writes down what concerns a database.
    ///
    /// - Parameter throttle: Bounds the lines that programs can cause.
    init(logger: Logger, key: EngineKey, throttle: JournalThrottle) {
        self.key = key
        self.throttle = throttle
        var logger = logger
        logger[metadataKey: JournalField.engine.rawValue] = "\(key)"
        switch key {
        case .firestore(let database):
            logger[metadataKey: JournalField.project.rawValue] = "\(database.project)"
            logger[metadataKey: JournalField.database.rawValue] = "\(database.database)"
        case .realtime(let instance):
            logger[metadataKey: JournalField.instance.rawValue] = "\(instance)"
        }
        self.logger = logger
    }

    /// Whether a line is to be told. A line that programs can cause at will is told only a few times.
    ///
    /// - Parameter line: The message of a line that programs can cause at will; `nil` for other lines.
    func admits(_ line: Logger.Message?) -> Bool {
        line.map { throttle.admits("\($0)", of: key) } ?? true
    }

    func note(_ news: FirestoreEngine.Note) {
        guard admits(news.line) else { return }
        switch news {
        case .onlineState, .connectionFailed, .connectionRecovered:
            break  // Told as part of the sync state.
        case .batchCommitted: break  // Counted.
        case .syncState(let state, let previous): note(state, after: previous)
        case .backendBehind(let error):
            logger.warning(
                FirestoreEngine.Note.lag,
                metadata: [JournalField.reason.rawValue: "\(error.message)"])
        case .messageUnreadable(let error):
            logger.error(
                FirestoreEngine.Note.unreadable,
                metadata: [JournalField.reason.rawValue: "\(error.message)"])
        case .targetRejected(let id, let error):
            logger.warning(
                FirestoreEngine.Note.targetRejection,
                metadata: [
                    JournalField.targetID.rawValue: "\(id)",
                    JournalField.grpcCode.rawValue: "\(error.code)",
                    JournalField.reason.rawValue: "\(error.message)",
                ])
        case .batchRejected(let id, let error):
            logger.record(
                .writeRejected,
                [
                    .mutationID: "\(id)", .grpcCode: "\(error.code)", .reason: error.message,
                ])
        case .batchInDoubt(let id, let error):
            logger.record(.writeInDoubt, [.mutationID: "\(id)", .reason: error.message])
        case .markersDenied(let error):
            logger.record(
                .markersDenied, [.grpcCode: "\(error.code)", .reason: error.message])
        case .markersAllowed: break  // The status tells.
        case .queueSteered(let order, let batches, let uid):
            noteSteered(order, batches, by: uid)
        case .queueFull(let error):
            logger.record(.queueFull, [.reason: error.message])
        case .storeFailed(let reason):
            logger.record(.storeFailed, [.reason: reason])
        case .storeRecovered:
            logger.record(.storeRecovered)
        case .budget(let news, let terms): note(news, terms)
        case .documentsRead: break  // Counted.
        case .pinned, .bundlesLoading, .bundleLoaded: break  // The status tells.
        case .cacheCleared: logger.notice(FirestoreEngine.Note.clearing)
        case .bundleSkipped(let bundle, let loaded): noteSkipped(bundle, because: loaded)
        case .bundleCut(let begun):
            logger.record(
                .bundleCut,
                [.documents: "\(begun.documentCount)", .reason: begun.account])
        case .pinStopped(let id, let error):
            logger.record(
                .pinEnded,
                [
                    .pin: id.name, .clientUID: id.uid.map { "\($0)" } ?? "", .reason: error.message,
                ])
        case .collected(let targets, let documents):
            logger.record(
                .collected, [.targets: "\(targets)", .documents: "\(documents)"])
        }
    }

    /// A program that loads its bundle at each start is no news; a bundle that is older than the cache's may be.
    private func noteSkipped(_ bundle: BundleRecord, because loaded: BundleRecord) {
        let isOlder = bundle.createdAt < loaded.createdAt
        let reason =
            "Nothing was taken of the bundle \"\(bundle.id)\" of \(bundle.createdAt), because the cache has "
            + (isOlder ? "the one of \(loaded.createdAt)." : "that bundle.")
        logger.log(
            level: isOlder ? .info : .debug, FirestoreEngine.Note.bundleSkip,
            metadata: [JournalField.reason.rawValue: "\(reason)"])
    }

    /// A budget comes to its end, or is there.
    private func note(_ news: Ledger.News, _ terms: LedgerTerms) {
        switch news {
        case .warned(let budget): logger.record(.budgetWarned, Self.fields(of: budget))
        case .reached(let budget):
            var fields = Self.fields(of: budget)
            fields[.reason] =
                switch terms.onBudget {
                case .warn: "Reads go on, as ledger.onBudget says."
                case .stop: "Reads are from the cache alone until midnight UTC."
                }
            logger.record(.budgetReached, fields)
        }
    }

    private static func fields(of budget: LedgerBudget) -> [JournalField: String] {
        [
            .program: "\(budget.holder)", .reads: "\(budget.readCount)",
            .budget: "\(budget.limit)",
        ]
    }

    func note(_ news: StoreNews) {
        switch news {
        case .unavailable(let error):
            logger.record(.storeUnavailable, [.reason: error.description])
        case .failed(let error): logger.record(.storeFailed, [.reason: error.description])
        case .recovered: logger.record(.storeRecovered)
        case .rebuilt(let report): logger.record(.storeRebuilt, [.reason: report])
        case .historyLost(let reason): logger.record(.historyBegunAnew, [.reason: reason])
        case .logLost(let reason): logger.record(.intakeLogLost, [.reason: reason])
        case .migrated(let version):
            logger.record(.schemaMigrated, [.reason: "It was of version \(version)."])
        }
    }

    /// An administrator ordered something of batches.
    func noteSteered(_ order: String, _ batches: [BatchID], by uid: UInt32) {
        logger.record(
            .queueSteered,
            [
                .order: order, .batches: batches.map { "\($0)" }.joined(separator: " "),
                .clientUID: "\(uid)",
            ])
    }

    /// Going offline and coming back concern an operator; how traffic comes and goes does not.
    func note(_ state: SyncState, after previous: SyncState) {
        let fields: [JournalField: String] = [
            .syncState: state.rawValue, .prevState: previous.rawValue,
        ]
        switch state {
        case .offline:
            wasOffline.withLock { $0 = true }
            logger.record(.wentOffline, fields)
        case .live:
            let isNews = wasOffline.withLock { wasOffline in
                defer { wasOffline = false }
                return wasOffline
            }
            logger.record(.live, fields, level: isNews ? nil : .debug)
        case .catchingUp:
            logger.record(
                .syncStateChanged, fields, level: previous == .offline ? nil : .debug)
        case .idle, .connecting:
            logger.record(.syncStateChanged, fields, level: .debug)
        }
    }
}

extension FirestoreEngine.Note {
    fileprivate static let lag: Logger.Message = "backend behind the cache"
    fileprivate static let unreadable: Logger.Message = "backend's message unreadable"
    fileprivate static let targetRejection: Logger.Message = "target rejected"
    fileprivate static let bundleSkip: Logger.Message = "bundle skipped"
    fileprivate static let clearing: Logger.Message = "cache and queue cleared"

    /// The message of a line that programs can cause at will; `nil` for other lines.
    fileprivate var line: Logger.Message? {
        switch self {
        case .backendBehind: Self.lag
        case .messageUnreadable: Self.unreadable
        case .targetRejected: Self.targetRejection
        case .batchRejected: JournalEvent.writeRejected.message
        case .queueFull: JournalEvent.queueFull.message
        case .bundleCut: JournalEvent.bundleCut.message
        case .bundleSkipped: Self.bundleSkip
        case .cacheCleared: Self.clearing
        case .pinStopped: JournalEvent.pinEnded.message
        case .onlineState, .syncState, .batchCommitted, .connectionFailed, .connectionRecovered,
            .batchInDoubt, .markersDenied, .markersAllowed, .queueSteered, .storeFailed,
            .storeRecovered, .budget, .documentsRead, .pinned, .collected, .bundlesLoading,
            .bundleLoaded:
            nil
        }
    }
}
