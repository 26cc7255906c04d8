import HearthModel
import HearthWire

/// A question for documents, for one read or for a listener. Each method returns a new query.
///
/// A mistake in a query (a bad field name, a value that Firestore does not have) throws no error at
/// once. The query reports the first mistake when it is read or listened to.
public class Query: @unchecked Sendable {  // All that it and its one subclass store is `let`.
    /// The `Firestore` that the query asks.
    public let firestore: Firestore
    let model: HearthModel.Query
    /// The first mistake in the query; `nil` if there is none.
    let fault: FirestoreError?

    init(firestore: Firestore, model: HearthModel.Query, fault: FirestoreError? = nil) {
        self.firestore = firestore
        self.model = model
        self.fault = fault
    }

    /// A copy with the change, or with the error that `change` throws.
    func with(
        _ change: (inout HearthModel.Query) throws(FirestoreError) -> Void
    ) -> Query {
        if fault != nil { return self }
        var model = model
        do throws(FirestoreError) {
            try change(&model)
            return Query(firestore: firestore, model: model)
        } catch {
            return Query(firestore: firestore, model: self.model, fault: error)
        }
    }

    /// The query, if the query has no mistake.
    ///
    /// - Throws: The first mistake.
    func validated() throws(FirestoreError) -> HearthModel.Query {
        if let fault { throw fault }
        do throws(HearthError) {
            try model.validate()
            return model
        } catch {
            throw FirestoreError(error)
        }
    }

    // MARK: Order and number

    /// Sorts by a field, after the fields given before.
    ///
    /// A start and an end count the sort keys before them, so the sort keys come first.
    public func order(by field: some FieldName, descending: Bool = false) -> Query {
        with { query throws(FirestoreError) in
            guard query.startAt == nil, query.endAt == nil else {
                throw FirestoreError(
                    .invalidArgument,
                    "The query has a start or an end already; call order(by:) before them.")
            }
            query.explicitOrderBys.append(
                OrderBy(try field.modelPath(), descending ? .descending : .ascending))
        }
    }

    /// Keeps the first `limit` results.
    public func limit(to limit: Int) -> Query {
        with { $0.limit = HearthModel.Query.Limit(limit, .first) }
    }

    /// Keeps the last `limit` results. The query needs an `order(by:)`.
    public func limit(toLast limit: Int) -> Query {
        with { $0.limit = HearthModel.Query.Limit(limit, .last) }
    }

    // MARK: Reading

    /// Reads the results once.
    ///
    /// By default the daemon asks the backend, or the cache if the daemon cannot reach the backend.
    /// An answer from the cache may be empty, and its `metadata.isFromCache` is true. A program that
    /// listens to an equal query reads its own listener's results from the cache, without asking the
    /// daemon, while nothing has changed there.
    ///
    /// - Throws: `FirestoreError`: `invalidArgument` for a mistake in the query, `unavailable` if
    ///   no daemon answers or the source cannot answer, or the backend's error.
    public nonisolated(nonsending) func getDocuments(
        source: FirestoreSource = .default
    ) async throws -> QuerySnapshot {
        let query = try validated()
        if source == .cache, !Task.isCancelled,
            let update = firestore.client.sharedResults(of: query)
        {
            return QuerySnapshot(update: update, of: self)
        }
        let event = try await firestore.request(.firestore(.get(query, source.wire)))
        guard case .answer(let answer) = event else { throw Firestore.unexpected(event) }
        return QuerySnapshot(answer: answer, of: self)
    }

    /// Reads the results once, and calls `completion` on a thread of Hearth's.
    public func getDocuments(
        source: FirestoreSource = .default,
        completion: @escaping @Sendable (QuerySnapshot?, (any Error)?) -> Void
    ) {
        let client = firestore.client
        do throws(FirestoreError) {
            let request = try validated()
            client.request(client.nextOperation(), .firestore(.get(request, source.wire))) {
                result in
                client.callbacks.enqueue {
                    switch result {
                    case .success(.answer(let answer)):
                        completion(QuerySnapshot(answer: answer, of: self), nil)
                    case .success(let event): completion(nil, Firestore.unexpected(event))
                    case .failure(let error): completion(nil, error)
                    }
                }
            }
        } catch {
            client.callbacks.enqueue { completion(nil, error) }
        }
    }

    // MARK: Listening

    /// Calls `listener` with the results now and after every change, until `remove()`.
    ///
    /// Hearth calls the listener on a thread of its own, or on `FirestoreSettings.dispatchQueue`.
    /// An error ends the listener. A listener that is slower than the changes sees only the newest
    /// state.
    @discardableResult
    public func addSnapshotListener(
        includeMetadataChanges: Bool = false,
        listener: @escaping @Sendable (QuerySnapshot?, (any Error)?) -> Void
    ) -> any ListenerRegistration {
        addSnapshotListener(
            options: SnapshotListenOptions().withIncludeMetadataChanges(includeMetadataChanges),
            listener: listener)
    }

    /// Calls `listener` with the results now and after every change, with options.
    @discardableResult
    public func addSnapshotListener(
        options: SnapshotListenOptions,
        listener: @escaping @Sendable (QuerySnapshot?, (any Error)?) -> Void
    ) -> any ListenerRegistration {
        do throws(FirestoreError) {
            return ClientListenerRegistration(
                listening: firestore.client, to: try validated(), options
            ) { news in
                switch news {
                case .success(let update): listener(QuerySnapshot(update: update, of: self), nil)
                case .failure(let error): listener(nil, error)
                }
            }
        } catch {
            firestore.client.callbacks.enqueue { listener(nil, error) }
            return EndedListenerRegistration()
        }
    }

    /// The results now and after every change, for `for try await`.
    public var snapshots: SnapshotSequence<QuerySnapshot> {
        snapshots(includeMetadataChanges: false)
    }

    /// The results now and after every change, for `for try await`.
    public func snapshots(includeMetadataChanges: Bool) -> SnapshotSequence<QuerySnapshot> {
        snapshots(
            options: SnapshotListenOptions().withIncludeMetadataChanges(includeMetadataChanges))
    }

    /// The results now and after every change, with options.
    public func snapshots(options: SnapshotListenOptions) -> SnapshotSequence<QuerySnapshot> {
        let query = Result(catching: { () throws(FirestoreError) in try validated() })
        return SnapshotSequence(client: firestore.client, query: query, options: options) {
            QuerySnapshot(update: $0, of: self)
        }
    }
}

extension Query: Hashable {
    public static func == (lhs: Query, rhs: Query) -> Bool {
        lhs.firestore == rhs.firestore && lhs.model == rhs.model && lhs.fault == rhs.fault
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(model)
    }
}
