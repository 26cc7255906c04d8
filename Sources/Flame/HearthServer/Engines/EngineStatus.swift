package import HearthEngine
package import HearthModel

/// How a stream to the backend failed.
package struct ConnectionFailure: Hashable, Sendable {
    /// The error that ended the stream.
    package let error: HearthError
    /// When the stream ended.
    package let at: Timestamp

    /// Takes the parts.
    package init(error: HearthError, at: Timestamp) {
        self.error = error
        self.at = at
    }
}

/// The state of an engine.
package struct EngineStatus: Hashable, Sendable {
    /// How far it is.
    package enum Phase: Hashable, Sendable {
        /// The host has not opened the store yet.
        case opening
        /// The engine takes inputs.
        case open
        /// The store cannot be opened; the host refuses requests and tries again.
        case failed(StoreError)
        /// The engine is shut down.
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
    /// What its store has lost; an entry counts while the entry's file is there.
    package var losses: [StoreLoss] = []
    /// Bundles that are on their way into the cache.
    package var bundles: [BundleLoading] = []
    /// What is kept in step though nobody listens.
    package var pins = PinFigures()
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
