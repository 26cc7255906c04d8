package import HearthEngine
import HearthModel

/// How questions about a document's history are answered from any store.
extension FirestoreTransaction {
    /// Answers a question.
    ///
    /// - Throws: `StoreError` if the store fails.
    /// - Complexity: O(log n + page), and O(log n + the document's entries after a time).
    package func history(_ question: HistoryQuestion) throws(StoreError) -> HistoryPage {
        guard let time = question.at else { return try historyPage(question) }
        var newest = HistoryQuestion(of: question.key, countMax: 1)
        newest.at = time
        var page = try historyPage(newest)
        page.hasMore = false
        if page.entries.isEmpty, let entry = try known(question.key, at: time) {
            page.entries = [entry]
        }
        return page
    }

    /// What a document was at a time before its first entry: what the cache had then, and still had
    /// when the document changed next.
    private func known(_ key: DocumentKey, at time: Timestamp) throws(StoreError) -> HistoryEntry? {
        if let first = try firstHistory(of: key) {
            let remote = first.remote ?? first.local
            guard first.event == .known, remote.readAt != .zero, !remote.hasLocalMutations,
                remote.readAt.timestamp <= time
            else { return nil }
            return HistoryEntry(notedAt: first.notedAt, event: .known, local: remote)
        }
        let remote = try remoteDocument(key)
        guard remote.isValid, remote.readAt != .zero, remote.readAt.timestamp <= time else {
            return nil
        }
        return HistoryEntry(notedAt: remote.readAt.timestamp, event: .known, local: remote)
    }
}
