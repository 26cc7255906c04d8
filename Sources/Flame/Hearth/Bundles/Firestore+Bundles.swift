import HearthModel
import HearthWire

extension Firestore {
    /// Loads a bundle, packed by a server or by `buildBundle`, into the machine's cache: documents
    /// and named queries.
    ///
    /// The daemon does not load a bundle again if it has loaded the same bundle, or a newer bundle
    /// of the same name; the last progress says so (`wasSkipped`). The daemon stores nothing of a
    /// broken bundle.
    ///
    /// - Parameters:
    ///   - bundle: The bytes, as an array or as `Data`.
    ///   - completion: Gets the last progress, or the error.
    @discardableResult
    public func loadBundle(
        _ bundle: some Sequence<UInt8>,
        completion: (@Sendable (LoadBundleTaskProgress?, (any Error)?) -> Void)?
    ) -> LoadBundleTask {
        let task = LoadBundleTask(callbacks: client.callbacks)
        if let completion {
            task.whenDone { progress, error in completion(error == nil ? progress : nil, error) }
        }
        let part = FirestoreRequest.BundlePart(data: Array(bundle), hasMore: false)
        client.request(
            client.nextOperation(), .firestore(.loadBundle(part)),
            progress: { task.moved(to: LoadBundleTaskProgress($0)) },
            { result in
                task.finished(
                    result.flatMap { event in
                        guard case .bundleProgress(let progress) = event else {
                            return .failure(Self.unexpected(event))
                        }
                        return .success(LoadBundleTaskProgress(progress))
                    })
            })
        return task
    }

    /// Loads a bundle into the machine's cache, and waits until the cache holds the bundle.
    ///
    /// - Throws: `FirestoreError` `invalidArgument` if the bytes are no bundle of this database.
    @discardableResult
    public func loadBundle(
        _ bundle: some Sequence<UInt8>
    ) async throws -> LoadBundleTaskProgress {
        let task = loadBundle(bundle, completion: nil)
        return try await withCheckedThrowingContinuation { continuation in
            task.whenDone { progress, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(progress))
            }
        }
    }

    /// The query that a loaded bundle stores under a name; see `namedQuery`.
    ///
    /// - Returns: `nil` if no loaded bundle has a query of the name, or if the daemon cannot be
    ///   asked.
    public func getQuery(named name: String) async -> Query? {
        try? await namedQuery(name)
    }

    /// Finds the query that a loaded bundle stores under a name, and calls `completion`.
    public func getQuery(
        named name: String, completion: @escaping @Sendable (Query?) -> Void
    ) {
        let client = client
        client.request(client.nextOperation(), .firestore(.getNamedQuery(name))) { result in
            client.callbacks.enqueue {
                guard case .success(.namedQuery(let named)) = result else { return completion(nil) }
                completion(named.map { Query(firestore: self, model: $0.query) })
            }
        }
    }

    /// The query that a loaded bundle stores under a name; `nil` if no loaded bundle has such a
    /// query.
    ///
    /// - Throws: `FirestoreError` if the daemon cannot be asked.
    public func namedQuery(_ name: String) async throws -> Query? {
        let event = try await request(.firestore(.getNamedQuery(name)))
        guard case .namedQuery(let named) = event else { throw Self.unexpected(event) }
        return named.map { Query(firestore: self, model: $0.query) }
    }

    /// Packs documents and results of queries from the machine's cache into a bundle.
    ///
    /// The bundle holds the documents as the backend last sent them, without local writes. Any SDK
    /// of Firestore can load the bundle.
    ///
    /// - Parameters:
    ///   - name: The bundle's name. A newer bundle of the same name replaces the bundle.
    ///   - queries: Queries, each with the name that the bundle gives to the query. The bundle
    ///     holds all their results.
    ///   - documents: Further documents. Each document must be in the cache.
    /// - Returns: The bytes of the bundle.
    /// - Throws: `FirestoreError` `notFound` if the cache does not know a document.
    public func buildBundle(
        named name: String, queries: [(name: String, query: Query)] = [],
        documents: [DocumentReference] = []
    ) async throws -> [UInt8] {
        var entries: [BundleOrder.Entry] = []
        for (name, query) in queries {
            entries.append(.init(name: name, query: try query.validated()))
        }
        let event = try await request(
            .firestore(
                .buildBundle(
                    BundleOrder(
                        id: name, queries: entries, documents: documents.map(\.key)))))
        guard case .bundle(let bundle) = event else { throw Self.unexpected(event) }
        return bundle.data
    }
}
