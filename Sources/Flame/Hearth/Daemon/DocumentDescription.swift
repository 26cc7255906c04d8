import HearthModel
import HearthWire

/// The state of a document on this machine: the cache's state, and the batches that wait.
public struct DocumentDescription: Hashable, Sendable {
    /// The backend's last news of a document.
    public enum State: String, Hashable, Sendable {
        /// The cache knows nothing of the document.
        case unknown
        /// The document exists.
        case found
        /// The document does not exist.
        case missing
        /// The document exists. The backend has acknowledged a write whose result the machine
        /// cannot compute, and has not sent the result yet.
        case fieldsUnknown
    }

    /// The backend's last news of the document.
    public let state: State
    /// When the document last changed in the backend; `nil` if the cache does not know.
    public let updatedAt: Timestamp?
    /// When the daemon last read the document from the backend; `nil` if it never has.
    public let readAt: Timestamp?
    /// Whether a query that has listeners, or that the daemon keeps to resume, holds the document.
    /// The cache does not collect such a document.
    public let isHeldByQuery: Bool
    /// The batches of all programs and users that wait to write to the document, oldest first.
    public let pendingBatches: [PendingBatch]
    /// Whether more batches wait behind the last of `pendingBatches`.
    public let hasMorePendingBatches: Bool

    init(_ description: HearthWire.DocumentDescription) {
        state =
            switch description.state {
            case .unknown: .unknown
            case .found: .found
            case .missing: .missing
            case .fieldsUnknown: .fieldsUnknown
            }
        updatedAt = Self.moment(description.updatedAt)
        readAt = Self.moment(description.readAt)
        isHeldByQuery = description.isInTarget
        pendingBatches = description.batches.map(PendingBatch.init)
        hasMorePendingBatches = description.hasMoreBatches
    }

    private static func moment(_ version: SnapshotVersion) -> Timestamp? {
        version == .zero ? nil : Timestamp(version.timestamp)
    }
}

extension DocumentReference {
    /// Asks the daemon for the document's state on this machine, and for the batches that wait to
    /// write to the document.
    ///
    /// The daemon does not ask the backend. Users that may read the document or see the daemon's queue may
    /// ask; the former see no other documents in the batches of other users.
    ///
    /// - Throws: `FirestoreError`: `unavailable` if no daemon answers, `permissionDenied` for other
    ///   users.
    public func describe() async throws -> DocumentDescription {
        let desk = firestore.operatorDesk
        let answer = try await desk.inquire(.document(key))
        guard case .document(let description) = answer else { throw desk.unexpected(answer) }
        return DocumentDescription(description)
    }
}
