/// How a daemon is set up, as far as programs can make conditions about the setup.
package struct DaemonSetup: Hashable, Sendable {
    /// Which documents leave the cache.
    package enum Collection: Hashable, Sendable {
        /// The least used, above a size in bytes.
        case leastUsed(cacheByteCountMax: Int)
        /// All documents that nobody listens to and no write waits for.
        case eager
        /// None.
        case never
    }

    /// The backend's address, as `host:port` or `unix:PATH`.
    package var upstream: String
    /// Whether the backend is an emulator, which the daemon reaches in plaintext.
    package var isEmulator: Bool
    /// Whether the daemon keeps cache and queue on disk.
    package var isPersistent: Bool
    /// Which documents leave the cache.
    package var collection: Collection

    /// Takes the parts.
    ///
    /// - Parameters:
    ///   - upstream: The backend's address, as `host:port` or `unix:PATH`.
    ///   - isEmulator: Whether the backend is an emulator, which the daemon reaches in plaintext.
    ///   - isPersistent: Whether the daemon keeps cache and queue on disk.
    ///   - collection: Which documents leave the cache.
    package init(
        upstream: String, isEmulator: Bool, isPersistent: Bool, collection: Collection
    ) {
        self.upstream = upstream
        self.isEmulator = isEmulator
        self.isPersistent = isPersistent
        self.collection = collection
    }
}
