import HearthModel
import HearthWire

/// The place of a document, whether or not there is one.
public struct DocumentReference: Sendable {
    /// The database that it is in.
    public let firestore: Firestore
    let key: DocumentKey
    /// The database, if it is another than the one of `firestore`: such a reference can be stored.
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

    /// The collection that it is in.
    public var parent: CollectionReference {
        CollectionReference(firestore: firestore, path: key.collection)
    }

    /// A collection below this document, by its path from here.
    public func collection(_ collectionPath: String) -> CollectionReference {
        firestore.collection("\(path)/\(collectionPath)")
    }

    /// The full name, as a field holds it.
    var name: DocumentName {
        DocumentName(database: foreignDatabase ?? firestore.client.database, key: key)
    }

    // MARK: Reading

    /// Reads the document once.
    ///
    /// By default the daemon asks the backend if it can be reached, and the cache if not.
    ///
    /// - Throws: `FirestoreError` `unavailable` if the source cannot tell: the backend cannot be
    ///   reached, or the cache does not know the document.
    public func getDocument(source: FirestoreSource = .default) async throws -> DocumentSnapshot {
        let event = try await firestore.request(.firestore(.get(query, source.wire)))
        guard case .answer(let answer) = event else { throw Firestore.unexpected(event) }
        return DocumentSnapshot(answer: answer, of: self)
    }

    /// Reads the document once, and calls back on a thread of Hearth's.
    public func getDocument(
        source: FirestoreSource = .default,
        completion: @escaping @Sendable (DocumentSnapshot?, (any Error)?) -> Void
    ) {
        let client = firestore.client
        client.request(client.nextOperation(), .firestore(.get(query, source.wire))) { result in
            client.callbacks.enqueue {
                switch result {
                case .success(.answer(let answer)):
                    completion(DocumentSnapshot(answer: answer, of: self), nil)
                case .success(let event): completion(nil, Firestore.unexpected(event))
                case .failure(let error): completion(nil, error)
                }
            }
        }
    }

    // MARK: Listening

    /// Tells of the document now and whenever it changes, on a thread of Hearth's, until
    /// `remove()`.
    ///
    /// An error ends the listener. A listener that is slower than the changes sees only the newest.
    @discardableResult
    public func addSnapshotListener(
        includeMetadataChanges: Bool = false,
        listener: @escaping @Sendable (DocumentSnapshot?, (any Error)?) -> Void
    ) -> any ListenerRegistration {
        addSnapshotListener(
            options: SnapshotListenOptions().withIncludeMetadataChanges(includeMetadataChanges),
            listener: listener)
    }

    /// Tells of the document now and whenever it changes, as the options say.
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

    /// The document now and whenever it changes, for `for try await`.
    public var snapshots: SnapshotSequence<DocumentSnapshot> {
        snapshots(includeMetadataChanges: false)
    }

    /// The document now and whenever it changes, for `for try await`.
    public func snapshots(
        includeMetadataChanges: Bool
    ) -> SnapshotSequence<DocumentSnapshot> {
        snapshots(
            options: SnapshotListenOptions().withIncludeMetadataChanges(includeMetadataChanges))
    }

    /// The document now and whenever it changes, as the options say.
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
