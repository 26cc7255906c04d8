extension Document {
    /// A batch that promises a time has made the document, if the document is there now.
    mutating func becomeCreated(_ promisedAt: Timestamp?) {
        guard isFound else { return }
        createdAt = promisedAt.map { SnapshotVersion($0) } ?? .zero
    }

    /// What an effect must tell of the creation of a document that waiting batches have changed.
    ///
    /// - Parameters:
    ///   - remote: The document as the backend has it, as far as known.
    ///   - promisedAt: The promise of the newest batch.
    package func creation(over remote: Document, promisedAt: Timestamp?) -> Timestamp? {
        guard isFound, createdAt != remote.createdAt, createdAt != .zero else { return nil }
        let made = createdAt.timestamp
        return made == promisedAt && !remote.exists ? nil : made
    }
}
