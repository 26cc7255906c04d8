package import HearthModel

/// A query that a bundle gave a name.
package struct NamedQuery: Hashable, Sendable {
    /// The name.
    package let name: String
    /// The query.
    package let query: Query
    /// When the bundle's documents were read.
    package let readAt: SnapshotVersion

    /// Names a query.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - query: The query.
    ///   - readAt: When the bundle's documents were read.
    package init(name: String, query: Query, readAt: SnapshotVersion) {
        self.name = name
        self.query = query
        self.readAt = readAt
    }
}
