import HearthEngine
import HearthModel
import HearthWire

/// How the machine's daemon is.
public struct DaemonStatus: Hashable, Sendable {
    /// Whether the backend can be reached, as far as is known.
    public enum OnlineState: String, Hashable, Sendable {
        /// Not tried, or being tried.
        case unknown
        /// It answers.
        case online
        /// It does not.
        case offline
    }

    /// The daemon's version.
    public let daemonVersion: String
    /// How long it has run, in whole seconds.
    public let uptime: Duration
    /// Why it does less than it should, a sentence each; empty if all is well.
    public let degradedReasons: [String]
    /// The project of the database.
    public let projectID: String
    /// The database of the project.
    public let databaseID: String
    /// Firebase's user, to whom the queue belongs; empty for nobody.
    public let user: String
    /// Where the backend is.
    public let upstream: String
    /// Whether it can be reached.
    public let onlineState: OnlineState
    /// Whether an administrator lets the daemon connect.
    public let isNetworkEnabled: Bool
    /// Batches of writes that wait for the backend.
    public let queueBatchCount: Int
    /// When the oldest of them was written; `nil` if there are none.
    public let oldestWrittenAt: Timestamp?
    /// Rejected batches that someone should look at.
    public let deadLetterCount: Int
    /// Connected programs.
    public let clientCount: Int
    /// Their listeners.
    public let listenerCount: Int
    /// Queries and documents that are watched for the listeners, or were and can be resumed.
    public let targetCount: Int
    /// Documents in the cache.
    public let cachedDocumentCount: Int
    /// Bytes of the database's file.
    public let cacheByteCount: Int
    /// Batches that an administrator keeps back.
    public let heldBatchCount: Int
    /// Why the backend could not be reached the last time; `nil` once it answered.
    public let connectionError: FirestoreError?
    /// When that was.
    public let connectionFailedAt: Timestamp?
    /// How long it is until the backend is tried again; `nil` if no attempt waits.
    public let nextAttemptDelay: Duration?

    init(_ report: StatusReport) {
        daemonVersion = report.daemonVersion
        uptime = report.uptime
        degradedReasons = report.degradedReasons
        projectID = report.database.project
        databaseID = report.database.database
        user = report.user.rawValue
        upstream = report.upstream
        onlineState =
            switch report.onlineState {
            case .unknown: .unknown
            case .online: .online
            case .offline: .offline
            }
        isNetworkEnabled = report.isNetworkEnabled
        queueBatchCount = report.queueBatchCount
        oldestWrittenAt = report.oldestWrittenAt.map(Timestamp.init)
        deadLetterCount = report.deadLetterCount
        clientCount = report.clientCount
        listenerCount = report.listenerCount
        targetCount = report.targetCount
        cachedDocumentCount = report.cachedDocumentCount
        cacheByteCount = report.cacheByteCount
        heldBatchCount = report.heldBatchCount
        connectionError = report.connectionError.map { FirestoreError($0) }
        connectionFailedAt = report.connectionFailedAt.map(Timestamp.init)
        nextAttemptDelay = report.nextAttemptDelay
    }
}

extension Firestore {
    /// Asks the daemon how it is.
    public func daemonStatus() async throws -> DaemonStatus {
        let answer = try await inquire(.status)
        guard case .status(let report) = answer else { throw Self.unexpected(answer) }
        return DaemonStatus(report)
    }

    /// Lets the daemon connect to the backend, or keeps it from it, for all programs of the machine.
    /// Only root and the daemon's own user may; see `disableNetwork` for a program's own wish.
    public func setDaemonNetwork(isEnabled: Bool) async throws {
        _ = try await request(.administration(.setNetwork(isEnabled: isEnabled)))
    }
}
