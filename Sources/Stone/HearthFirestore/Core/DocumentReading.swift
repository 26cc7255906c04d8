package import HearthModel

/// What a turn read of documents from the cache alone.
package enum DocumentReading: Sendable {
    /// One document by a query for the document, with the snapshot that the program gets.
    case snapshot(DocumentKey, ViewSnapshot)
    /// Documents by their names: each found, missing, or not known here.
    case documents([Document])

    /// The reading in a turn's decisions; `nil` if the input read no document from the cache alone.
    package init?(_ decided: [FirestoreEngine.Action], of input: FirestoreEngine.Input) {
        switch (input, decided.first) {
        case (.get(_, let query, .cache), .answer(_, let snapshot)):
            guard let key = query.documentKey else { return nil }
            self = .snapshot(key, snapshot)
        case (.read(_, _, .cache), .result(_, .read(let read))):
            self = .documents(read.documents)
        default:
            return nil
        }
    }
}
