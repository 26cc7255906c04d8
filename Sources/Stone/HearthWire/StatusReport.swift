package import HearthEngine
package import HearthModel

/// How the daemon is, for people and for monitoring.
package struct StatusReport: Hashable, Sendable {
    /// The daemon's version.
    package var daemonVersion = ""
    /// How long it has run, in whole seconds.
    package var uptime = Duration.zero
    /// Why it does less than it should, a sentence each; empty if all is well.
    package var degradedReasons: [String] = []
    /// The session's database.
    package var database: DatabaseID
    /// To whom the queue belongs.
    package var user = UserID.unauthenticated
    /// Where the backend is.
    package var upstream = ""
    /// Whether it can be reached.
    package var onlineState = OnlineState.unknown
    /// Whether an administrator lets the daemon connect.
    package var isNetworkEnabled = true
    /// Batches that wait for the backend.
    package var queueBatchCount = 0
    /// When the oldest of them was written; `nil` if there are none.
    package var oldestWrittenAt: Timestamp?
    /// Rejected batches that someone should look at.
    package var deadLetterCount = 0
    /// Connected processes.
    package var clientCount = 0
    /// Their listeners.
    package var listenerCount = 0
    /// What the listeners share.
    package var targetCount = 0
    /// Documents in the cache.
    package var cachedDocumentCount = 0
    /// Bytes of the database's file.
    package var cacheByteCount = 0
    /// Batches that an administrator keeps back.
    package var heldBatchCount = 0
    /// Why the backend could not be reached the last time; `nil` once it answered.
    package var connectionError: HearthError?
    /// When that was.
    package var connectionFailedAt: Timestamp?
    /// How long it is until the backend is tried again; `nil` if no attempt waits.
    package var nextAttemptDelay: Duration?

    /// A report of an idle daemon, to be filled in.
    package init(database: DatabaseID) {
        self.database = database
    }
}
