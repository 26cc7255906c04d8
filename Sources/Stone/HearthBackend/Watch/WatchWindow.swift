import HearthModel

/// The first documents of a watched query, and some that could move up.
///
///     window = the first `limit` of all that match, in the query's order
///     held   = all that match up to the edge: the window, and some more
///
/// A commit of c documents moves at most c other documents over the limit, so the window looks only
/// at the places near the limit: O(c log limit). Documents behind the edge concern nobody. The
/// window asks for them only when more documents have left the window than were held behind it.
struct WatchWindow: Sendable {
    /// How many documents to hold beyond the limit: with them most commits that shorten the window
    /// need no query.
    private static func slack(of limit: Int) -> Int { min(max(limit, 32), 1_024) }

    private let limit: Int
    private let slack: Int
    private let order: DocumentOrder
    private var held: OrderedTree<Document>
    /// The window holds every match up to this document; `nil` if the window holds all matches.
    private(set) var edge: Document?

    /// A window over the documents that match now.
    ///
    /// - Parameters:
    ///   - slack: How many are held beyond the limit; above 0.
    ///   - first: The first of all that match, in order, as many as are asked for.
    init(limit: Int, order: DocumentOrder, slack: Int? = nil, first: (Int) -> [Document]) {
        self.limit = limit
        self.slack = slack ?? Self.slack(of: limit)
        self.order = order
        held = OrderedTree()
        fill(first)
    }

    /// The documents in the window.
    var documents: [Document] { places(of: held, from: 0) }

    /// How many documents are held.
    var heldCount: Int { held.count }

    /// Takes a commit's changes, each `nil` on the side where the document does not match.
    ///
    /// - Parameter first: The first of all that match after the commit, as for `init`.
    mutating func apply(
        _ changes: [(old: Document?, new: Document?, now: Document)], first: (Int) -> [Document]
    ) -> [WatchNews] {
        let before = held
        for change in changes {
            if let old = change.old { held.remove(old, by: order.compare) }
            if let new = change.new, isHeld(new) { held.insert(new, by: order.compare) }
        }
        if held.count < limit, edge != nil { fill(first) }
        if held.count - limit > slack * 2 { cut() }
        return news(changes, since: before)
    }

    private func news(
        _ changes: [(old: Document?, new: Document?, now: Document)],
        since before: OrderedTree<Document>
    ) -> [WatchNews] {
        var news: [WatchNews] = []
        for change in changes {
            if contains(change.new, in: held) {
                news.append(WatchNews(document: change.now, isMember: true, isChanged: true))
            } else if contains(change.old, in: before) {
                news.append(WatchNews(document: change.now, isMember: false, isChanged: true))
            }
        }
        let changed = Set(changes.map(\.now.key))
        let nearLimit = max(0, limit - changes.count)
        for document in places(of: before, from: nearLimit)
        where !changed.contains(document.key) && !contains(document, in: held) {
            news.append(WatchNews(document: document, isMember: false, isChanged: false))
        }
        for document in places(of: held, from: nearLimit)
        where !changed.contains(document.key) && !contains(document, in: before) {
            news.append(WatchNews(document: document, isMember: true, isChanged: false))
        }
        return news
    }

    private func isHeld(_ document: Document) -> Bool {
        edge.map { order.compare(document, $0) <= 0 } ?? true
    }

    private mutating func fill(_ first: (Int) -> [Document]) {
        let (sum, isTooMuch) = limit.addingReportingOverflow(slack)
        let count = isTooMuch ? Int.max : sum
        let documents = first(count)
        edge = documents.count < count ? nil : documents.last
        held = OrderedTree(sorted: documents)
    }

    /// Lets go of the documents beyond the limit and the slack.
    private mutating func cut() {
        var rest: [Document] = []
        held.walk(from: limit + slack) { document in
            rest.append(document)
            return true
        }
        for document in rest { held.remove(document, by: order.compare) }
        edge = held.last
    }

    private func contains(_ document: Document?, in tree: OrderedTree<Document>) -> Bool {
        guard let document, let index = tree.index(of: document, by: order.compare) else {
            return false
        }
        return index < limit
    }

    /// The documents in the window from a place on.
    private func places(of tree: OrderedTree<Document>, from start: Int) -> [Document] {
        var result: [Document] = []
        guard start < limit else { return [] }
        tree.walk(from: start) { document in
            result.append(document)
            return start + result.count < limit
        }
        return result
    }
}
