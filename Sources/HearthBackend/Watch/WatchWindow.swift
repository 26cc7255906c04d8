import HearthModel

/// The first documents of a watched query, and all that could move up.
///
///     window = the first `limit` of all that match, in the query's order
///
/// A commit of c documents moves at most c others over the edge, so the edge is all that is looked
/// at: O(c log n), whatever the limit.
struct WatchWindow: Sendable {
    private let limit: Int
    private let order: DocumentOrder
    private var matching: OrderedTree<Document>

    /// A window over documents that come in the query's order.
    init(limit: Int, order: DocumentOrder, sorted documents: [Document]) {
        self.limit = limit
        self.order = order
        self.matching = OrderedTree(sorted: documents)
    }

    /// The documents in the window.
    var documents: [Document] { edge(of: matching, from: 0) }

    /// How many documents are in the window.
    var count: Int { min(limit, matching.count) }

    /// Takes a commit's changes, each `nil` on the side where the document does not match.
    mutating func apply(_ changes: [(old: Document?, new: Document?, now: Document)]) -> [WatchNews]
    {
        let before = matching
        for change in changes {
            if let old = change.old { matching.remove(old, by: order.compare) }
            if let new = change.new { matching.insert(new, by: order.compare) }
        }
        var news: [WatchNews] = []
        for change in changes {
            if contains(change.new, in: matching) {
                news.append(WatchNews(document: change.now, isMember: true, isChanged: true))
            } else if contains(change.old, in: before) {
                news.append(WatchNews(document: change.now, isMember: false, isChanged: true))
            }
        }
        let changed = Set(changes.map(\.now.key))
        let nearEdge = max(0, limit - changes.count)
        for document in edge(of: before, from: nearEdge)
        where !changed.contains(document.key) && !contains(document, in: matching) {
            news.append(WatchNews(document: document, isMember: false, isChanged: false))
        }
        for document in edge(of: matching, from: nearEdge)
        where !changed.contains(document.key) && !contains(document, in: before) {
            news.append(WatchNews(document: document, isMember: true, isChanged: false))
        }
        return news
    }

    private func contains(_ document: Document?, in tree: OrderedTree<Document>) -> Bool {
        guard let document, let index = tree.index(of: document, by: order.compare) else {
            return false
        }
        return index < limit
    }

    private func edge(of tree: OrderedTree<Document>, from start: Int) -> [Document] {
        var result: [Document] = []
        guard start < limit else { return [] }
        tree.walk(from: start) { document in
            result.append(document)
            return start + result.count < limit
        }
        return result
    }
}
