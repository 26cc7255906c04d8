package import HearthModel

/// The answer to a one-time read of documents by name.
package struct DocumentsRead: Hashable, Sendable {
    /// The local documents, in the order asked: found, missing, or not known here.
    ///
    /// A document is not known (`isFound` and `isMissing` are false) if neither the backend nor a
    /// write that waits has told whether the document exists, or what is in it. That happens only
    /// in an answer from the cache.
    package let documents: [Document]
    /// Whether the cache answered, and the backend may know better.
    package let isFromCache: Bool
    /// When the backend was read; from the cache, the newest moment that the engine has heard of.
    ///
    /// Zero if the engine never heard of any.
    package let readAt: SnapshotVersion

    /// Takes the parts.
    ///
    /// - Parameters:
    ///   - documents: The local documents, in the order asked: found, missing, or not known here.
    ///   - isFromCache: Whether the cache answered, and the backend may know better.
    ///   - readAt: When the backend was read; from the cache, the newest moment that the engine has
    ///     heard of.
    package init(documents: [Document], isFromCache: Bool, readAt: SnapshotVersion) {
        self.documents = documents
        self.isFromCache = isFromCache
        self.readAt = readAt
    }
}
