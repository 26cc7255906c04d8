import HearthModel
import HearthWire

/// Where a document stands on this machine: what the cache holds of it, and what waits to be sent.
public struct DocumentDescription: Hashable, Sendable {
    /// What the backend last said of a document.
    public enum State: String, Hashable, Sendable {
        /// Nothing, as far as the cache knows.
        case unknown
        /// It exists.
        case found
        /// It does not exist.
        case missing
        /// It exists. A write was acknowledged whose outcome cannot be computed, and has not come back.
        case fieldsUnknown
    }

    /// What the backend last said.
    public let state: State
    /// When the document last changed there; `nil` if the cache does not know.
    public let updatedAt: Timestamp?
    /// When the document was last read from the backend; `nil` if it never was.
    public let readAt: Timestamp?
    /// Whether a query holds the document that is listened to, or is kept to be resumed. The cache does
    /// not collect such a document.
    public let isHeldByQuery: Bool
    /// What waits to be written to the document, of all programs and users, oldest first.
    public let pendingBatches: [PendingBatch]

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
    }

    private static func moment(_ version: SnapshotVersion) -> Timestamp? {
        version == .zero ? nil : Timestamp(version.timestamp)
    }
}

extension DocumentReference {
    /// Asks the daemon where the document stands on this machine, and who has writes waiting for it.
    ///
    /// Asks nothing of the backend. Only those may ask who may see the daemon's queue.
    public func describe() async throws -> DocumentDescription {
        let answer = try await firestore.inquire(.document(key))
        guard case .document(let description) = answer else { throw Firestore.unexpected(answer) }
        return DocumentDescription(description)
    }
}
