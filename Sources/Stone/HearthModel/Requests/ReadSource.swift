/// Where a one-time read may look.
package enum ReadSource: Hashable, CaseIterable, Sendable {
    /// The backend if it can be reached, else the cache.
    case `default`
    /// The backend alone.
    case server
    /// The cache alone.
    case cache
}
