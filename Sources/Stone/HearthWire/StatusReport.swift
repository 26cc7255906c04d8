package import HearthEngine
package import HearthModel

/// The daemon's state, for people and for monitoring.
package struct StatusReport: Hashable, Sendable {
    /// The daemon's version.
    package var daemonVersion = ""
    /// How long the daemon has run, in whole seconds.
    package var uptime = Duration.zero
    /// Why the daemon does less than it should, a sentence for each reason; empty if all is well.
    package var degradedReasons: [String] = []
    /// What the database has lost, and nobody has taken note of.
    package var losses: [StoreLoss] = []
    /// The first of the bundles that the daemon is loading into the cache.
    package var bundles: [BundleLoading] = []
    /// Whether the store cannot be read, so that nobody knows what the store holds; the store's counts are 0
    /// then.
    package var hasUnknownCounts = false
    /// The session's database.
    package var database: EngineKey
    /// The Firebase user that the queue belongs to.
    package var user = UserID.unauthenticated
    /// The address of the backend.
    package var upstream = ""
    /// Whether the daemon can reach the backend.
    package var onlineState = OnlineState.unknown
    /// Whether nothing waits for the backend, so that the daemon needs no connection.
    package var isIdle = false
    /// Whether an administrator lets the daemon connect.
    package var isNetworkEnabled = true
    /// Batches that wait for the backend.
    package var queueBatchCount = 0
    /// When the oldest batch in the queue was written; `nil` if the queue is empty.
    package var oldestWrittenAt: Timestamp?
    /// Rejected batches, which a person should look at.
    package var deadLetterCount = 0
    /// Connected processes.
    package var clientCount = 0
    /// Listeners of the connected processes.
    package var listenerCount = 0
    /// Targets that the listeners share.
    package var targetCount = 0
    /// Documents in the cache; 0 for an instance of the Realtime Database, whose cache has no documents.
    package var cachedDocumentCount = 0
    /// Bytes of the database's file.
    package var cacheByteCount = 0
    /// Batches that an administrator holds.
    package var heldBatchCount = 0
    /// Places of an instance that are kept in step although nobody may listen.
    package var keptPlaceCount = 0
    /// Queries and documents that are kept in step although nobody may listen.
    package var pinCount = 0
    /// About how many bytes the pins have.
    package var pinnedByteCount = 0
    /// Pins without kept results.
    package var stoppedPinCount = 0
    /// Steps in the history of documents.
    package var historyEntryCount = 0
    /// Bytes of the history.
    package var historyByteCount = 0
    /// Why the daemon could not reach the backend the last time; `nil` once the backend has
    /// answered.
    package var connectionError: HearthError?
    /// When `connectionError` happened.
    package var connectionFailedAt: Timestamp?
    /// How long the daemon waits before it tries the backend again; `nil` if no attempt waits.
    package var nextAttemptDelay: Duration?

    /// Whether nothing waits for the backend. A daemon of an earlier version does not tell `isIdle`, but
    /// has neither targets nor batches then. Counts that nobody knows say nothing.
    package var seemsIdle: Bool {
        isIdle || (!hasUnknownCounts && targetCount == 0 && queueBatchCount == 0)
    }

    /// A report of an idle daemon, to be filled in.
    package init(database: EngineKey) {
        self.database = database
    }
}
