import HearthModel
import HearthWire

/// The place of a document. The document need not exist.
public struct DocumentReference: Sendable {
    /// The `Firestore` that reads and writes the document.
    public let firestore: Firestore
    let key: DocumentKey
    /// The database, if the reference names another than the database of `firestore`. Such a
    /// reference can be stored in a field.
    private let foreignDatabase: DatabaseID?

    init(firestore: Firestore, key: DocumentKey, database: DatabaseID? = nil) {
        self.firestore = firestore
        self.key = key
        self.foreignDatabase = database
    }

    /// The last name of the path.
    public var documentID: String { key.documentID }

    /// The path below the database, such as `rooms/hall`.
    public var path: String { key.path.string }

    /// The collection that holds the document.
    public var parent: CollectionReference {
        CollectionReference(firestore: firestore, path: key.collection)
    }

    /// A collection below this document, by its path below the document.
    ///
    /// The program stops if the path is no collection's path.
    public func collection(_ collectionPath: String) -> CollectionReference {
        firestore.collection("\(path)/\(collectionPath)")
    }

    /// The full name, as a field holds it.
    var name: DocumentName {
        DocumentName(database: foreignDatabase ?? firestore.client.database, key: key)
    }

    /// The full name, if the document is of another database than the database of `firestore`.
    package var foreignName: String? {
        guard let foreignDatabase, foreignDatabase != firestore.client.database,
            foreignDatabase != .ofSession
        else { return nil }
        return name.description
    }

    // MARK: Reading

    /// Reads the document once.
    ///
    /// By default the daemon asks the backend, or the cache if the daemon cannot reach the backend. A
    /// document that is often read from the cache is read in memory that the daemon shares, without
    /// asking the daemon.
    ///
    /// - Throws: `FirestoreError` `unavailable` if the source cannot answer: the daemon cannot
    ///   reach the backend, or the cache does not know the document.
    public nonisolated(nonsending) func getDocument(
        source: FirestoreSource = .default
    ) async throws -> DocumentSnapshot {
        if source == .cache, !Task.isCancelled,
            let snapshot = firestore.client.sharedSnapshot(of: self)
        {
            firestore.client.noteRead(of: self)
            return snapshot
        }
        let event = try await firestore.request(.firestore(.get(query, source.wire)))
        guard case .answer(let answer) = event else { throw Firestore.unexpected(event) }
        if source == .cache { firestore.client.noteRead(of: self) }
        return DocumentSnapshot(answer: answer, of: self)
    }

    /// Reads the document once, and calls `completion` on a thread of Hearth's.
    public func getDocument(
        source: FirestoreSource = .default,
        completion: @escaping @Sendable (DocumentSnapshot?, (any Error)?) -> Void
    ) {
        let client = firestore.client
        client.request(client.nextOperation(), .firestore(.get(query, source.wire))) { result in
            client.callbacks.enqueue {
                switch result {
                case .success(.answer(let answer)):
                    if source == .cache { client.noteRead(of: self) }
                    completion(DocumentSnapshot(answer: answer, of: self), nil)
                case .success(let event): completion(nil, Firestore.unexpected(event))
                case .failure(let error): completion(nil, error)
                }
            }
        }
    }

    // MARK: Listening

    /// Calls `listener` with the document now and after every change, until `remove()`.
    ///
    /// Hearth calls the listener on a thread of its own, or on `FirestoreSettings.dispatchQueue`.
    /// An error ends the listener. A listener that is slower than the changes sees only the newest
    /// state.
    @discardableResult
    public func addSnapshotListener(
        includeMetadataChanges: Bool = false,
        listener: @escaping @Sendable (DocumentSnapshot?, (any Error)?) -> Void
    ) -> any ListenerRegistration {
        addSnapshotListener(
            options: SnapshotListenOptions().withIncludeMetadataChanges(includeMetadataChanges),
            listener: listener)
    }

    /// Calls `listener` with the document now and after every change, with options.
    @discardableResult
    public func addSnapshotListener(
        options: SnapshotListenOptions,
        listener: @escaping @Sendable (DocumentSnapshot?, (any Error)?) -> Void
    ) -> any ListenerRegistration {
        ClientListenerRegistration(
            listening: firestore.client, to: query, options
        ) { news in
            switch news {
            case .success(let update): listener(DocumentSnapshot(update: update, of: self), nil)
            case .failure(let error): listener(nil, error)
            }
        }
    }

    /// The document now and after every change, for `for try await`.
    public var snapshots: SnapshotSequence<DocumentSnapshot> {
        snapshots(includeMetadataChanges: false)
    }

    /// The document now and after every change, for `for try await`.
    public func snapshots(
        includeMetadataChanges: Bool
    ) -> SnapshotSequence<DocumentSnapshot> {
        snapshots(
            options: SnapshotListenOptions().withIncludeMetadataChanges(includeMetadataChanges))
    }

    /// The document now and after every change, with options.
    public func snapshots(options: SnapshotListenOptions) -> SnapshotSequence<DocumentSnapshot> {
        SnapshotSequence(client: firestore.client, query: query, options: options) { update in
            DocumentSnapshot(update: update, of: self)
        }
    }

    var query: HearthModel.Query { HearthModel.Query(document: key) }
}

extension DocumentReference: Hashable {
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.firestore == rhs.firestore && lhs.key == rhs.key && lhs.name == rhs.name
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
    }
}

extension DocumentReference: CustomStringConvertible {
    /// The path.
    public var description: String { path }
}
