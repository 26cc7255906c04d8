package import HearthEngine

/// The timers of an engine. Scheduling one again moves it.
package enum TimerID: String, Hashable, Sendable, CaseIterable {
    /// The backend has been silent long enough to call us offline.
    case onlineState
    /// The backend was asked a while ago; see whether it has said anything since.
    case backendSilence
    /// Nothing is watched; close the stream.
    case watchIdle
    /// Try the watch stream again.
    case watchBackoff
    /// The watch stream has stood long enough to count as healthy.
    case watchHealth
    /// Ask anew for targets whose documents did not fit the backend's count.
    case mismatches
    /// Nothing is written; close the stream.
    case writeIdle
    /// Try the write stream again.
    case writeBackoff
    /// The write stream has stood long enough to count as healthy.
    case writeHealth
    /// Try again what the store failed to do.
    case storeRetry
    /// Show what acknowledged writes have become where the watch stream does not tell.
    case settling
    /// Collect the least used of the cache.
    case garbageCollection
    /// List some more documents in incomplete indexes.
    case indexBackfill
    /// Delete the markers whose time has come.
    case markers
    /// Go on with the queue: an earlier turn left off, or the store could not read the queue.
    case filling
    /// Go on with a bundle.
    case bundles
    /// Save the ledger.
    case ledger
    /// Take up a pin, or refresh the results of a pin.
    case pins
    /// Give up writes whose time is over.
    case terms
    /// Forget what is too old in the history of documents.
    case history

    /// Whether the backend is tried again when it runs out.
    package var isReconnection: Bool {
        switch self {
        case .watchBackoff, .writeBackoff: true
        case .onlineState, .backendSilence, .watchIdle, .watchHealth, .mismatches, .writeIdle,
            .writeHealth, .storeRetry, .settling, .garbageCollection, .indexBackfill, .markers,
            .filling,
            .bundles, .ledger, .pins, .terms, .history:
            false
        }
    }

    /// Whether its work can wait until nobody else waits.
    package var isBackground: Bool {
        switch self {
        case .garbageCollection, .indexBackfill, .markers, .history: true
        case .onlineState, .backendSilence, .watchIdle, .watchBackoff, .watchHealth,
            .mismatches, .writeIdle, .writeBackoff, .writeHealth, .storeRetry, .settling, .filling,
            .bundles, .ledger,
            .pins, .terms:
            false
        }
    }
}

extension StreamMachine<TimerID>.Timers {
    /// The watch stream's.
    package static let watch = Self(
        idle: .watchIdle, backoff: .watchBackoff, health: .watchHealth)
    /// The write stream's.
    package static let write = Self(
        idle: .writeIdle, backoff: .writeBackoff, health: .writeHealth)
}
