package import HearthEngine
package import HearthFirestore
package import HearthModel

/// How inputs get into an engine, from any thread.
package protocol EngineInlet: AnyObject, Sendable {
    /// Puts inputs at the end of their source's line. Never blocks.
    func submit(
        _ inputs: [FirestoreEngine.Input], from source: MailboxSource
    ) -> Submission

    /// Calls `body` when the store has been opened, or could not be.
    func whenOpened(_ body: @escaping @Sendable () -> Void)

    /// Returns when the engine's thread has come to it: proof that no turn hangs.
    func pulse() async

    /// What sessions may be answered without a turn.
    var cachedReads: CachedReads { get }

    /// What operators may know of the engine now.
    var status: EngineStatus { get }

    /// Runs what waits, shuts the engine down and closes its store. What comes later is refused.
    func close() async
}

/// What became of inputs on their way to the mailbox.
package enum Submission: Hashable, Sendable {
    /// They wait for their turn. If there is no room for more, `EngineOutlet.resume` tells when.
    case taken(hasRoom: Bool)
    /// The engine is shutting down.
    case refused
}

/// Who hears what an engine decided, after it is durable. Called on the engine's executor.
package protocol EngineOutlet: Sendable {
    /// Carries out the actions of one group, in order. Timers and upstream commands are not among
    /// them.
    func perform(_ actions: [FirestoreEngine.Action])

    /// Tells sessions that were stopped that the mailbox has room for them again.
    func resume(_ sessions: [UInt64])

    /// Hears of the store.
    func tell(_ news: StoreNews)

    /// Ends every session of the database, because its engine starts anew and knows none of them.
    func endSessions(_ error: HearthError)
}

/// How a store fares, when that changes.
package enum StoreNews: Hashable, Sendable {
    /// It cannot be opened; it is tried again.
    case unavailable(StoreError)
    /// It was open and cannot be used as it should; it is tried again.
    case failed(StoreError)
    /// It works as it should again.
    case recovered
    /// A damaged one was replaced; with what was saved, in a sentence.
    case rebuilt(String)
    /// Its intake log is not what it left, so that writes that were accepted last may be missing.
    case logLost(String)
    /// It was of an older version, and is of this one now.
    case migrated(from: Int)
}

/// How a stream to the backend failed.
package struct ConnectionFailure: Hashable, Sendable {
    /// What the stream ended with.
    package let error: HearthError
    /// When.
    package let at: Timestamp

    /// Takes the parts.
    package init(error: HearthError, at: Timestamp) {
        self.error = error
        self.at = at
    }
}

/// How an engine fares.
package struct EngineStatus: Hashable, Sendable {
    /// How far it is.
    package enum Phase: Hashable, Sendable {
        /// Its store has not been opened yet.
        case opening
        /// It takes inputs.
        case open
        /// Its store cannot be opened; requests are refused, and it tries again.
        case failed(StoreError)
        /// It is shut down.
        case closed
    }

    /// How far it is.
    package var phase = Phase.opening
    /// Whether the backend can be reached.
    package var onlineState = OnlineState.unknown
    /// How the cache stands to the backend.
    package var syncState = SyncState.idle
    /// Why a stream to the backend failed last, unless the backend answered since.
    package var connectionFailure: ConnectionFailure?
    /// When the backend is tried again, by the host clock's uptime; `nil` if no attempt is set.
    package var nextAttemptAt: Duration?
    /// How long it is until then; `nil` if no attempt waits.
    package var nextAttemptDelay: Duration?
    /// Whether an administrator lets the engine connect.
    package var isNetworkEnabled = true
    /// Since when its store is being opened, if it is.
    package var openingSince: ContinuousClock.Instant?
    /// Why turns fail, if the last one that touched the disk did.
    package var storeFailure: String?
    /// Why batches are not marked, if they should be and the backend refuses.
    package var markerFailure: String?
    /// Why accepted writes may be missing since its store was opened, if so.
    package var storeLoss: String?
    /// Inputs that wait.
    package var waitingCount = 0
    /// Turns taken since the start.
    package var turnCount: UInt64 = 0
    /// Groups committed since the start; each costs one sync.
    package var groupCount: UInt64 = 0
    /// What was done since the start.
    package var figures = EngineFigures()

    /// The status of an engine that has not started.
    package init() {}
}
