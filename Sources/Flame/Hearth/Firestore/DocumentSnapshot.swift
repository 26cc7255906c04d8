import HearthModel
import HearthWire

/// A write that was rejected, so that its effect on what a listener sees was undone.
public struct RejectedWrite: Hashable, Sendable {
    /// The number of its batch in the queue: that of its `PendingBatch`.
    public let batchID: Int64
    /// Why it was rejected.
    public let error: FirestoreError

    init(_ rejected: HearthModel.RejectedWrite) {
        batchID = rejected.batch.rawValue
        error = FirestoreError(rejected.error)
    }
}

/// What is known besides the content.
public struct SnapshotMetadata: Hashable, Sendable {
    /// Whether it contains writes that the backend has not confirmed yet.
    public let hasPendingWrites: Bool
    /// Whether it comes from the machine's cache, and the backend may know better.
    public let isFromCache: Bool
    /// The writes, of whatever program, that were rejected since the listener's last snapshot and whose
    /// effect is undone in this one. Empty unless a rejection is why there is a snapshot: by it, a listener
    /// tells a state that was rolled back from one that somebody changed.
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

/// A document at one moment, or that there is none.
public class DocumentSnapshot: @unchecked Sendable {  // All it and its one subclass store is `let`.
    /// Where the document is.
    public let reference: DocumentReference
    /// What is known besides the content.
    public let metadata: SnapshotMetadata
    let document: Document?

    init(
        reference: DocumentReference, document: Document?, isFromCache: Bool,
        rejectedWrites: [HearthModel.RejectedWrite] = []
    ) {
        self.reference = reference
        self.document = document
        metadata = SnapshotMetadata(
            hasPendingWrites: document?.hasPendingWrites ?? false, isFromCache: isFromCache,
            rejectedWrites: rejectedWrites)
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

    /// The last name of the document's path.
    public var documentID: String { reference.documentID }

    /// Whether there is a document.
    public var exists: Bool { document != nil }

    /// The fields, or `nil` if there is no document.
    ///
    /// Integers come as `Int`, bytes as `[UInt8]`, null as `FirestoreNull`.
    public func data(
        with serverTimestampBehavior: ServerTimestampBehavior = .none
    ) -> [String: any Sendable]? {
        document.map {
            ValueDecoder(firestore: reference.firestore, behavior: serverTimestampBehavior)
                .decode($0.fields)
        }
    }

    /// One field, or `nil` if there is none, by its dotted name or its path.
    public func get(
        _ field: some FieldName, serverTimestampBehavior: ServerTimestampBehavior = .none
    ) -> (any Sendable)? {
        guard let path = try? field.modelPath() else { return nil }
        if path.isDocumentID { return reference }
        return document?[path].map {
            ValueDecoder(firestore: reference.firestore, behavior: serverTimestampBehavior)
                .decode($0)
        }
    }

    /// One field, or `nil` if there is none.
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

/// A document among a query's results: it exists.
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
