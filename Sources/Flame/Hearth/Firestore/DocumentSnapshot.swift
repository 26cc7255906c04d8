import HearthModel
import HearthWire

/// A rejected write that changed a listener's results until the rejection.
public struct RejectedWrite: Hashable, Sendable {
    /// The number of the write's batch in the queue, the `id` of `PendingBatch`.
    public let batchID: Int64
    /// Why the write was rejected.
    public let error: FirestoreError

    init(_ rejected: HearthModel.RejectedWrite) {
        batchID = rejected.batch.rawValue
        error = FirestoreError(rejected.error)
    }
}

/// Facts about a snapshot besides its content.
public struct SnapshotMetadata: Hashable, Sendable {
    /// Whether the snapshot contains writes that the backend has not confirmed yet.
    public let hasPendingWrites: Bool
    /// Whether the snapshot comes from the machine's cache, and the backend may hold a newer state.
    public let isFromCache: Bool
    /// Writes of any program that were rejected since the listener's last snapshot.
    ///
    /// This snapshot no longer shows the writes. The list is empty if no write was rejected. So a
    /// listener can tell a rollback from a change that somebody made.
    public let rejectedWrites: [RejectedWrite]

    init(
        hasPendingWrites: Bool, isFromCache: Bool,
        rejectedWrites: [HearthModel.RejectedWrite] = []
    ) {
        self.hasPendingWrites = hasPendingWrites
        self.isFromCache = isFromCache
        self.rejectedWrites = rejectedWrites.map { RejectedWrite($0) }
    }
}

/// A document at one moment, or its absence.
public class DocumentSnapshot: @unchecked Sendable {  // It and its subclass store only `let`s.
    /// The place of the document.
    public let reference: DocumentReference
    /// Facts about the snapshot besides its content.
    public let metadata: SnapshotMetadata
    private let content: Content

    private enum Content {
        case decoded(Document?)
        /// An answer whose fields are read when somebody asks for them.
        case encoded(EncodedAnswer, AnswerDecoder)
    }

    init(
        reference: DocumentReference, document: Document?, isFromCache: Bool,
        rejectedWrites: [HearthModel.RejectedWrite] = []
    ) {
        self.reference = reference
        content = .decoded(document)
        metadata = SnapshotMetadata(
            hasPendingWrites: document?.hasPendingWrites ?? false, isFromCache: isFromCache,
            rejectedWrites: rejectedWrites)
    }

    init(encoded answer: EncodedAnswer, _ decoder: AnswerDecoder, of reference: DocumentReference) {
        self.reference = reference
        content = .encoded(answer, decoder)
        metadata = SnapshotMetadata(
            hasPendingWrites: answer.hasPendingWrites, isFromCache: answer.isFromCache)
    }

    convenience init(answer: Event.Snapshot, of reference: DocumentReference) {
        let listed = answer.documents.first { $0.document.key == reference.key }
        var document = listed?.document
        if let listed, listed.hasPendingWrites { document?.markLocalMutations() }
        self.init(
            reference: reference, document: document, isFromCache: answer.flags.isFromCache)
    }

    convenience init(update: ViewUpdate, of reference: DocumentReference) {
        self.init(
            reference: reference, document: update.documents[reference.key],
            isFromCache: update.flags.isFromCache, rejectedWrites: update.flags.rejectedWrites)
    }

    /// The document with all its fields; `nil` if there is none.
    var document: Document? {
        switch content {
        case .decoded(let document): document
        case .encoded(let answer, let decoder): answer.document(reference.key, decoder.codec)
        }
    }

    /// The last name of the document's path.
    public var documentID: String { reference.documentID }

    /// Whether there is a document.
    public var exists: Bool {
        switch content {
        case .decoded(let document): document != nil
        case .encoded(let answer, _): answer.exists
        }
    }

    /// When the document last changed, as the backend says; `nil` if there is no document, or the
    /// snapshot shows writes that the backend has not confirmed.
    public var updateTime: Timestamp? {
        guard let outline, !outline.hasPendingWrites, outline.version > .zero else { return nil }
        return Timestamp(outline.version.timestamp)
    }

    /// The document, perhaps without its fields; `nil` if there is none.
    private var outline: Document? {
        switch content {
        case .decoded(let document): document
        case .encoded(let answer, let decoder): answer.outline(reference.key, decoder.codec)
        }
    }

    /// The fields, or `nil` if there is no document.
    ///
    /// Integers are `Int`, bytes are `[UInt8]`, and null is `FirestoreNull`.
    public func data(
        with serverTimestampBehavior: ServerTimestampBehavior = .none
    ) -> [String: any Sendable]? {
        document.map {
            ValueDecoder(firestore: reference.firestore, behavior: serverTimestampBehavior)
                .decode($0.fields)
        }
    }

    /// The fields, told apart by the bytes of their names, or `nil` if there is no document.
    package func spelledData(with serverTimestampBehavior: ServerTimestampBehavior) -> SpelledMap? {
        document.map {
            ValueDecoder(
                firestore: reference.firestore, behavior: serverTimestampBehavior,
                keepsSpellings: true
            ).spelled($0.fields)
        }
    }

    /// One field, named by a dotted string or a path; `nil` if the document lacks the field.
    public func get(
        _ field: some FieldName, serverTimestampBehavior: ServerTimestampBehavior = .none
    ) -> (any Sendable)? {
        guard let path = try? field.modelPath() else { return nil }
        if path.isDocumentID { return reference }
        return value(at: path).map {
            ValueDecoder(firestore: reference.firestore, behavior: serverTimestampBehavior)
                .decode($0)
        }
    }

    /// The value at a path; reads no other field.
    private func value(at path: HearthModel.FieldPath) -> Value? {
        switch content {
        case .decoded(let document): document?[path]
        case .encoded(let answer, let decoder): answer.value(at: path, decoder.codec)
        }
    }

    /// One field; `nil` if the document lacks the field.
    public subscript(field: some FieldName) -> (any Sendable)? { self.get(field) }
}

extension DocumentSnapshot: Hashable {
    public static func == (lhs: DocumentSnapshot, rhs: DocumentSnapshot) -> Bool {
        lhs.reference == rhs.reference && lhs.metadata == rhs.metadata
            && lhs.document?.content == rhs.document?.content
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(reference)
        hasher.combine(metadata)
    }
}

/// A document among a query's results. The document exists.
public final class QueryDocumentSnapshot: DocumentSnapshot, @unchecked Sendable {  // As its parent.
    private let found: Document

    init(firestore: Firestore, document: Document, isFromCache: Bool) {
        found = document
        super.init(
            reference: DocumentReference(firestore: firestore, key: document.key),
            document: document, isFromCache: isFromCache)
    }

    /// The fields.
    public override func data(
        with serverTimestampBehavior: ServerTimestampBehavior = .none
    ) -> [String: any Sendable] {
        ValueDecoder(firestore: reference.firestore, behavior: serverTimestampBehavior)
            .decode(found.fields)
    }
}
