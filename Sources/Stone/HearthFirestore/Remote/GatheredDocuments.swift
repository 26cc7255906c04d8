import HashTreeCollections
import HearthModel

/// The documents that a watch stream has told of since the last event, with the memory that they take.
///
/// A backend that never reaches a snapshot would have them grow for ever.
struct GatheredDocuments: Sendable {
    /// The news by document.
    private(set) var rows: TreeDictionary<DocumentKey, DocumentNews> = [:]
    /// About how much memory the rows take.
    private(set) var byteCount = 0

    /// How many documents there are.
    var count: Int { rows.count }

    /// The news of a document; `nil` if no message told of the document.
    subscript(key: DocumentKey) -> DocumentNews? { rows[key] }

    /// Takes what a message tells of a document.
    ///
    /// - Returns: What had happened to the document in the listen before, as far as it counts.
    /// - Complexity: O(listens that messages named with the document, and parts of its fields).
    mutating func take(
        _ note: DocumentNews.Note, of key: DocumentKey, now document: Document?
    ) -> DocumentNews.Change? {
        let before = rows.count
        var growth = 0
        let change = rows[key, default: DocumentNews()].take(note, now: document, &growth)
        if rows.count > before { growth += Self.byteCount(of: key) }
        byteCount += growth
        return change
    }

    /// Forgets what no living listen was told. O(rows).
    mutating func drop(unless isLive: (DocumentNews.Note) -> Bool) {
        for (key, news) in rows {
            var isAwaited = false
            news.visit { isAwaited = isAwaited || isLive($0) }
            if isAwaited { continue }
            rows[key] = nil
            byteCount -= news.byteCount + Self.byteCount(of: key)
        }
    }

    /// The living listen that most of the memory is for; `nil` if nothing is for a living listen.
    ///
    /// A document that several listens were told counts for each of them. O(rows).
    func greediest(among isLive: (DocumentNews.Note) -> Bool) -> WireTargetID? {
        var sums: [WireTargetID: Int] = [:]
        for (key, news) in rows {
            let size = news.byteCount + Self.byteCount(of: key)
            news.visit { if isLive($0) { sums[$0.wire, default: 0] += size } }
        }
        return sums.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }

    /// What a row takes beside its news: the document's name, and its place among others.
    private static func byteCount(of key: DocumentKey) -> Int {
        key.path.string.utf8.count + 4 * MemoryLayout<DocumentKey>.stride
    }
}
