/// How far a bundle is that goes into the cache in slices.
package struct BundleLoading: Hashable, Sendable {
    /// The bundle's name for itself.
    package let id: String
    /// How many of the bundle's documents the cache has.
    package let documentCount: Int
    /// How many documents the bundle has.
    package let totalDocumentCount: Int

    /// Takes the counts.
    ///
    /// - Parameters:
    ///   - id: The bundle's name for itself.
    ///   - documentCount: How many of the bundle's documents the cache has.
    ///   - totalDocumentCount: How many documents the bundle has.
    package init(id: String, documentCount: Int, totalDocumentCount: Int) {
        self.id = id
        self.documentCount = documentCount
        self.totalDocumentCount = totalDocumentCount
    }
}
