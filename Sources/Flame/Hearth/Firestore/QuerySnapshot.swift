import HearthModel
import HearthWire

/// How a document changed from one snapshot to the next.
public enum DocumentChangeType: Int, Hashable, Sendable {
    /// The document is new among the results.
    case added = 0
    /// The document has changed, and perhaps moved.
    case modified = 1
    /// The document is no longer among the results.
    case removed = 2
}

/// The change of one document from a snapshot to the next.
public struct DocumentChange: Hashable, Sendable {
    /// The kind of change.
    public let type: DocumentChangeType
    /// The document as it is now; for a removed document, as it was.
    public let document: QueryDocumentSnapshot
    /// The document's index before this change, when all earlier changes of the list are made;
    /// `nil` for an added document.
    public let oldIndex: Int?
    /// The document's index after this change; `nil` for a removed document.
    public let newIndex: Int?
}

/// The results of a query at one moment.
public final class QuerySnapshot: Sendable {
    /// The query.
    public let query: Query
    /// Facts about the snapshot besides its documents.
    public let metadata: SnapshotMetadata
    private let update: ViewUpdate

    init(update: ViewUpdate, of query: Query) {
        self.query = query
        self.update = update
        metadata = SnapshotMetadata(
            hasPendingWrites: update.flags.hasPendingWrites,
            isFromCache: update.flags.isFromCache,
            rejectedWrites: update.flags.rejectedWrites)
    }

    convenience init(answer: Event.Snapshot, of query: Query) {
        var view = ListenerView(order: query.model.order, includeMetadataChanges: true)
        guard case .show(let update) = view.received(answer) else {
            preconditionFailure("A complete first snapshot shows nothing")
        }
        self.init(update: update, of: query)
    }

    /// The documents, in the order of the query.
    public var documents: [QueryDocumentSnapshot] {
        update.documents.documents.map(snapshot)
    }

    /// How many documents there are.
    public var count: Int { update.documents.count }

    /// Whether there are no documents.
    public var isEmpty: Bool { update.documents.isEmpty }

    /// The changes since the listener's last snapshot. In the first snapshot, all documents are
    /// added.
    public var documentChanges: [DocumentChange] {
        documentChanges(includeMetadataChanges: false)
    }

    /// The changes since the listener's last snapshot.
    ///
    /// - Parameter includeMetadataChanges: Whether the list holds documents whose `metadata` alone
    ///   changed, as modified. Only a listener with `includeMetadataChanges` gets such changes.
    public func documentChanges(includeMetadataChanges: Bool) -> [DocumentChange] {
        var rest = update.previous ?? DocumentSet(order: update.documents.order)
        var changes: [DocumentChange] = []
        for change in update.changes {
            if change.kind == .metadata, !includeMetadataChanges {
                rest.insert(change.document)
                continue
            }
            let key = change.document.key
            let oldIndex = rest.index(of: key)
            rest.remove(key)
            if change.kind != .removed { rest.insert(change.document) }
            changes.append(
                DocumentChange(
                    type: Self.type(change.kind), document: snapshot(change.document),
                    oldIndex: oldIndex, newIndex: rest.index(of: key)))
        }
        return changes
    }

    private static func type(_ kind: ViewUpdate.Change.Kind) -> DocumentChangeType {
        switch kind {
        case .added: .added
        case .modified, .metadata: .modified
        case .removed: .removed
        }
    }

    private func snapshot(_ document: Document) -> QueryDocumentSnapshot {
        QueryDocumentSnapshot(
            firestore: query.firestore, document: document, isFromCache: metadata.isFromCache)
    }
}

extension QuerySnapshot: Hashable {
    public static func == (lhs: QuerySnapshot, rhs: QuerySnapshot) -> Bool {
        lhs.query == rhs.query && lhs.metadata == rhs.metadata
            && lhs.update.documents == rhs.update.documents
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(query)
        hasher.combine(metadata)
    }
}

extension QuerySnapshot: Sequence {
    /// Goes through the documents, in the order of the query.
    public func makeIterator() -> IndexingIterator<[QueryDocumentSnapshot]> {
        documents.makeIterator()
    }
}
