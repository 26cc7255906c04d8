import HearthEngine
package import HearthModel

/// The state of a document on this machine: the cache's state, and the batches that wait.
package struct DocumentDescription: Hashable, Sendable {
    /// The backend's last news of a document.
    package enum State: String, Hashable, Sendable, CaseIterable {
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
    package var state: State
    /// When the document last changed in the backend; zero if the cache does not know.
    package var updatedAt: SnapshotVersion
    /// The snapshot at which the daemon last read the document; zero if it never has.
    package var readAt: SnapshotVersion
    /// Whether a query that has listeners, or that the daemon keeps to resume, holds the document.
    package var isInTarget: Bool
    /// The batches of all users' queues that write to the document, oldest first.
    package var batches: [QueuePage.Batch]
    /// Whether more wait behind the last of the batches.
    package var hasMoreBatches = false

    /// Describes a document as the cache has it, without local writes.
    ///
    /// - Parameters:
    ///   - remote: The document as the cache has it.
    ///   - isInTarget: Whether a query that has listeners, or that the daemon keeps to resume,
    ///     holds the document.
    ///   - batches: The batches of all users' queues that write to the document, oldest first.
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
    ///
    /// - Parameters:
    ///   - state: The backend's last news of the document.
    ///   - updatedAt: When the document last changed in the backend; zero if the cache does not
    ///     know.
    ///   - readAt: The snapshot at which the daemon last read the document; zero if it never has.
    ///   - isInTarget: Whether a query that has listeners, or that the daemon keeps to resume,
    ///     holds the document.
    ///   - batches: The batches of all users' queues that write to the document, oldest first.
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

    /// The description for a user who may read the document and not all others: the batches of other users
    /// name no other document.
    package func told(of document: DocumentKey, toUser uid: UInt32) -> DocumentDescription {
        var description = self
        description.batches = batches.map { batch in
            guard batch.writer.uid != uid else { return batch }
            var batch = batch
            batch.content = .documents([document], [])
            batch.demands = batch.demands.filter { $0.key == document }
            return batch
        }
        return description
    }
}
