import HearthModel
import HearthWire

/// How far the loading of a bundle came.
public struct LoadBundleTaskProgress: Hashable, Sendable {
    /// Documents loaded.
    public let documentsLoaded: Int
    /// Documents in the bundle.
    public let totalDocuments: Int
    /// Bytes loaded.
    public let bytesLoaded: Int
    /// Bytes of the bundle.
    public let totalBytes: Int
}

extension Firestore {
    /// Loads a bundle, packed by a server, into the machine's cache: documents and named queries.
    ///
    /// A bundle that was loaded before, or a newer one of the same name, is not loaded again.
    ///
    /// - Throws: `FirestoreError` `invalidArgument` if the bytes are no bundle of this database.
    @discardableResult
    public func loadBundle(_ bundle: [UInt8]) async throws -> LoadBundleTaskProgress {
        let event = try await request(
            .loadBundle(Request.BundlePart(data: bundle, hasMore: false)))
        guard case .bundleProgress(let progress) = event else { throw Self.unexpected(event) }
        return LoadBundleTaskProgress(
            documentsLoaded: progress.documentsLoaded, totalDocuments: progress.totalDocuments,
            bytesLoaded: progress.bytesLoaded, totalBytes: progress.totalBytes)
    }

    /// The query to which a loaded bundle gave a name, or `nil` if none did.
    public func getQuery(named name: String) async throws -> Query? {
        let event = try await request(.getNamedQuery(name))
        guard case .namedQuery(let named) = event else { throw Self.unexpected(event) }
        return named.map { Query(firestore: self, model: $0.query) }
    }
}
