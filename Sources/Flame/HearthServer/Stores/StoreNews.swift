package import HearthEngine

/// A change in the state of a store.
package enum StoreNews: Hashable, Sendable {
    /// The store cannot be opened; the host tries again.
    case unavailable(StoreError)
    /// The store was open and no longer works as it should; the host tries again.
    case failed(StoreError)
    /// The store works as it should again.
    case recovered
    /// A new store replaced a damaged store; a sentence says what was saved.
    case rebuilt(String)
    /// The new store's history of documents begins anew; a sentence says where the old one is.
    case historyLost(String)
    /// The intake log is not the log that the store left; accepted writes may be missing.
    case logLost(String)
    /// The store had an older version and has this daemon's version now.
    case migrated(from: Int)
}
