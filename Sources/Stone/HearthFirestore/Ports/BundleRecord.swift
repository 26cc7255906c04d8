package import HearthModel

/// What is kept of a loaded bundle.
package struct BundleRecord: Hashable, Sendable {
    /// The bundle's name for itself.
    package let id: String
    /// When it was built.
    package let createdAt: SnapshotVersion
    /// The format's version.
    package let version: Int

    /// Remembers a bundle.
    ///
    /// - Parameters:
    ///   - id: The bundle's name for itself.
    ///   - createdAt: When the bundle was built.
    ///   - version: The format's version.
    package init(id: String, createdAt: SnapshotVersion, version: Int) {
        self.id = id
        self.createdAt = createdAt
        self.version = version
    }
}
