import HearthEngine
import HearthModel
import HearthWire

/// The state of the machine's daemon.
public struct DaemonStatus: Hashable, Sendable {
    /// Whether the daemon can reach the backend, as far as the daemon knows.
    public enum OnlineState: String, Hashable, Sendable {
        /// The daemon has not tried, or tries now.
        case unknown
        /// The backend answers.
        case online
        /// The backend does not answer.
        case offline
    }

    /// The daemon's version.
    public let daemonVersion: String
    /// How long the daemon has run, in whole seconds.
    public let uptime: Duration
    /// Why the daemon does less than it should, a sentence for each reason; empty if all is well.
    public let degradedReasons: [String]
    /// What the database has lost, and nobody has taken note of.
    public let losses: [StoreLoss]
    /// The bundles that the daemon is loading into the cache, 16 at most. While a long bundle is
    /// loaded, reads of the cache find a part of the bundle's documents.
    public let bundles: [BundleLoading]
    /// How many bundles are on their way beside `bundles`.
    public let untoldBundleCount: Int
    /// The project of the database; empty for an instance of the Realtime Database.
    public let projectID: String
    /// The database of the project; empty for an instance of the Realtime Database.
    public let databaseID: String
    /// The address of the instance of the Realtime Database; `nil` for a Firestore database.
    public let instanceURL: String?
    /// The Firebase user that the queue belongs to; empty for nobody.
    public let user: String
    /// The address of the backend.
    public let upstream: String
    /// Whether the daemon can reach the backend.
    public let onlineState: OnlineState
    /// Whether nothing waits for the backend, so that the daemon needs no connection: nobody listens, no
    /// write is to be sent, and no pin is being refreshed.
    public let isIdle: Bool
    /// Whether an administrator lets the daemon connect.
    public let isNetworkEnabled: Bool
    /// Whether the daemon cannot read the store, so that nobody knows what the store holds. The counts of batches,
    /// dead letters, targets, documents, history and bytes are 0 then, and `oldestWrittenAt` is `nil`.
    public let hasUnknownCounts: Bool
    /// Batches of writes that wait for the backend.
    public let queueBatchCount: Int
    /// When the oldest batch in the queue was written; `nil` if the queue is empty.
    public let oldestWrittenAt: Timestamp?
    /// Rejected batches, which a person should look at.
    public let deadLetterCount: Int
    /// Connected programs.
    public let clientCount: Int
    /// Listeners of the connected programs.
    public let listenerCount: Int
    /// Queries and documents that the daemon watches for the listeners, or has watched and can
    /// resume.
    public let targetCount: Int
    /// Documents in the cache.
    public let cachedDocumentCount: Int
    /// Bytes of the database's file.
    public let cacheByteCount: Int
    /// Batches that an administrator holds.
    public let heldBatchCount: Int
    /// Places of the instance that the daemon keeps in step although nobody may listen.
    public let keptPlaceCount: Int
    /// Queries and documents that are kept in step although nobody may listen.
    public let pinCount: Int
    /// About how many bytes the pins have.
    public let pinnedByteCount: Int
    /// Steps in the history of documents.
    public let historyEntryCount: Int
    /// Bytes of the history.
    public let historyByteCount: Int
    /// Pins that are stopped: the daemon keeps none of their results. See `Pin.error`.
    public let stoppedPinCount: Int
    /// Why the daemon could not reach the backend the last time; `nil` once the backend has
    /// answered.
    public let connectionError: FirestoreError?
    /// When `connectionError` happened.
    public let connectionFailedAt: Timestamp?
    /// How long the daemon waits before it tries the backend again; `nil` if no attempt waits.
    public let nextAttemptDelay: Duration?

    /// What a database has lost, or may have lost, until an operator has taken note.
    public struct StoreLoss: Hashable, Sendable {
        /// When the daemon noticed.
        public let noticedAt: Timestamp
        /// What happened, what was saved and what was lost, in sentences.
        public let account: String
        /// The file with the account, on the daemon's machine. An operator who removes the file has taken
        /// note.
        public let path: String

        init(_ loss: HearthEngine.StoreLoss) {
            noticedAt = Timestamp(loss.noticedAt)
            account = loss.account
            path = loss.path
        }
    }

    /// How far a bundle is that goes into the cache.
    public struct BundleLoading: Hashable, Sendable {
        /// The bundle's name for itself.
        public let id: String
        /// How many of the bundle's documents the cache has.
        public let documentCount: Int
        /// How many documents the bundle has.
        public let totalDocumentCount: Int

        init(_ bundle: HearthModel.BundleLoading) {
            id = bundle.id
            documentCount = bundle.documentCount
            totalDocumentCount = bundle.totalDocumentCount
        }
    }

    init(_ report: StatusReport) {
        daemonVersion = report.daemonVersion
        uptime = report.uptime
        degradedReasons = report.degradedReasons
        losses = report.losses.map(StoreLoss.init)
        bundles = report.bundles.map(BundleLoading.init)
        untoldBundleCount = report.untoldBundleCount
        projectID = report.database.firestore?.project ?? ""
        databaseID = report.database.firestore?.database ?? ""
        instanceURL = report.database.realtime?.description
        user = report.user.rawValue
        upstream = report.upstream
        onlineState =
            switch report.onlineState {
            case .unknown: .unknown
            case .online: .online
            case .offline: .offline
            }
        isIdle = report.seemsIdle
        isNetworkEnabled = report.isNetworkEnabled
        hasUnknownCounts = report.hasUnknownCounts
        queueBatchCount = report.queueBatchCount
        oldestWrittenAt = report.oldestWrittenAt.map(Timestamp.init)
        deadLetterCount = report.deadLetterCount
        clientCount = report.clientCount
        listenerCount = report.listenerCount
        targetCount = report.targetCount
        cachedDocumentCount = report.cachedDocumentCount
        cacheByteCount = report.cacheByteCount
        heldBatchCount = report.heldBatchCount
        keptPlaceCount = report.keptPlaceCount
        pinCount = report.pinCount
        pinnedByteCount = report.pinnedByteCount
        historyEntryCount = report.historyEntryCount
        historyByteCount = report.historyByteCount
        stoppedPinCount = report.stoppedPinCount
        connectionError = report.connectionError.map { FirestoreError($0) }
        connectionFailedAt = report.connectionFailedAt.map(Timestamp.init)
        nextAttemptDelay = report.nextAttemptDelay
    }
}

extension DaemonDatabase {
    /// Asks the daemon for its state, seen from this database.
    ///
    /// - Throws: `unavailable` if no daemon answers.
    public func daemonStatus() async throws -> DaemonStatus {
        let answer = try await operatorDesk.inquire(.status)
        guard case .status(let report) = answer else { throw operatorDesk.unexpected(answer) }
        return DaemonStatus(report)
    }

    /// Lets the daemon connect this database to the backend, or forbids the connection, for all
    /// programs of the machine.
    ///
    /// Only root and the daemon's own user may do this, unless the daemon's access rules say
    /// otherwise. See `disableNetwork` and `goOffline` for a program's own wish.
    ///
    /// - Throws: `unavailable` if no daemon answers, `permissionDenied` for other
    ///   users.
    public func setDaemonNetwork(isEnabled: Bool) async throws {
        _ = try await operatorDesk.ask(.administration(.setNetwork(isEnabled: isEnabled)))
    }
}
