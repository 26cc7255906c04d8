import HearthModel

/// A bundle whose load has begun and not ended: a note that the store keeps while a part of the
/// bundle is in the cache.
package struct BegunBundle: Hashable, Sendable {
    /// The bundle.
    package let record: BundleRecord
    /// How many documents the bundle has.
    package let documentCount: Int
    /// How many named queries the bundle has.
    package let queryCount: Int

    /// Notes a load.
    ///
    /// - Parameters:
    ///   - record: The bundle.
    ///   - documentCount: How many documents the bundle has.
    ///   - queryCount: How many named queries the bundle has.
    package init(record: BundleRecord, documentCount: Int, queryCount: Int) {
        self.record = record
        self.documentCount = documentCount
        self.queryCount = queryCount
    }

    /// What operators are told of a load that nobody will end, in sentences.
    package var account: String {
        "The bundle \"\(record.id)\" of \(record.createdAt) was not loaded whole: the cache has a "
            + "part of the bundle's \(documentCount) documents. Load the bundle again, or a newer "
            + "one."
    }
}
