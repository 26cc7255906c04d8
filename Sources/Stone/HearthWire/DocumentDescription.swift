package import HearthModel

/// Where a document stands on this machine: what the cache holds of it, and what waits to be sent.
package struct DocumentDescription: Hashable, Sendable {
    /// What the backend last said of a document.
    package enum State: String, Hashable, Sendable, CaseIterable {
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
    package var state: State
    /// When the document last changed there; zero if the cache does not know.
    package var updatedAt: SnapshotVersion
    /// The snapshot at which the document was last read; zero if it never was.
    package var readAt: SnapshotVersion
    /// Whether a query holds the document that is listened to, or is kept to be resumed.
    package var isInTarget: Bool
    /// What all users' queues write to the document, oldest first.
    package var batches: [QueuePage.Batch]

    /// Describes a document as the cache has it, without local writes.
    package init(_ remote: Document, isInTarget: Bool, batches: [QueuePage.Batch]) {
        state =
            switch remote.content {
            case .invalid: .unknown
            case .found: .found
            case .missing: .missing
            case .unknown: .fieldsUnknown
            }
        updatedAt = remote.version
        readAt = remote.readAt
        self.isInTarget = isInTarget
        self.batches = batches
    }

    /// Takes the parts.
    package init(
        _ state: State, updatedAt: SnapshotVersion, readAt: SnapshotVersion, isInTarget: Bool,
        batches: [QueuePage.Batch]
    ) {
        self.state = state
        self.updatedAt = updatedAt
        self.readAt = readAt
        self.isInTarget = isInTarget
        self.batches = batches
    }
}
