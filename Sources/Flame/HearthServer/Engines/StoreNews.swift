package import HearthEngine

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
