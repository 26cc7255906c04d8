/// Where a one-time read may be answered from.
package enum RealtimeSource: Hashable, Sendable {
    /// A view that knows the whole answer, else the backend, else the cache.
    case any
    /// The backend, or an error.
    case server
    /// Views and cache, or an error if the place was never known wholly.
    case cache
}
