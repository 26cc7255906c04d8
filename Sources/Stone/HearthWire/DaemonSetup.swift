/// How a daemon is set up, as far as a program may have been written to count on it.
package struct DaemonSetup: Hashable, Sendable {
    /// Which documents leave the cache.
    package enum Collection: Hashable, Sendable {
        /// The least used, above a size in bytes.
        case leastUsed(cacheByteCountMax: Int)
        /// All that nobody listens to or waits for.
        case eager
        /// None.
        case never
    }

    /// Where the backend is, as `host:port` or `unix:PATH`.
    package var upstream: String
    /// Whether that is an emulator, reached in plaintext.
    package var isEmulator: Bool
    /// Whether cache and queue are kept on disk.
    package var isPersistent: Bool
    /// Which documents leave the cache.
    package var collection: Collection

    /// Takes the parts.
    package init(
        upstream: String, isEmulator: Bool, isPersistent: Bool, collection: Collection
    ) {
        self.upstream = upstream
        self.isEmulator = isEmulator
        self.isPersistent = isPersistent
        self.collection = collection
    }
}
