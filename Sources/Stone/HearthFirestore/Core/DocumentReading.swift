package import HearthModel

/// A document that a turn read from the cache alone.
package struct DocumentReading: Sendable {
    /// The document.
    package let key: DocumentKey
    /// What the program is told.
    package let snapshot: ViewSnapshot

    /// Takes a reading.
    package init(key: DocumentKey, snapshot: ViewSnapshot) {
        self.key = key
        self.snapshot = snapshot
    }

    /// The reading in a turn's decisions; `nil` if the input read no document from the cache.
    package init?(_ decided: [FirestoreEngine.Action], of input: FirestoreEngine.Input) {
        guard case .get(_, let query, .cache) = input, let key = query.documentKey,
            case .answer(_, let snapshot)? = decided.first
        else { return nil }
        self.init(key: key, snapshot: snapshot)
    }
}
