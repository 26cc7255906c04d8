import HearthModel
import HearthWire

extension Firestore {
    /// Loads a bundle, packed by a server or by `buildBundle`, into the machine's cache: documents
    /// and named queries.
    ///
    /// A bundle that was loaded before, or a newer one of the same name, is not loaded again. Of a
    /// bundle that is broken nothing is stored.
    ///
    /// - Parameter bundle: The bytes, as an array or as `Data`.
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

    /// Loads a bundle into the machine's cache, and waits until it is there.
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

    /// The query to which a loaded bundle gave a name, or `nil` if none did, or if the daemon cannot
    /// be asked; see `namedQuery`.
    public func getQuery(named name: String) async -> Query? {
        try? await namedQuery(name)
    }

    /// Finds the query to which a loaded bundle gave a name, and calls back.
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

    /// The query to which a loaded bundle gave a name, or `nil` if none did.
    ///
    /// - Throws: `FirestoreError` if the daemon cannot be asked.
    public func namedQuery(_ name: String) async throws -> Query? {
        let event = try await request(.firestore(.getNamedQuery(name)))
        guard case .namedQuery(let named) = event else { throw Self.unexpected(event) }
        return named.map { Query(firestore: self, model: $0.query) }
    }

    /// Packs a bundle of what the machine's cache holds of queries and documents.
    ///
    /// It holds what the backend has said, without local writes. Any SDK of Firestore can load it.
    ///
    /// - Parameters:
    ///   - name: The bundle's name; one of the same name that is newer replaces it.
    ///   - queries: Queries with the names that they get, and all their results.
    ///   - documents: Documents besides; each must be in the cache.
    /// - Returns: The file.
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
